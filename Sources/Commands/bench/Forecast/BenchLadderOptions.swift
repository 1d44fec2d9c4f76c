import ArgumentParser
import Forecasting

/// The ladder that the forecast's benches learn from, and where it is kept.
struct BenchLadderOptions: ParsableArguments {
  @Option(help: "Where what was measured is kept from run to run.")
  var folder = "Results/forecast"

  @Option(help: "The program whose workers measure.")
  var program = ".build/release/storebench"

  @Option(help: "The largest size of the ladder, 16000 or 64000 objects.")
  var top = 64_000

  @Option(parsing: .upToNextOption, help: "Sizes beyond the ladder that are measured as well.")
  var truth = [128_000, 256_000, 512_000, 1_000_000]

  @Option(help: "Runs of each size of the ladder.")
  var repeats = 5

  @Option(help: "Runs of each size beyond it.")
  var truthRepeats = 3

  var design: LadderDesign {
    LadderDesign(
      rungs: LadderDesign.steps(from: 1000, halves: 12).filter { $0 <= top },
      repeats: repeats,
      truths: truth,
      truthRepeats: truthRepeats
    )
  }
}

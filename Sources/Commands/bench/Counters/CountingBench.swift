import ArgumentParser
import Foundation
import SQLite

/// What counting costs: the same statements over the counting and over the plain VFS in one
/// process, in alternating slices of some milliseconds.
///
/// Whole trials side by side would scatter by far more than what is looked for (statistics.md).
struct CountingBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "counting",
    abstract: "What counting reads and writes costs, in lock-step."
  )

  @Option(help: "Blocks, each with files and connections of its own.")
  var blocks = 10

  @Option(help: "Pairs of slices a block.")
  var pairs = 60

  func run() throws {
    let folder = try BenchFolder()
    print("time over the counting VFS beside the plain one; \(blocks * pairs) pairs of slices\n")
    for work in CountedWork.all {
      var ratios: [Double] = []
      var (seconds, calls): ([Double], Int64) = ([], 0)
      for block in 0..<blocks {
        let race = try CountingRace(work, folder, isPlainFirst: block.isMultiple(of: 2))
        for pair in -3..<pairs {
          let times = try race.pair(isPlainFirst: pair.isMultiple(of: 2))
          guard pair >= 0 else { continue }
          ratios.append(times.counting / times.plain)
          seconds.append(times.plain)
        }
        calls = race.callsInSlice
      }
      print(Self.line(work.name, ratios.sorted(), seconds.median, calls))
    }
  }

  /// The median of the ratios and its 95 % interval, by the ranks of the binomial distribution.
  private static func line(
    _ name: String,
    _ ratios: [Double],
    _ seconds: Double,
    _ calls: Int64
  ) -> String {
    let half = Int(0.98 * Double(ratios.count).squareRoot())
    let middle = ratios.count / 2
    let percent = { (ratio: Double) in String(format: "%+.2f %%", (ratio - 1) * 100) }
    let interval = "[\(percent(ratios[middle - half])), \(percent(ratios[middle + half]))]"
    let slice = String(format: "%.1f ms", seconds * 1000)
    return
      "\(name): \(percent(ratios[middle])) \(interval), slices of \(slice), \(calls) calls each"
  }
}

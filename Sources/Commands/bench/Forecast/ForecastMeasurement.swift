import Forecasting
import Foundation
import Ladder
import Measurement
import Runner
import WorkloadKinds

/// Measures the cases of the forecast's benches.
struct ForecastMeasurement {
  /// Where what was measured is kept from run to run.
  let folder: String
  let executor: any TrialExecutor

  /// What was measured of a case, now or before.
  func outcome(
    of benchCase: ForecastBenchCase,
    _ design: LadderDesign,
    keptOnly: Bool = false
  ) throws -> LadderRun.Outcome {
    let work = try BenchFolder()
    let scratch = try ScratchFolder(in: work.path)
    let plan = try Plan(
      paths: [benchCase.file],
      kinds: WorkloadCatalog.kinds,
      overrides: Overrides(parameters: benchCase.parameters)
    )
    let cases = try LadderCase.all(of: plan, like: benchCase.store)
    let run = LadderRun(
      cases: Array(cases.prefix(1)),
      design: design,
      environment: EnvironmentProbe.read(
        workFolder: scratch.path,
        codeFolder: ".",
        startedAt: Date.now.formatted(.iso8601)
      ),
      stores: StoreLibrary(cacheFolder: work.path + "/stores"),
      executor: executor,
      scratch: scratch,
      cacheFolder: work.path + "/stores",
      keepFolder: folder
    )
    return try (keptOnly ? run.kept() : run.perform()).first
      ?? LadderRun.Outcome(name: benchCase.name, observations: [], failure: "no case is possible")
  }
}

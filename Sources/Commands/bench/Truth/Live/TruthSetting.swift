import Foundation
import Measurement
import Runner
import WorkloadKinds

/// What all units of the bench share.
final class TruthSetting {
  /// Workload files for the bench.
  static let micro = "Workloads/selftest/micro"
  static let selftest = "Workloads/selftest"
  static let rows = "Workloads/selftest/rows"

  let ledgers: TruthLedgers
  let worker: LiveWorker
  let provider: StoreLibrary
  private let workFolder: String
  private let commit: String

  /// Measures with a build of storebench; stores and copies go below `workFolder`.
  ///
  /// - Throws: ``TruthError/noProgram(path:)``
  init(ledgers: TruthLedgers, program: String, workFolder: String) throws {
    guard FileManager.default.isExecutableFile(atPath: program) else {
      throw TruthError.noProgram(path: program)
    }
    self.ledgers = ledgers
    self.workFolder = workFolder
    worker = LiveWorker(name: "itself", executable: URL(fileURLWithPath: program).path)
    provider = StoreLibrary(cacheFolder: workFolder + "/cache")
    let environment = EnvironmentProbe.read(workFolder: ".", codeFolder: ".", startedAt: "")
    let changes = environment.commit.hasSuffix("+changes") ? "+changes" : ""
    commit = environment.commit.prefix(10) + changes
  }

  /// A folder for copies that one unit alone uses.
  func scratch() throws -> ScratchFolder {
    try ScratchFolder(in: workFolder + "/scratch")
  }

  func plan(_ path: String) throws -> Plan {
    try Plan(paths: [path], kinds: WorkloadCatalog.kinds)
  }

  /// The cases of workload files, each against itself.
  func equalCases(_ path: String) throws -> [LiveCase] {
    let side = LiveSide(plan: try plan(path), worker: worker)
    return try LiveMatching(base: side, head: side).cases
  }

  /// The conditions of the next record; the count of a ledger decides its seed.
  func conditions(seed: Int, hasOtherLoad: Bool) -> Conditions {
    var averages = [0.0, 0.0, 0.0]
    getloadavg(&averages, 3)
    return Conditions(
      commit: commit,
      hasOtherLoad: hasOtherLoad,
      loadAverage: averages[0],
      seed: UInt64(seed)
    )
  }

  /// Does something, with other load on the machine or without.
  func perform<Result>(withOtherLoad: Bool, _ body: () throws -> Result) throws -> Result {
    guard withOtherLoad else { return try body() }
    let load = try OtherLoad(folder: workFolder)
    defer { load.end() }
    return try body()
  }
}

/// Where outcomes are kept.
struct TruthLedgers {
  let suites: Ledger<SuiteRecord>
  let tries: Ledger<TryRecord>
  let counters: Ledger<CounterRecord>
  let traces: Ledger<TraceRecord>

  init(folder: String) {
    suites = Ledger(path: folder + "/suites.csv")
    tries = Ledger(path: folder + "/tries.csv")
    counters = Ledger(path: folder + "/counters.csv")
    traces = Ledger(path: folder + "/traces.csv")
  }
}

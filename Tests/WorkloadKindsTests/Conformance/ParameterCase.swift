import Runner
import TestSupport

/// A small case of a kind, with changes that alter its outcome, its content or an exact counter.
///
/// A comparison of results would not notice a change without such an effect.
struct ParameterCase: Sendable {
  /// The parameters, as written in a workload file.
  let parameters: String
  /// Changes of one parameter or setting: `name: value` or `settings.name: value`.
  let changes: [String]
  /// Changes whose purpose is to make the case fail.
  let failures: [String]
  let store: ConformanceStore

  init(
    _ parameters: String,
    _ changes: [String],
    failing failures: [String] = [],
    on store: ConformanceStore = .withHistory
  ) {
    (self.parameters, self.changes, self.failures, self.store) =
      (parameters, changes, failures, store)
  }

  /// The names of the changed parameters and settings.
  var names: Set<String> { Set((changes + failures).map { Self.parts(of: $0).name }) }

  /// Splits a change at its colon.
  static func parts(of change: String) -> (name: String, value: String) {
    let parts = change.split(separator: ":", maxSplits: 1).map(String.init)
    return (parts[0], String(parts.last?.drop { $0 == " " } ?? ""))
  }
}

extension ConformanceBench {
  private static let settingPrefix = "settings."

  /// The changes of a kind's cases that have no visible effect, and errors of unchanged cases.
  static func unseenChanges(of kind: any WorkloadKind.Type, in cases: [ParameterCase]) throws
    -> [String]
  {
    try with(kind) { bench in
      var unseen: [String] = []
      for tried in cases {
        let endings = try Endings(of: tried, on: bench)
        if let cause = try endings.failure() {
          unseen.append("'\(tried.parameters)' fails: \(cause)")
        }
        for change in tried.changes + tried.failures where try !endings.showHere(change) {
          let ending = try endings.inWorker(with: change)
          if case .failed(let cause) = ending.outcome, !tried.failures.contains(change) {
            unseen.append("'\(change)' in '\(tried.parameters)' fails: \(cause)")
          } else if try ending == endings.inWorker() {
            unseen.append("'\(change)' in '\(tried.parameters)' changes nothing")
          }
        }
      }
      return unseen
    }
  }

  /// Every setting of a workload file, with a value that has an effect on small stores.
  private static let settings = [
    "cachePages: 2", "journalMode: delete", "synchronous: full", "pageSize: 1024",
    "walAutocheckpoint: 1", "busyTimeout: 100",
  ]

  /// The settings that neither have an effect on the case nor are refused by the plan.
  static func unfeltSettings(of kind: any WorkloadKind.Type, in parameters: String) throws
    -> [String]
  {
    try with(kind) { bench in
      let endings = try Endings(of: ParameterCase(parameters, []), on: bench)
      return try settings.filter { setting in
        let change = settingPrefix + setting
        if try endings.showHere(change) { return false }
        let ending = try endings.inWorker(with: change)
        guard case .failed(let cause) = ending.outcome else {
          return try ending == endings.inWorker()
        }
        return !cause.contains("has no effect on any case of this file")
      }
    }
  }

  /// The results of a case that a comparison of two runs uses.
  private struct Ending: Equatable {
    var outcome: CaseResult.Outcome
    var digest: String?
    var counters: [String: [[Double]]] = [:]

    var failure: String? { if case .failed(let cause) = outcome { cause } else { nil } }
  }

  /// The results of a case in this process and, if needed, in a worker process.
  ///
  /// A worker counts everything that this process counts. Only a worker counts calls on files, the
  /// only effect of some parameters.
  private final class Endings {
    private let tried: ParameterCase
    private let bench: ConformanceBench
    private let here: Ending
    private var worker: Ending?

    init(of tried: ParameterCase, on bench: ConformanceBench) throws {
      (self.tried, self.bench) = (tried, bench)
      here = try bench.ending(tried, in: InProcessExecutor(kinds: [bench.kind]))
    }

    /// The reason why the unchanged case fails in a worker, which runs only in `make fuzz` or if
    /// the case fails in this process.
    func failure() throws -> String? {
      here.failure == nil && !FuzzSeeds.isThorough ? nil : try inWorker().failure
    }

    /// Whether a change of the case alters its results in this process; `false` in `make fuzz`,
    /// which uses workers.
    func showHere(_ change: String) throws -> Bool {
      guard here.failure == nil, !FuzzSeeds.isThorough else { return false }
      let ending = try bench.ending(tried, change, in: InProcessExecutor(kinds: [bench.kind]))
      return ending.failure == nil && ending != here
    }

    func inWorker() throws -> Ending {
      if let worker { return worker }
      let ending = try inWorker(with: nil)
      worker = ending
      return ending
    }

    func inWorker(with change: String?) throws -> Ending {
      try bench.ending(tried, change, in: WorkerProcess(executable: ConformanceBench.program))
    }
  }

  /// Runs the case as `run` does, with at most one change.
  private func ending(
    _ tried: ParameterCase,
    _ change: String? = nil,
    in executor: any TrialExecutor
  ) throws -> Ending {
    let (name, value) = change.map { ParameterCase.parts(of: $0) } ?? ("", "")
    let isSetting = name.hasPrefix(Self.settingPrefix)
    let path = try workload(
      tried.parameters,
      on: tried.store,
      settings: isSetting ? "\(name.dropFirst(Self.settingPrefix.count)): \(value)" : nil
    )
    var overrides = Overrides(trials: 1)
    if change != nil, !isSetting {
      overrides.parameters = [Overrides.Parameter(name: name, yaml: value)]
    }
    let plan: Plan
    do {
      plan = try Plan(paths: [path], kinds: [kind], overrides: overrides)
    } catch {
      return Ending(outcome: .failed("\(error)"))
    }
    let document = try run(plan, in: executor)
    guard let result = document.workloads.first?.cases.first else {
      return Ending(outcome: .failed("the plan has no case"))
    }
    let isConcurrent = plan.workloads.contains { $0.cases.contains(where: \.traits.isConcurrent) }
    let counters = result.samples.filter { sample in
      sample.metric.isExact || isConcurrent && Self.repeating.contains(sample.metric.name)
    }
    return Ending(
      outcome: result.outcome,
      digest: result.digest,
      counters: Dictionary(counters.map { ($0.metric.name, $0.trials) }) { $1 }
    )
  }

  /// Counters that repeat in a case with concurrent processes, although it declares no counter
  /// exact.
  private static let repeating: Set = [
    "objects.saveStatements", "objects.updated", "detection.bytes", "history.purged",
  ]
}

import Basics
import Foundation
import PersistentStore
import Runner
import SQLite
import Synchronization

/// Checks the guarantees that every workload kind must give, using the cases of a workload file.
///
/// A kind that passes documents its parameters and metrics, verifies its outcome, repeats its exact
/// counters, detects wrong outcomes, and leaves nothing behind if a run is interrupted.
///
/// ```swift
/// let check = try KindCheck(workload: "Workloads/flag.yaml", kinds: [FlagTasks.self])
/// for finding in try check.findings() { print(finding) }
/// ```
public struct KindCheck {
  /// The maximum number of wrong outcomes to inject; outcomes that cannot occur in the store are
  /// skipped.
  static let mostMutations = 5
  /// The number of errors to inject at different locations; a read-only kind must detect at least
  /// one of them.
  private static let mostPlaces = 40
  private static let mutationSeed: UInt64 = 3

  private let plan: Plan
  private let shortPlan: Plan
  private let folder: String
  let path: String

  /// Reads the workload file; stores are generated and copied in the work folder.
  ///
  /// - Throws: An error with all problems of the file, each with its line.
  public init(
    workload path: String,
    kinds: [any WorkloadKind.Type],
    workFolder: String = ".storebench"
  ) throws {
    plan = try Plan(paths: [path], kinds: kinds, overrides: Overrides(trials: 2))
    shortPlan = try Plan(paths: [path], kinds: kinds, overrides: Overrides(trials: 1))
    folder = workFolder
    self.path = path
  }

  /// The problems of the kinds, one sentence each; empty if there are none.
  ///
  /// Each case runs about ten times, each time on a copy of its store. A read-only case that
  /// detects no injected error runs about forty more times.
  ///
  /// - Throws: An error if a store cannot be made or a copy cannot be written.
  public func findings() throws -> [String] {
    try kinds.flatMap { undocumented($0) } + repetition() + missedMutations().findings
      + interruption()
  }

  /// The kinds of the cases, without duplicates.
  package var kinds: [any WorkloadKind.Type] {
    var kinds: [any WorkloadKind.Type] = []
    for kind in plan.workloads.map(\.file.kind) where !kinds.contains(where: { $0 == kind }) {
      kinds.append(kind)
    }
    return kinds
  }

  /// The problems with a kind's documentation of its parameters and metrics.
  package func undocumented(_ kind: any WorkloadKind.Type) -> [String] {
    let axes = kind.axes
    let metrics = Metric.catalogue + kind.metrics
    var findings: [String] = []
    if kind.description.summary.isEmpty {
      findings.append("the kind '\(kind.name)' has no summary")
    }
    if Set(axes.map(\.name)).count < axes.count {
      findings.append("two parameters of '\(kind.name)' have the same name")
    }
    findings += axes.filter(\.summary.isEmpty).map { "the parameter '\($0.name)' has no summary" }
    if Set(metrics.map(\.name)).count < metrics.count {
      findings.append("two metrics of '\(kind.name)' have the same name")
    }
    findings += metrics.filter { $0.description.isEmpty }.map {
      "the metric '\($0.name)' has no description"
    }
    return findings
  }

  /// Runs all cases twice, and reports failed cases, undeclared metrics, and differences between
  /// the two runs.
  package func repetition() throws -> [String] {
    let (first, second) = (try run(), try run())
    var findings = first.failedCases.map { "\($0.id): \($0.outcome.cause)" }
    if first.cases.isEmpty { findings.append("the workload has no case") }
    for (id, ending) in Self.endings(of: first) where ending != Self.endings(of: second)[id] {
      findings.append("\(id): a second run has a different outcome or different counters")
    }
    for result in first.cases {
      let unequal = result.unequalCounters(trials: 2)
      findings += unequal.map { "\(result.id): '\($0)' differs between trials" }
    }
    return findings
  }

  /// Injects wrong outcomes (errors in the data); returns the number of injected errors, and a
  /// finding for each error that the cases missed.
  ///
  /// A read-only kind may miss errors in data that it does not read, but must detect at least one.
  package func missedMutations() throws -> (occurred: Int, findings: [String]) {
    var (occurred, missed) = (0, [String]())
    for mutation in StoreMutation.common where occurred < Self.mostMutations {
      guard let isCaught = try catches(mutation, seed: Self.mutationSeed) else { continue }
      occurred += 1
      if !isCaught { missed.append(mutation.description) }
    }
    guard occurred > 0 else {
      return (0, ["no wrong outcome can occur in the store: use a larger one"])
    }
    if onlyReads, try missed.count < occurred || findsOneElsewhere() { missed = [] }
    return (occurred, missed.map { "its verification misses an injected fault: \($0)" })
  }

  /// Whether the cases detect at least one of many errors, each injected at a different location.
  ///
  /// Each error is in a single table, which a kind does not necessarily read.
  private func findsOneElsewhere() throws -> Bool {
    let mutations = StoreMutation.common
    return try (1...Self.mostPlaces).contains { place in
      let mutation = mutations[place % mutations.count]
      return try catches(mutation, seed: Self.mutationSeed + UInt64(place)) == true
    }
  }

  /// Whether every case detects an injected error; `nil` if the error cannot be injected into the
  /// store.
  private func catches(_ mutation: StoreMutation, seed: UInt64) throws -> Bool? {
    let executor = MutatingExecutor(kinds: kinds, mutation: mutation, seed: seed)
    _ = try run(shortPlan, executor)
    return executor.isCaught
  }

  /// Interrupts a run, runs the cases again, and reports differences from an uninterrupted run.
  package func interruption() throws -> [String] {
    let before = try fingerprints()
    let expected = Self.endings(of: try run())
    let stop = StopFlag()
    do {
      _ = try run(
        isStopped: { stop.isSet },
        events: { event in
          if case .trialFinished = event { stop.set() }
        }
      )
      return ["a run does not stop when it is asked to"]
    } catch let error where error.isInterruption {
      var findings: [String] = []
      if try fingerprints() != before { findings.append("an interrupted run changes its store") }
      if Self.endings(of: try run()) != expected {
        findings.append(
          "after an interruption, a run has a different outcome or different counters"
        )
      }
      return findings
    }
  }

  // MARK: Runs

  private var onlyReads: Bool { plan.workloads.flatMap(\.cases).allSatisfy(\.traits.onlyReads) }

  private func fingerprints() throws -> [String] {
    try plan.workloads.compactMap { workload in
      guard case .file(let path, _) = workload.file.store else { return nil }
      return try StoreFingerprint.digest(of: path)
    }
  }

  /// The results that must be the same in every run (outcome, content and exact counters), by case.
  private static func endings(of document: ResultDocument) -> [String: [String]] {
    Dictionary(
      keepingFirst: document.cases.map { result in
        let exact = result.exactSamples.map { "\($0.metric.name) \($0.trials)" }
        return (result.id, ["\(result.outcome)", result.digest ?? "none"] + exact)
      }
    )
  }

  func run(
    _ plan: Plan? = nil,
    _ executor: (any TrialExecutor)? = nil,
    isStopped: @escaping @Sendable () -> Bool = { false },
    events: @escaping (RunEvent) -> Void = { _ in }
  ) throws -> ResultDocument {
    let scratch = try ScratchFolder(in: folder + "/work")
    defer { scratch.remove() }
    return try Run(
      plan: plan ?? self.plan,
      environment: EnvironmentProbe.read(
        workFolder: scratch.path,
        codeFolder: nil,
        startedAt: Date.now.formatted(.iso8601)
      ),
      stores: StoreLibrary(cacheFolder: folder + "/stores"),
      executor: executor ?? InProcessExecutor(kinds: kinds),
      scratch: scratch,
      isProfiled: false,
      isStopped: isStopped,
      events: events
    ).perform()
  }
}

extension ResultDocument {
  fileprivate var cases: [CaseResult] { workloads.flatMap(\.cases) }
}

extension CaseResult.Outcome {
  fileprivate var cause: String {
    switch self {
    case .passed: "passed"
    case .failedAsExpected(let cause), .failed(let cause): cause
    }
  }
}

/// Runs a case with an injected error: before the work if the kind only reads, otherwise between
/// the work and its verification.
private final class MutatingExecutor: TrialExecutor {
  private let kinds: [any WorkloadKind.Type]
  private let mutation: StoreMutation
  private let seed: UInt64
  private let verdict = Mutex<Bool?>(nil)

  init(kinds: [any WorkloadKind.Type], mutation: StoreMutation, seed: UInt64) {
    (self.kinds, self.mutation, self.seed) = (kinds, mutation, seed)
  }

  var isCaught: Bool? { verdict.withLock { $0 } }

  func execute(_ request: TrialRequest, within limits: TrialLimits) throws -> TrialResponse {
    guard request.task == .measure, let kind = kinds.first(where: { $0.name == request.kind })
    else { return try InProcessExecutor(kinds: kinds).execute(request, within: limits) }
    return try perform(kind, request)
  }

  private func perform<Kind: WorkloadKind>(
    _ kind: Kind.Type,
    _ request: TrialRequest
  ) throws -> TrialResponse {
    let workload = kind.init(parameters: request.parameters)
    let onlyReads = workload.traits.onlyReads
    let trial = request.trial
    var isApplied = false
    do {
      if onlyReads { isApplied = try apply(to: trial.store) }
      let session = try workload.prepare(trial)
      let recorder = Recorder(now: { 0 })
      _ = recorder.begin()
      try workload.run(session, recorder)
      if !onlyReads { isApplied = try apply(to: trial.store) }
      let found = try workload.verify(session, trial)
      if isApplied { verdict.withLock { $0 = false } }
      return TrialResponse(outcome: .passed(found))
    } catch {
      if isApplied { verdict.withLock { $0 = $0 ?? true } }
      return TrialResponse(outcome: .failed("\(error)"))
    }
  }

  private func apply(to store: StoreFile) throws -> Bool {
    let layout = try PersistentStore.open(store, mode: .readOnly).layout
    return try mutation.apply(to: store, layout: layout, seed: seed)
  }
}

private final class StopFlag: Sendable {
  private let flag = Mutex(false)

  var isSet: Bool { flag.withLock { $0 } }
  func set() { flag.withLock { $0 = true } }
}

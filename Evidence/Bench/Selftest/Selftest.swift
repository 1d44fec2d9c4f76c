import Basics
import Compare
import Foundation
import Runner

/// Checks the specification of live comparisons on this machine.
///
/// It runs A/A tests, injects slow-downs of a known size, and injects changes that counters must
/// show.
final class Selftest {
  typealias Progress = (String) -> Void

  /// The injected slow-downs as shares of time; the largest come first.
  static let slowDowns = [0.1, 0.05, 0.02, 0.01]
  /// The time limit of one injected slow-down, in seconds.
  private static let longestTry = 60.0

  private let micro: [LiveCase]
  private let counters: PlantedCounters
  private let runner: LiveRunner
  private let policy = LivePolicy()
  private let seed: UInt64
  private let isStopped: @Sendable () -> Bool
  private let progress: Progress
  private var report: SelftestReport
  private var scatters: [Double] = []

  init(
    folder: String,
    kinds: [any WorkloadKind.Type],
    executable: String,
    provider: any StoreProvider,
    scratch: ScratchFolder,
    seed: UInt64,
    isStopped: @escaping @Sendable () -> Bool = { false },
    progress: @escaping Progress = { _ in }
  ) throws {
    let worker = LiveWorker(name: "itself", executable: executable)
    let side = LiveSide(plan: try Plan(paths: [folder + "/micro"], kinds: kinds), worker: worker)
    micro = try LiveMatching(base: side, head: side).cases
    counters = PlantedCounters(
      plan: try Plan(paths: [folder + "/planted"], kinds: kinds),
      worker: worker,
      stores: LiveStores(provider: provider, scratch: scratch, isStopped: isStopped),
      isStopped: isStopped
    )
    runner = LiveRunner(provider: provider, scratch: scratch, isStopped: isStopped)
    self.seed = seed
    self.isStopped = isStopped
    self.progress = progress
    report = SelftestReport(
      suiteLevel: policy.suiteLevel,
      casesPerSuite: micro.count,
      slowed: Self.slowDowns
    )
  }

  /// Checks the counters, then compares cases until the time is up; if stopped, returns the results
  /// up to then.
  func perform(seconds: Double) throws -> SelftestReport {
    let start = MonotonicClock.seconds()
    let end = start + seconds
    for planted in counters.all where !isStopped() {
      progress("counting: \(planted.words)")
      report.planted.append(try counters.look(for: planted))
    }
    var rounds = 0
    // Half of the time goes to A/A tests.
    var (equal, slowed) = (0.0, 0.0)
    while MonotonicClock.seconds() < end, !isStopped() {
      let began = MonotonicClock.seconds()
      if equal < slowed {
        try compareEqual(until: end)
        equal += MonotonicClock.seconds() - began
      } else {
        try plant(rounds, until: end)
        rounds += 1
        slowed += MonotonicClock.seconds() - began
      }
    }
    report.scatter = Summary(of: scatters)?.p50
    report.seconds = MonotonicClock.seconds() - start
    report.isInterrupted = isStopped()
    return report
  }

  private func compareEqual(until end: Double) throws {
    progress("comparing \(micro.count) cases with themselves, suite \(report.suites + 1)")
    let longest = Self.longestTry * Double(micro.count)
    let left = max(end - MonotonicClock.seconds(), 1)
    let suite = LiveSuite(
      cases: micro,
      policy: policy,
      slicing: .micro,
      budget: min(longest, left),
      seed: seed &+ UInt64(report.suites)
    )
    let result = try runner.compare(suite)
    let isCut = left < longest || result.isInterrupted
    let counted = result.cases.filter { report.null.take($0, isCut: isCut) }
    note(result)
    scatters += result.cases.compactMap(\.scatter)
    takeBlockTime(of: result)
    // A suite that the time limit cut short had less time to raise an alarm, so it is not counted.
    guard counted.count == micro.count else { return }
    report.suites += 1
    if counted.contains(where: \.hasChanged) { report.suitesWithAlarm += 1 }
  }

  private func plant(_ round: Int, until end: Double) throws {
    var alone = policy
    // Give each case the significance level that it has in a suite of all micro cases.
    alone.suiteLevel /= Double(micro.count)
    for (index, tries) in report.slowed.enumerated() {
      let left = end - MonotonicClock.seconds()
      guard !isStopped(), left > 0 else { return }
      progress("injecting \(Int(tries.planted * 100)) % more time, attempt \(tries.count + 1)")
      var slowed = micro[(round * 7 + index) % micro.count]
      slowed.head.slowdown = tries.planted
      let suite = LiveSuite(
        cases: [slowed],
        policy: alone,
        slicing: .micro,
        budget: min(Self.longestTry, left),
        seed: seed &+ UInt64(1000 + round)
      )
      let result = try runner.compare(suite)
      note(result)
      for found in result.cases {
        _ = report.slowed[index].take(found, isCut: left < Self.longestTry || result.isInterrupted)
      }
    }
  }

  private func takeBlockTime(of result: LiveResult) {
    let blocks = result.cases.reduce(0) { $0 + $1.blocks.count }
    if blocks > 0 { report.blockSeconds = result.seconds / Double(blocks) }
  }

  private func note(_ result: LiveResult) {
    for found in result.cases {
      guard case .failed(let cause) = found.finding, report.failures.count < 5 else { continue }
      report.failures.append("\(found.id): \(cause)")
    }
  }
}

extension SelftestReport.Tries {
  /// Counts the verdict on a case; returns whether it was counted.
  ///
  /// A failed case is not counted, nor is an undecided case that the time limit cut short.
  fileprivate mutating func take(_ found: LiveCaseResult, isCut: Bool) -> Bool {
    guard let verdict = found.verdict, verdict.isDecided || !isCut else { return false }
    count += 1
    seconds += found.seconds
    if found.hasChanged { changed += 1 }
    if !verdict.isDecided { undecided += 1 }
    return true
  }
}

extension LiveCaseResult {
  fileprivate var hasChanged: Bool {
    if case .changed? = verdict { true } else { false }
  }
}

extension Selftest {
  /// Injected changes of work that exact counters must show.
  ///
  /// Each change is a workload file: its first case is the base, its second case the head. Because
  /// exact counters repeat, one trial per side is enough.
  struct PlantedCounters {
    private let plan: Plan
    private let worker: LiveWorker
    private let stores: LiveStores
    private let executor: WorkerProcess

    init(
      plan: Plan,
      worker: LiveWorker,
      stores: LiveStores,
      isStopped: @escaping @Sendable () -> Bool
    ) {
      self.plan = plan
      self.worker = worker
      self.stores = stores
      executor = WorkerProcess(executable: worker.executable, isStopped: isStopped)
    }

    var all: [SelftestReport.Planted] {
      plan.workloads.map { workload in
        SelftestReport.Planted(name: workload.file.name, words: Self.words(of: workload.file))
      }
    }

    func look(for planted: SelftestReport.Planted) throws -> SelftestReport.Planted {
      var planted = planted
      guard let workload = plan.workloads.first(where: { $0.file.name == planted.name }),
        workload.cases.count == 2
      else {
        planted.failure = "its workload file must have two cases"
        return planted
      }
      do {
        let arms = workload.cases.map { LiveArm(file: workload.file, planned: $0, worker: worker) }
        let base = try costs(of: arms[0], padding: 0)
        planted.repeats = try costs(of: arms[0], padding: 1711) == base
        let head = try costs(of: arms[1], padding: 0)
        let risen = head.filter { name, taken in taken.value > (base[name]?.value ?? 0) }
        let growth = { (taken: TakenMeasurement) in
          taken.value / max(base[taken.name]?.value ?? 0, 1)
        }
        let largest = risen.values.max { (growth($0), $1.name) < (growth($1), $0.name) }
        if let largest {
          planted.metric = largest.metric
          planted.base = base[largest.name]?.value ?? 0
          planted.head = largest.value
        }
      } catch LiveError.failed(let cause) {
        planted.failure = cause
      }
      return planted
    }

    private func costs(of arm: LiveArm, padding: Int) throws -> [String: TakenMeasurement] {
      let request = TrialRequest(
        kind: arm.file.kind.name,
        parameters: arm.planned.allParameters,
        trial: try stores.trial(of: arm, at: .first)
      )
      let limits = TrialLimits(time: arm.file.trials.timeLimit, environmentPadding: padding)
      let response = try executor.execute(request, within: limits)
      if case .failed(let cause) = response.outcome { throw LiveError.failed(cause) }
      let exact = (response.iterations.first ?? []).filter { $0.isExact && $0.direction == .cost }
      return Dictionary(exact.map { ($0.name, $0) }) { first, _ in first }
    }

    /// Returns the first sentence of the comment at the beginning of a workload file.
    private static func words(of file: WorkloadFile) -> String {
      let text = (try? String(contentsOfFile: file.path, encoding: .utf8)) ?? ""
      let comment = text.split(separator: "\n").prefix { $0.hasPrefix("#") }
        .map { $0.drop { "# ".contains($0) } }.joined(separator: " ")
      return comment.split(separator: ".").first.map(String.init) ?? file.name
    }
  }
}

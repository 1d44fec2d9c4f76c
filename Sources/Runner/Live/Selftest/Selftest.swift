import Measurement

/// Puts the promise of a live comparison to the test on this machine: things compared with
/// themselves, slow-downs of a known size, and planted changes that counters must show.
package final class Selftest {
  /// What it tells while it goes on, in a few words.
  package typealias Progress = (String) -> Void

  /// Shares of time that are planted, the ones that must be found first.
  package static let slowDowns = [0.1, 0.05, 0.02, 0.01]
  /// Seconds that one planted slow-down may take.
  private static let longestTry = 60.0

  private let micro: [LiveCase]
  private let counters: PlantedCounters
  private let runner: LiveRunner
  private let policy = LivePolicy()
  private let seed: UInt64
  private let isStopped: @Sendable () -> Bool
  private let progress: Progress
  private var report: SelftestReport

  /// Reads the micro cases and the planted changes below a folder.
  ///
  /// - Throws: ``RunnerError`` for what cannot be planned.
  package init(
    folder: String,
    kinds: [any Workload.Type],
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

  /// Looks for the planted counters, then compares until about so many seconds are spent.
  ///
  /// When told to stop it gives what there is.
  package func perform(seconds: Double) throws -> SelftestReport {
    let start = Self.seconds()
    for planted in counters.all where !isStopped() {
      progress("counting: \(planted.words)")
      report.planted.append(try counters.look(for: planted))
    }
    var round = 0
    var scatters: [Double] = []
    while Self.seconds() - start < seconds, !isStopped() {
      // Half of the time is for things that are equal.
      let slowed = report.slowed.reduce(0) { $0 + $1.seconds }
      if report.null.seconds <= slowed {
        scatters += try compareEqual()
      } else {
        try plant(round, until: start + seconds)
        round += 1
      }
    }
    report.scatter = Summary(of: scatters)?.p50
    report.seconds = Self.seconds() - start
    report.isInterrupted = isStopped()
    return report
  }

  /// One suite of cases that do the same on both sides; returns how their blocks scatter.
  private func compareEqual() throws -> [Double] {
    progress("comparing \(micro.count) cases with themselves, suite \(report.suites + 1)")
    let suite = LiveSuite(
      cases: micro,
      policy: policy,
      slicing: .micro,
      budget: Self.longestTry * Double(micro.count),
      seed: seed &+ UInt64(report.suites)
    )
    let result = try runner.compare(suite)
    guard !result.isInterrupted else { return [] }
    report.suites += 1
    var hasAlarm = false
    for found in result.cases {
      guard let verdict = found.verdict else {
        note(found)
        continue
      }
      hasAlarm = report.null.take(verdict, seconds: found.seconds) || hasAlarm
    }
    if hasAlarm { report.suitesWithAlarm += 1 }
    takeBlockTime(of: result)
    return result.cases.compactMap(\.scatter)
  }

  /// One try of each slow-down, on another case in each round.
  private func plant(_ round: Int, until end: Double) throws {
    var alone = policy
    // The level of a case in a suite of them all.
    alone.suiteLevel /= Double(micro.count)
    for (index, tries) in report.slowed.enumerated() {
      guard !isStopped(), Self.seconds() < end else { return }
      progress("planting \(Int(tries.planted * 100)) % more time, try \(tries.count + 1)")
      var slowed = micro[(round * 7 + index) % micro.count]
      slowed.head.slowdown = tries.planted
      let suite = LiveSuite(
        cases: [slowed],
        policy: alone,
        slicing: .micro,
        budget: Self.longestTry,
        seed: seed &+ UInt64(1000 + round)
      )
      let result = try runner.compare(suite)
      guard !result.isInterrupted, let found = result.cases.first else { return }
      guard let verdict = found.verdict else {
        note(found)
        continue
      }
      _ = report.slowed[index].take(verdict, seconds: found.seconds)
    }
  }

  private func takeBlockTime(of result: LiveResult) {
    let blocks = result.cases.reduce(0) { $0 + $1.blocks.count }
    if blocks > 0 { report.blockSeconds = result.seconds / Double(blocks) }
  }

  private func note(_ found: LiveCaseResult) {
    guard case .failed(let cause) = found.finding, report.failures.count < 5 else { return }
    report.failures.append("\(found.id): \(cause)")
  }

  private static func seconds() -> Double { Double(MonotonicClock.now()) / 1e9 }
}

extension SelftestReport.Tries {
  /// Counts a verdict; returns whether it says that something changed.
  fileprivate mutating func take(_ verdict: LiveVerdict, seconds: Double) -> Bool {
    count += 1
    self.seconds += seconds
    switch verdict {
    case .changed:
      changed += 1
      return true
    case .unchanged: return false
    case .cannotTell:
      undecided += 1
      return false
    }
  }
}

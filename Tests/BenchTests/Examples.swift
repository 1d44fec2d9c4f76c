import Runner

@testable import bench

extension Conditions {
  static let example = Conditions(commit: "abc", hasOtherLoad: false, loadAverage: 0.5, seed: 7)
  static let loaded = Conditions(commit: "abc", hasOtherLoad: true, loadAverage: 2.5, seed: 8)
}

extension SuiteRecord {
  static func example(changed: Int, _ conditions: Conditions = .example) -> SuiteRecord {
    SuiteRecord(
      conditions: conditions,
      cases: 20,
      failed: 1,
      changed: changed,
      unchanged: 18 - changed,
      undecided: 1,
      blocks: 240,
      seconds: 14.25,
      scatter: 0.0081,
      alarms: changed == 0 ? "" : "a b"
    )
  }
}

extension TryRecord {
  static let example = TryRecord(
    conditions: .example,
    planted: 0.05,
    id: "rows/limit=1050",
    verdict: .slower,
    median: 0.0497,
    lower: 0.03,
    upper: 0.07,
    blocks: 18,
    seconds: 5.5
  )
}

extension CounterRecord {
  static let example = CounterRecord(
    conditions: .example,
    planted: "selftest/planted/syncs",
    isFound: true,
    repeats: true,
    metric: "vfs.syncs",
    base: 2,
    head: 52,
    seconds: 0.25
  )
}

extension TraceRecord {
  static func example(_ layout: TraceRunner.Layout) -> TraceRecord {
    let base = (0..<20).map { 20_000 + Double($0 * 7 % 5) * 10 }
    return TraceRecord(
      conditions: .example,
      id: "lists/limit=20",
      layout: layout,
      seconds: 1.5,
      isHeadFirst: (0..<20).map { $0.isMultiple(of: 3) },
      base: base,
      head: base.reversed()
    )
  }
}

import Compare
import Foundation
import Runner

@testable import bench

extension Conditions {
  static let example = Conditions(commit: "abc", hasOtherLoad: false, loadAverage: 0.5, seed: 7)
  static let loaded = Conditions(commit: "abc", hasOtherLoad: true, loadAverage: 2.5, seed: 8)
}

extension Circumstances {
  static let example = Circumstances(revision: "0123456789", others: 0.05, seed: 7)
  static let loaded = Circumstances(
    revision: "0123456789",
    isPlannedLoad: true,
    others: 0.9,
    seed: 8
  )

  func of(_ cell: TruthCell) -> Circumstances {
    var other = self
    other.cell = cell
    return other
  }
}

extension ProductRecord {
  static func example(changed: Int, _ circumstances: Circumstances = .example) -> ProductRecord {
    ProductRecord(
      circumstances: circumstances,
      cases: 4,
      couldAlarm: 4,
      changed: changed,
      undecided: 1,
      blocks: 60,
      seconds: 14.25,
      alarms: changed == 0 ? "" : "a b"
    )
  }
}

extension NullRecord {
  static func example(wealth: Double, _ circumstances: Circumstances = .example) -> NullRecord {
    NullRecord(
      circumstances: circumstances,
      id: "truth/warm",
      blocks: 40,
      logWealth: log(wealth),
      seconds: 9.5,
      logRatios: (0..<40).map { Double($0 % 5 - 2) / 1000 }
    )
  }
}

extension PowerRecord {
  static func example(
    _ verdict: Verdict = .slower,
    planted: Double = 0.05,
    _ circumstances: Circumstances = .example
  ) -> PowerRecord {
    PowerRecord(
      circumstances: circumstances,
      planted: planted,
      id: "truth/warm/limit=1050",
      verdict: verdict,
      median: 0.0497,
      blocks: 18,
      seconds: 6,
      missing: verdict == .cannotTell ? 114 : 0
    )
  }
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

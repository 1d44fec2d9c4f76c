import Runner

/// What other rules say of the same samples, beside ours.
struct RuleSection {
  private typealias Sides = (base: [Double], head: [Double])

  private static var rules: [any Rule.Type] {
    [
      SymmetryRule.self, WelchTest.self, MannWhitneyTest.self, TangoRule.self,
      PercentileThresholds.self,
    ]
  }
  private static let planted = 1.05

  private let samples: [[Sides]]
  private let count: Int
  private let table = TextTable(first: 32, widths: [8, 8, 8, 8, 8, 8])

  init(_ records: [TraceRecord]) {
    let contiguous = records.filter { $0.layout == .contiguous }
    let lockstep = records.filter { $0.layout == .lockstep }
    count = min(contiguous.count, lockstep.count)
    // The sides are equal, so the first half of a run in time may stand for one of them.
    let apart = contiguous.map { record -> Sides in
      let times = record.inTime
      return (Array(times.prefix(times.count / 2)), Array(times.suffix(times.count / 2)))
    }
    samples = [
      apart, contiguous.map { ($0.base, $0.head) }, lockstep.map { ($0.base, $0.head) },
    ]
  }

  var lines: [String] {
    [
      "Rules on the same samples: shares of \(count) runs of 20 blocks a layout in which a",
      "rule calls equal sides changed (null), or finds 5 % added to the head (+5 %).",
      table.line("", ["sides", "", "trials", "", "slices", ""]),
      table.line("", ["apart", "", "in turn", "", "in turn", ""]),
      table.line("", ["null", "+5 %", "null", "+5 %", "null", "+5 %"]),
    ]
      + Self.rules.flatMap { rule in
        [line(rule, "at the end", rule.claimAtEnd), line(rule, "each block", rule.firstClaim)]
      }
  }

  private func line(
    _ rule: any Rule.Type,
    _ moment: String,
    _ claim: ([Double], [Double]) -> Claim
  ) -> String {
    let cells = samples.flatMap { sides -> [String] in
      guard !sides.isEmpty else { return ["-", "-"] }
      let alarms = sides.count { claim($0.base, $0.head) != .none }
      let found = sides.count { claim($0.base, $0.head.map { $0 * Self.planted }) == .slower }
      return [alarms, found].map { Decimals.percent(Double($0) / Double(sides.count)) }
    }
    return table.line("  \(rule.shortName), \(moment)", cells)
  }
}

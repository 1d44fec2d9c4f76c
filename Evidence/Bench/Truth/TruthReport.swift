import Basics
import Runner

struct TruthReport {
  let lines: [String]

  init(_ ledgers: TruthLedgers) throws {
    lines =
      try EvidenceReport(ledgers).lines + [""]
      + Self.counters(try ledgers.counters.records()) + [""]
      + Self.rules(try ledgers.traces.records())
  }

  static func table(first: Int, _ widths: Int...) -> TextTable {
    TextTable([.left("", first)] + widths.map { .right("", $0 - 1) }, overflow: .widen)
  }

  static func counters(_ records: [CounterRecord]) -> [String] {
    let table = table(first: 30, 7, 7, 15, 20)
    func line(_ name: String, _ records: [CounterRecord]) -> String {
      // Ignore a counter that varies between runs, because it proves nothing.
      let found = records.count { $0.isFound && $0.repeats }
      let metric = Set(records.map(\.metric)).count == 1 ? records.first?.metric ?? "" : ""
      let bounds = RateInterval(hits: found, of: records.count).shares
      return table.line(["  " + name, "\(records.count)", "\(found)", bounds, metric])
    }
    return [
      "Injected regressions that counters must show",
      table.line(["", "tries", "found", "95 % bounds", "largest growth"]),
    ]
      + Set(records.map(\.planted)).sorted().map { name in
        line(name, records.filter { $0.planted == name })
      } + [line("all", records)]
  }

  static func rules(_ records: [TraceRecord]) -> [String] {
    typealias Sides = (base: [Double], head: [Double])
    let rules: [any Rule.Type] = [
      SymmetryRule.self, EqualWelchTest.self, WelchTest.self, MannWhitneyTest.self, TangoRule.self,
      PercentileThresholds.self,
    ]
    let planted = 1.05
    let contiguous = records.filter { $0.layout == .contiguous }
    let lockstep = records.filter { $0.layout == .lockstep }
    // Both sides run the same code, so use the first half of the times as the base and the second
    // half as the head.
    let apart = contiguous.map { record -> Sides in
      let times = record.inTime
      return (Array(times.prefix(times.count / 2)), Array(times.suffix(times.count / 2)))
    }
    let samples: [[Sides]] = [
      apart, contiguous.map { ($0.base, $0.head) }, lockstep.map { ($0.base, $0.head) },
    ]
    let table = table(first: 32, 8, 8, 8, 8, 8, 8)
    func line(_ name: String, _ claim: ([Double], [Double]) -> Claim) -> String {
      let cells = samples.flatMap { sides -> [String] in
        guard !sides.isEmpty else { return ["-", "-"] }
        let alarms = sides.count { claim($0.base, $0.head) != .none }
        let found = sides.count { claim($0.base, $0.head.map { $0 * planted }) == .slower }
        return [alarms, found].map {
          Figures.percent(Double($0) / Double(sides.count), decimals: 1)
        }
      }
      return table.line(["  " + name] + cells)
    }
    return [
      "Rules on the same samples: shares of \(min(contiguous.count, lockstep.count)) runs of 20 "
        + "blocks per layout in which a",
      "rule reports equal sides as changed (null), or finds a 5 % slower head (+5 %).",
      table.line(["", "sides", "", "trials", "", "slices", ""]),
      table.line(["", "apart", "", "in turn", "", "in turn", ""]),
      table.line(["", "null", "+5 %", "null", "+5 %", "null", "+5 %"]),
    ]
      + rules.flatMap { rule in
        [
          line("\(rule.shortName), at the end", rule.claimAtEnd),
          line("\(rule.shortName), each block", rule.firstClaim),
        ]
      }
  }
}

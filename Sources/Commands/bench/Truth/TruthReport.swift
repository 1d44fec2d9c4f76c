import Basics
import Measurement
import Runner

/// The tables of all that the ledgers hold.
struct TruthReport {
  let lines: [String]

  init(_ ledgers: TruthLedgers) throws {
    lines = [
      Self.alarms(try ledgers.suites.records()), Self.power(try ledgers.tries.records()),
      Self.counters(try ledgers.counters.records()), Self.rules(try ledgers.traces.records()),
    ].joined(separator: [""]).map { $0 }
  }

  /// A column of names to the left, the others to the right.
  static func table(first: Int, _ widths: Int...) -> TextTable {
    TextTable([.left("", first)] + widths.map { .right("", $0 - 1) }, overflow: .widen)
  }

  /// False alarms of whole suites of cases compared with themselves.
  static func alarms(_ records: [SuiteRecord]) -> [String] {
    let table = table(first: 13, 7, 8, 13, 8, 8, 13, 10)
    func line(_ name: String, _ records: [SuiteRecord]) -> String {
      let suites = records.count { $0.changed > 0 }
      let cases = records.reduce(0) { $0 + $1.cases - $1.failed }
      let changed = records.reduce(0) { $0 + $1.changed }
      return table.line([
        "  " + name, "\(records.count)", "\(suites)",
        RateInterval(hits: suites, of: records.count).text, "\(cases)", "\(changed)",
        RateInterval(hits: changed, of: cases).text, "\(records.reduce(0) { $0 + $1.undecided })",
      ])
    }
    return [
      "False alarms, live: suites of cases compared with themselves by the tool's own",
      "procedure, some fifteen seconds a suite. Promised: an alarm in 0.5 % of them.",
      table.line([
        "", "suites", "alarms", "95 % bounds", "cases", "alarms", "95 % bounds", "undecided",
      ]),
      line("quiet", records.filter { !$0.conditions.hasOtherLoad }),
      line("other load", records.filter(\.conditions.hasOtherLoad)),
      line("all", records),
    ] + usage(records)
  }

  private static func usage(_ records: [SuiteRecord]) -> [String] {
    let cases = Double(records.reduce(0) { $0 + $1.cases })
    let blocks = Double(records.reduce(0) { $0 + $1.blocks })
    let seconds = records.reduce(0) { $0 + $1.seconds }
    guard cases > 0, blocks > 0 else { return [] }
    let failed = records.reduce(0) { $0 + $1.failed }
    return [
      "  A comparison took \(Figures.plain(blocks / cases, decimals: 1)) blocks and"
        + " \(Figures.plain(seconds / cases, decimals: 2)) s; blocks scatter by"
        + " \(Figures.percent(records.map(\.scatter).median, decimals: 1)); \(failed) failed."
    ]
  }

  /// Planted slow-downs that were found.
  static func power(_ records: [TryRecord]) -> [String] {
    let table = table(first: 24, 6, 7, 15, 9, 9, 9)
    func line(_ name: String, _ records: [TryRecord]) -> String {
      let found = records.count(where: \.isFound)
      return table.line([
        "  " + name, "\(records.count)", "\(found)",
        RateInterval(hits: found, of: records.count).text,
        Figures.plain(records.map { Double($0.blocks) }.median, decimals: 0),
        Figures.plain(records.map(\.seconds).median, decimals: 1),
        Figures.percent(records.map(\.median).median, decimals: 2),
      ])
    }
    let lines = Set(records.map(\.planted)).sorted(by: >).flatMap { share in
      let own = records.filter { $0.planted == share }
      let name = Figures.percent(share, decimals: 0)
      return [
        line(name + ", quiet", own.filter { !$0.conditions.hasOtherLoad }),
        line(name + ", other load", own.filter(\.conditions.hasOtherLoad)),
        line(name + ", all", own),
      ]
    }
    return [
      "Slow-downs planted, live: that share of rows more, a minute a try, at the level",
      "of one case in a suite of twenty. Cannot tell counts as missed.",
      table.line(["", "tries", "found", "95 % bounds", "blocks", "seconds", "median"]),
    ] + lines
  }

  /// Planted changes that counters showed.
  static func counters(_ records: [CounterRecord]) -> [String] {
    let table = table(first: 30, 7, 7, 15, 20)
    func line(_ name: String, _ records: [CounterRecord]) -> String {
      // A counter that does not repeat proves nothing.
      let found = records.count { $0.isFound && $0.repeats }
      let metric = Set(records.map(\.metric)).count == 1 ? records.first?.metric ?? "" : ""
      let bounds = RateInterval(hits: found, of: records.count).text
      return table.line(["  " + name, "\(records.count)", "\(found)", bounds, metric])
    }
    return [
      "Regressions planted that counters must show",
      table.line(["", "tries", "found", "95 % bounds", "largest growth"]),
    ]
      + Set(records.map(\.planted)).sorted().map { name in
        line(name, records.filter { $0.planted == name })
      } + [line("all", records)]
  }

  /// What other rules say of the same samples, beside ours.
  static func rules(_ records: [TraceRecord]) -> [String] {
    typealias Sides = (base: [Double], head: [Double])
    let rules: [any Rule.Type] = [
      SymmetryRule.self, EqualWelchTest.self, WelchTest.self, MannWhitneyTest.self, TangoRule.self,
      PercentileThresholds.self,
    ]
    let planted = 1.05
    let contiguous = records.filter { $0.layout == .contiguous }
    let lockstep = records.filter { $0.layout == .lockstep }
    // The sides are equal, so the first half of a run in time may stand for one of them.
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
      "Rules on the same samples: shares of \(min(contiguous.count, lockstep.count)) runs of"
        + " 20 blocks a layout in which a",
      "rule calls equal sides changed (null), or finds 5 % added to the head (+5 %).",
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

extension RateInterval {
  /// Both bounds, in per cent; a dash where nothing was tried.
  fileprivate var text: String {
    guard lower != 0 || upper != 1 else { return "-" }
    return Figures.plain(lower * 100, decimals: 2) + "-" + Figures.percent(upper, decimals: 2)
  }
}

import Measurement

/// False alarms of whole suites of cases compared with themselves.
struct AlarmSection {
  private let records: [SuiteRecord]
  private let table = TextTable(first: 13, widths: [7, 8, 13, 8, 8, 13, 10])

  init(_ records: [SuiteRecord]) {
    self.records = records
  }

  var lines: [String] {
    [
      "False alarms, live: suites of cases compared with themselves by the tool's own",
      "procedure, some fifteen seconds a suite. Promised: an alarm in 0.5 % of them.",
      table.line(
        "",
        ["suites", "alarms", "95 % bounds", "cases", "alarms", "95 % bounds", "undecided"]
      ),
      line("quiet", records.filter { !$0.conditions.hasOtherLoad }),
      line("other load", records.filter(\.conditions.hasOtherLoad)),
      line("all", records),
    ] + usage
  }

  private func line(_ name: String, _ records: [SuiteRecord]) -> String {
    let suites = records.count { $0.changed > 0 }
    let cases = records.reduce(0) { $0 + $1.cases - $1.failed }
    let changed = records.reduce(0) { $0 + $1.changed }
    return table.line(
      "  " + name,
      [
        "\(records.count)", "\(suites)", RateInterval(hits: suites, of: records.count).text,
        "\(cases)", "\(changed)", RateInterval(hits: changed, of: cases).text,
        "\(records.reduce(0) { $0 + $1.undecided })",
      ]
    )
  }

  private var usage: [String] {
    let cases = records.reduce(0) { $0 + $1.cases }
    let blocks = records.reduce(0) { $0 + $1.blocks }
    let seconds = records.reduce(0) { $0 + $1.seconds }
    guard cases > 0, blocks > 0 else { return [] }
    let scatter = records.map(\.scatter).median
    let failed = records.reduce(0) { $0 + $1.failed }
    return [
      "  A comparison took \(Decimals.text(Double(blocks) / Double(cases), 1)) blocks and"
        + " \(Decimals.text(seconds / Double(cases), 2)) s; blocks scatter by"
        + " \(Decimals.percent(scatter)); \(failed) failed."
    ]
  }
}

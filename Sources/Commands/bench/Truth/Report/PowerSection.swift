import Measurement

/// Planted slow-downs that were found.
struct PowerSection {
  private let records: [TryRecord]
  private let table = TextTable(first: 24, widths: [6, 7, 15, 9, 9, 9])

  init(_ records: [TryRecord]) {
    self.records = records
  }

  var lines: [String] {
    let shares = Set(records.map(\.planted)).sorted(by: >)
    return [
      "Slow-downs planted, live: that share of rows more, a minute a try, at the level",
      "of one case in a suite of twenty. Cannot tell counts as missed.",
      table.line("", ["tries", "found", "95 % bounds", "blocks", "seconds", "median"]),
    ]
      + shares.flatMap { share in
        [false, true].map { hasOtherLoad in
          line(
            Decimals.percent(share, 0) + (hasOtherLoad ? ", other load" : ", quiet"),
            records.filter { $0.planted == share && $0.conditions.hasOtherLoad == hasOtherLoad }
          )
        } + [line(Decimals.percent(share, 0) + ", all", records.filter { $0.planted == share })]
      }
  }

  private func line(_ name: String, _ records: [TryRecord]) -> String {
    let found = records.count(where: \.isFound)
    return table.line(
      "  " + name,
      [
        "\(records.count)", "\(found)", RateInterval(hits: found, of: records.count).text,
        Decimals.text(records.map { Double($0.blocks) }.median, 0),
        Decimals.text(records.map(\.seconds).median, 1),
        Decimals.percent(records.map(\.median).median, 2),
      ]
    )
  }
}

import Measurement

/// Planted changes that counters showed.
struct CounterSection {
  private let records: [CounterRecord]
  private let table = TextTable(first: 30, widths: [7, 7, 15, 20])

  init(_ records: [CounterRecord]) {
    self.records = records
  }

  var lines: [String] {
    let names = Set(records.map(\.planted)).sorted()
    return [
      "Regressions planted that counters must show",
      table.line("", ["tries", "found", "95 % bounds", "largest growth"]),
    ] + names.map { name in line(name, records.filter { $0.planted == name }) }
      + [line("all", records)]
  }

  private func line(_ name: String, _ records: [CounterRecord]) -> String {
    // A counter that does not repeat proves nothing.
    let found = records.count { $0.isFound && $0.repeats }
    let metric = Set(records.map(\.metric)).count == 1 ? records.first?.metric ?? "" : ""
    return table.line(
      "  " + name,
      [
        "\(records.count)", "\(found)", RateInterval(hits: found, of: records.count).text, metric,
      ]
    )
  }
}

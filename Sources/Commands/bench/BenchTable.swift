import Foundation

/// The one table of a run, printed line by line.
struct BenchTable {
  func print(_ text: String) {
    Swift.print(text)
  }

  /// A section: each contestant's objects a second beside the first one's.
  func print(_ results: [Contest.Result], of title: String) {
    let isRace = results.count > 1
    print("")
    print(line(title, "a second", "spread", isRace ? "ratio" : "", isRace ? "spread" : ""))
    for result in results {
      let isFirst = result.name == results.first?.name
      print(
        line(
          "  " + result.name,
          number(Double(result.objects) / result.seconds.median),
          percent(result.seconds.spread),
          isRace ? String(format: "%.2f", result.ratios.median) : "",
          isRace && !isFirst ? percent(result.ratios.spread) : ""
        )
      )
    }
  }

  /// A section with one line: how long a work took.
  func print(title: String, seconds: [Double]) {
    print("")
    print(line(title, "seconds", "spread", "", ""))
    print(
      line(
        "  median of \(seconds.count)",
        String(format: "%.3f", seconds.median),
        percent(seconds.spread),
        "",
        ""
      )
    )
  }

  func print(aim: String) {
    print("")
    print("Ratios are to the first line of their section.")
    print("The aim: \(aim).")
  }

  private func line(_ name: String, _ columns: String...) -> String {
    let widths = [12, 9, 8, 9]
    let cells = zip(columns, widths).map { text, width in
      String(repeating: " ", count: max(0, width - text.count)) + text
    }
    let first = name.padding(toLength: max(40, name.count), withPad: " ", startingAt: 0)
    let whole = first + cells.joined()
    return String(whole.reversed().drop { $0 == " " }.reversed())
  }

  private func number(_ value: Double) -> String {
    let digits = Array(String(Int(value.rounded())))
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return text
  }

  private func percent(_ share: Double) -> String {
    String(format: "%.1f %%", share * 100)
  }
}

import Measurement

/// Lines of columns: the first to the left, the others to the right.
struct TextTable {
  private let first: Int
  private let widths: [Int]

  init(first: Int, widths: [Int]) {
    self.first = first
    self.widths = widths
  }

  func line(_ name: String, _ cells: [String]) -> String {
    let left = name + String(repeating: " ", count: max(0, first - name.count))
    let right = zip(cells, widths).map { text, width in
      String(repeating: " ", count: max(1, width - text.count)) + text
    }
    let line = left + right.joined()
    return String(line.reversed().drop { $0 == " " }.reversed())
  }
}

extension RateInterval {
  /// Both bounds, in per cent; a dash where nothing was tried.
  var text: String {
    lower == 0 && upper == 1
      ? "-" : "\(Decimals.text(lower * 100, 2))-\(Decimals.percent(upper, 2))"
  }
}

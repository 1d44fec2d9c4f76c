import Measurement

/// Where the parameters of a workload's cases stand: above the table, above a group, in columns.
struct ParameterLayout {
  /// Parameters that all cases share, by name.
  private(set) var shared: [(name: String, value: String)] = []
  /// Parameters that head a group of rows, because there is no room for their columns.
  private(set) var grouping: [String] = []
  /// Parameters with a column each, by name.
  private(set) var columns: [String] = []

  private let cases: [CaseResult]
  private let room: Int
  private let gap: Int

  /// No value is cut to less than this.
  private static let leastWidth = 8

  /// Lays out the parameters so that their columns, with `gap` after each, fit a width.
  ///
  /// At least one column stays; its values are cut where it alone is too wide.
  init(of cases: [CaseResult], width: Int, gap: Int) {
    self.cases = cases
    self.gap = gap
    room = width
    for name in Set(cases.flatMap(\.parameters.keys)).sorted() {
      let values = Set(cases.map { $0.parameters[name] })
      if values.count == 1, let value = values.first.flatMap({ $0 }) {
        shared.append((name, value))
      } else {
        columns.append(name)
      }
    }
    while columns.count > 1, totalWidth > room, let next = nextGrouping() {
      columns.removeAll { $0 == next }
      grouping.append(next)
    }
    grouping.sort()
  }

  /// The groups of cases by the grouping parameters, in the order of their first cases.
  var groups: [(heading: String, cases: [Int])] {
    var order: [String] = []
    var members: [String: [Int]] = [:]
    for (index, result) in cases.enumerated() {
      let heading = grouping.compactMap { name in
        result.parameters[name].map { "\(name)=\($0)" }
      }.joined(separator: ", ")
      if members[heading] == nil { order.append(heading) }
      members[heading, default: []].append(index)
    }
    return order.map { ($0, members[$0] ?? []) }
  }

  /// The width of all columns, each with the gap after it.
  var totalWidth: Int { columns.reduce(0) { $0 + width(of: $1) + gap } }

  func width(of column: String) -> Int {
    let widths = ([column] + cases.map { cell(column, of: $0) }).map(TerminalText.width)
    let natural = widths.max() ?? 0
    return columns.count > 1 ? natural : min(natural, max(room - gap, ParameterLayout.leastWidth))
  }

  /// The value of a parameter as its column shows it; empty where it says nothing of the case.
  func cell(_ column: String, of result: CaseResult) -> String {
    TerminalText.plain(result.parameters[column] ?? "")
  }

  /// Whether every value of a parameter is a number, so that its column is set to the right.
  func isNumeric(_ column: String) -> Bool {
    cases.allSatisfy { result in result.parameters[column].map { Double($0) != nil } ?? true }
  }

  // The fewest groups first; of equals, the widest column.
  private func nextGrouping() -> String? {
    columns.min {
      let (left, right) = (valueCount(of: $0), valueCount(of: $1))
      return left == right ? width(of: $0) > width(of: $1) : left < right
    }
  }

  private func valueCount(of column: String) -> Int {
    Set(cases.map { $0.parameters[column] }).count
  }
}

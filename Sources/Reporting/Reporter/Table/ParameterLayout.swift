import Basics
import Measurement

/// Where the parameters of a workload's cases stand: above the table, above a group, in columns.
struct ParameterLayout {
  /// A parameter whose values stand below each other.
  struct Column {
    var name: String
    /// The values by case; empty where the parameter says nothing of the case.
    var cells: [String]
    var width: Int
    /// Whether every value is a number, so that the column is set to the right.
    var isNumeric: Bool

    fileprivate init(_ name: String, of cases: [CaseResult]) {
      self.name = name
      let values = cases.map { $0.parameters[name] }
      cells = values.map { TerminalText.plain($0 ?? "") }
      width = ([name] + cells).map(TerminalText.width).max() ?? 0
      isNumeric = values.compactMap { $0 }.allSatisfy { Double($0) != nil }
    }

    // The fewest groups first; of equals, the widest column.
    fileprivate static func isBetterGrouping(_ left: Column, _ right: Column) -> Bool {
      let (leftCount, rightCount) = (Set(left.cells).count, Set(right.cells).count)
      return leftCount == rightCount ? left.width > right.width : leftCount < rightCount
    }
  }

  /// Parameters that all cases share, by name.
  private(set) var shared: [(name: String, value: String)] = []
  /// Parameters with a column each, by name.
  private(set) var columns: [Column] = []
  /// Cases under the parameters that have no room for a column, in the order of their first ones.
  let groups: [(heading: String, cases: [Int])]
  /// The width of all columns, each with the gap after it.
  let totalWidth: Int

  /// No value is cut to less than this.
  private static let leastWidth = 8

  /// Lays out the parameters so that their columns, with `gap` after each, fit a width.
  ///
  /// At least one column stays; its values are cut where it alone is too wide.
  init(of cases: [CaseResult], width: Int, gap: Int) {
    for name in Set(cases.flatMap(\.parameters.keys)).sorted() {
      let values = Set(cases.map { $0.parameters[name] })
      if values.count == 1, let value = values.first.flatMap({ $0 }) {
        shared.append((name, value))
      } else {
        columns.append(Column(name, of: cases))
      }
    }
    var grouping: [String] = []
    while columns.count > 1, ParameterLayout.width(of: columns, gap: gap) > width,
      let next = columns.min(by: Column.isBetterGrouping)
    {
      columns.removeAll { $0.name == next.name }
      grouping.append(next.name)
    }
    if columns.count == 1 {
      columns[0].width = min(columns[0].width, max(width - gap, ParameterLayout.leastWidth))
    }
    groups = ParameterLayout.groups(of: cases, by: grouping.sorted())
    totalWidth = ParameterLayout.width(of: columns, gap: gap)
  }

  private static func width(of columns: [Column], gap: Int) -> Int {
    columns.reduce(0) { $0 + $1.width + gap }
  }

  private static func groups(
    of cases: [CaseResult],
    by names: [String]
  ) -> [(heading: String, cases: [Int])] {
    var order: [String] = []
    var members: [String: [Int]] = [:]
    for (index, result) in cases.enumerated() {
      let values = names.compactMap { name in result.parameters[name].map { "\(name)=\($0)" } }
      let heading = values.joined(separator: ", ")
      if members[heading] == nil { order.append(heading) }
      members[heading, default: []].append(index)
    }
    return order.map { ($0, members[$0] ?? []) }
  }
}

/// Compares the statement of one table with the one that the model gives.
struct TableComparison {
  let expected: String
  let found: String
  /// Whether columns of ordering keys may stand in any order, as before framework 1030.
  let hasUnorderedKeys: Bool

  /// The state of a table whose statements differ, and why.
  func verdict() -> (state: LayoutEntry.State, notes: [String]) {
    guard let wanted = TableText(expected), let actual = TableText(found) else {
      return (.unexplained, ["a statement of another form"])
    }
    let faults = faults(wanted, actual)
    guard faults.isEmpty else { return (.unexplained, faults) }
    if actual.appendedCount == 0, !actual.isRenamed, isOrderOfKeysOnly(wanted, actual) {
      return (
        hasUnorderedKeys ? .olderLayout : .alteredInPlace,
        ["its Z_FOK columns stand in another order"]
      )
    }
    return (.alteredInPlace, alterations(wanted, actual))
  }

  /// What no migration in place leaves behind.
  private func faults(_ wanted: TableText, _ actual: TableText) -> [String] {
    var faults: [String] = []
    let types = Dictionary(
      actual.columns.map { ($0.name, $0.type) },
      uniquingKeysWith: { first, _ in first }
    )
    let missing = wanted.columns.filter { types[$0.name] == nil }.map(\.name)
    if !missing.isEmpty { faults.append("columns missing: \(Self.list(missing))") }
    for column in wanted.columns {
      guard let type = types[column.name], type != column.type else { continue }
      faults.append("\(column.name) is \(type.isEmpty ? "of no type" : type), not \(column.type)")
    }
    let constraints = Set(wanted.constraints.map { $0.filter { $0 != "\"" } })
    if constraints != Set(actual.constraints.map { $0.filter { $0 != "\"" } }) {
      faults.append("other constraints")
    }
    return faults
  }

  private func isOrderOfKeysOnly(_ wanted: TableText, _ actual: TableText) -> Bool {
    func others(_ text: TableText) -> [TableText.Column] {
      text.columns.filter { !$0.name.hasPrefix("Z_FOK_") }
    }
    return others(wanted) == others(actual) && wanted.columns.count == actual.columns.count
  }

  private func alterations(_ wanted: TableText, _ actual: TableText) -> [String] {
    var notes: [String] = []
    let known = Set(wanted.columns.map(\.name))
    let appended = actual.columns.suffix(actual.appendedCount).map(\.name)
    if !appended.isEmpty { notes.append("columns appended later: \(Self.list(appended))") }
    let leftOver = actual.columns.map(\.name).filter { !known.contains($0) }
    if !leftOver.isEmpty { notes.append("columns that the model has not: \(Self.list(leftOver))") }
    if actual.isRenamed { notes.append("the table was renamed") }
    let positions = Dictionary(
      wanted.columns.enumerated().map { ($1.name, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    let order = actual.columns.dropLast(actual.appendedCount).compactMap { positions[$0.name] }
    if order != order.sorted() {
      notes.append("columns in another order, as those stand that were renamed in place")
    }
    return notes.isEmpty ? ["the statement was rewritten"] : notes
  }

  /// A few names in full, many by their number.
  static func list(_ names: [String]) -> String {
    let shown = names.prefix(4).joined(separator: ", ")
    return names.count > 4 ? "\(shown) and \(names.count - 4) more" : shown
  }
}

import Basics

extension LayoutComparison {
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
      let types = Dictionary(keepingFirst: actual.columns.map { ($0.name, $0.type) })
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
      if !leftOver.isEmpty {
        notes.append("columns that the model has not: \(Self.list(leftOver))")
      }
      if actual.isRenamed { notes.append("the table was renamed") }
      let positions = Dictionary(keepingFirst: wanted.columns.enumerated().map { ($1.name, $0) })
      let order = actual.columns.dropLast(actual.appendedCount).compactMap { positions[$0.name] }
      if order != order.sorted() {
        notes.append("columns in another order, as those stand that were renamed in place")
      }
      return notes.isEmpty ? ["the statement was rewritten"] : notes
    }

    /// A few names in full, many by their number.
    private static func list(_ names: [String]) -> String {
      let shown = names.prefix(4).joined(separator: ", ")
      return names.count > 4 ? "\(shown) and \(names.count - 4) more" : shown
    }
  }

  /// The text of a CREATE TABLE statement in its parts, as far as the frameworks write such.
  struct TableText: Hashable {
    struct Column: Hashable {
      let name: String
      /// Everything after the name, spaces collapsed.
      let type: String
    }

    let columns: [Column]
    /// `PRIMARY KEY (…)`, `CONSTRAINT … UNIQUE (…)`.
    let constraints: [String]
    /// How many columns at the end were added by ALTER TABLE.
    ///
    /// It puts ", ZNEW TYPE" before the last parenthesis, so that the blank the frameworks leave
    /// there stands before the first comma: `… ZLAST BLOB , ZNEW INTEGER)`.
    let appendedCount: Int
    /// Whether the table's name is quoted, as ALTER TABLE … RENAME TO writes it.
    let isRenamed: Bool

    init?(_ sql: String) {
      let bytes = Array(sql.utf8)
      guard sql.hasPrefix("CREATE TABLE "), let open = bytes.firstIndex(of: UInt8(ascii: "(")),
        let close = bytes.lastIndex(of: UInt8(ascii: ")")), open < close
      else { return nil }
      isRenamed = bytes[13] == UInt8(ascii: "\"")
      let items = Self.items(bytes[(open + 1)..<close])
      var (columns, constraints): ([Column], [String]) = ([], [])
      var appendedFrom: Int?
      for (index, item) in items.enumerated() {
        let words = item.split(separator: " ").map(String.init)
        guard let first = words.first else { return nil }
        if ["PRIMARY", "CONSTRAINT", "UNIQUE"].contains(first) {
          constraints.append(words.joined(separator: " "))
        } else {
          columns.append(
            Column(name: Self.unquoted(first), type: words.dropFirst().joined(separator: " "))
          )
          if appendedFrom == nil, item.hasSuffix(" "), index < items.count - 1 {
            appendedFrom = columns.count
          }
        }
      }
      self.columns = columns
      self.constraints = constraints
      appendedCount = appendedFrom.map { columns.count - $0 } ?? 0
    }

    /// The pieces between commas that stand in no parentheses.
    private static func items(_ bytes: ArraySlice<UInt8>) -> [String] {
      var items: [String] = []
      var depth = 0
      var start = bytes.startIndex
      for (index, byte) in zip(bytes.indices, bytes) {
        switch byte {
        case UInt8(ascii: "("): depth += 1
        case UInt8(ascii: ")"): depth -= 1
        case UInt8(ascii: ",") where depth == 0:
          items.append(String(decoding: bytes[start..<index], as: UTF8.self))
          start = index + 1
        default: break
        }
      }
      return items + [String(decoding: bytes[start...], as: UTF8.self)]
    }

    static func unquoted(_ name: String) -> String {
      name.hasPrefix("\"") && name.hasSuffix("\"") && name.count > 1
        ? String(name.dropFirst().dropLast()) : name
    }
  }

  /// Finds what an index of a file stands for that the model does not give under its name.
  struct IndexComparison {
    let layout: StoreLayout
    /// The indexes that the model gives: their names by their tables and by what they index.
    private let expected: [String: [IndexText: String]]
    /// The names of all of them.
    private let names: Set<String>
    private let columns: [String: Set<String>]

    init(layout: StoreLayout) {
      self.layout = layout
      let indexes = layout.tables.flatMap { layout.indexes(of: $0) }
      names = Set(indexes.map(\.name))
      expected = Dictionary(grouping: indexes, by: \.table).mapValues { indexes in
        Dictionary(
          keepingFirst: indexes.compactMap { index in IndexText(index.sql).map { ($0, index.name) }
          }
        )
      }
      columns = Dictionary(
        keepingFirst: layout.tables.map { ($0.name, Set($0.columnNames)) }
          + layout.joinTables.map { ($0.name, Set($0.columnNames)) }
      )
    }

    func verdict(on object: SchemaObject) -> (state: LayoutEntry.State, notes: [String]) {
      guard let known = columns[object.table] else {
        return (.unexplained, ["an index of a table that the model has not"])
      }
      guard let text = IndexText(object.sql) else {
        return (.unexplained, ["a statement of another form"])
      }
      if let twin = expected[object.table]?[text] {
        return twin == object.name
          ? (.alteredInPlace, ["the table was renamed"])
          : (.alteredInPlace, ["an older name of \(twin)"])
      }
      guard text.columns.allSatisfy({ known.contains($0.name) }) else {
        return (.unexplained, ["an index of columns that the model has not"])
      }
      if names.contains(object.name) {
        return (.alteredInPlace, ["renumbered columns under the old name"])
      }
      return object.name.hasPrefix("Z")
        && (object.name.hasSuffix("_INDEX") || object.name.hasPrefix("Z_"))
        ? (.alteredInPlace, ["left by an earlier version of the model"])
        : (.unexplained, ["an index that the model does not ask for"])
    }

    /// The names of the indexes that a file has, if under other names.
    func present(among objects: [SchemaObject]) -> Set<String> {
      Set(
        objects.compactMap { object in
          IndexText(object.sql).flatMap { expected[object.table]?[$0] }
        }
      )
    }
  }

  /// What a CREATE INDEX statement says beside the names of index and table.
  private struct IndexText: Hashable {
    struct Column: Hashable {
      let name: String
      let rest: String
    }

    let isUnique: Bool
    let columns: [Column]

    init?(_ sql: String) {
      guard sql.hasPrefix("CREATE INDEX ") || sql.hasPrefix("CREATE UNIQUE INDEX "),
        let open = sql.firstIndex(of: "("), sql.hasSuffix(")")
      else { return nil }
      isUnique = sql.hasPrefix("CREATE UNIQUE ")
      columns = sql[sql.index(after: open)...].dropLast().split(separator: ",").map { item in
        let words = item.split(separator: " ").map(String.init)
        return Column(
          name: TableText.unquoted(words.first ?? ""),
          rest: words.dropFirst().joined(separator: " ")
        )
      }
    }
  }
}

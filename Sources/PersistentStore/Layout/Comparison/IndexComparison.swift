/// Finds what an index of a file stands for that the model does not give under its name.
struct IndexComparison {
  let layout: StoreLayout
  /// The indexes that the model gives, by their tables.
  private let expected: [String: [TableIndex]]
  private let columns: [String: Set<String>]

  init(layout: StoreLayout) {
    self.layout = layout
    expected = Dictionary(grouping: layout.tables.flatMap { layout.indexes(of: $0) }, by: \.table)
    columns = Dictionary(
      layout.tables.map { ($0.name, Set($0.columnNames)) }
        + layout.joinTables.map { ($0.name, Set($0.columnNames)) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  func verdict(on object: SchemaObject) -> (state: LayoutEntry.State, notes: [String]) {
    guard let known = columns[object.table] else {
      return (.unexplained, ["an index of a table that the model has not"])
    }
    guard let text = IndexText(object.sql) else {
      return (.unexplained, ["a statement of another form"])
    }
    let indexes = expected[object.table] ?? []
    if let twin = indexes.first(where: { IndexText($0.definition) == text }) {
      return twin.name == object.name
        ? (.alteredInPlace, ["the table was renamed"])
        : (.alteredInPlace, ["an older name of \(twin.name)"])
    }
    guard text.columns.allSatisfy({ known.contains($0.name) }) else {
      return (.unexplained, ["an index of columns that the model has not"])
    }
    if indexes.contains(where: { $0.name == object.name }) {
      return (.alteredInPlace, ["renumbered columns under the old name"])
    }
    return object.name.hasPrefix("Z")
      && (object.name.hasSuffix("_INDEX") || object.name.hasPrefix("Z_"))
      ? (.alteredInPlace, ["left by an earlier version of the model"])
      : (.unexplained, ["an index that the model does not ask for"])
  }

  /// Whether an index that the model gives is there under another name.
  func isPresent(_ index: TableIndex, among objects: [SchemaObject]) -> Bool {
    let wanted = IndexText(index.definition)
    return objects.contains { $0.table == index.table && IndexText($0.sql) == wanted }
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

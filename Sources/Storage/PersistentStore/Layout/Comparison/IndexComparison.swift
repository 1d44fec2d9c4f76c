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
        indexes.compactMap { index in IndexText(index.definition).map { ($0, index.name) } },
        uniquingKeysWith: { first, _ in first }
      )
    }
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

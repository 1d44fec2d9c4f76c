/// Pairs the statements of a file with those of a layout.
struct SchemaMatching {
  private let layout: StoreLayout
  private let framework: Int
  private let objects: [SchemaObject]
  /// By name, the statements in the form of the store's own framework.
  private let expected: [String: String]
  /// By name, the statements in today's form.
  private let current: [String: String]
  /// The names in the order in which the frameworks make them.
  private let order: [String]

  init(layout: StoreLayout, current: StoreLayout, framework: Int, objects: [SchemaObject]) {
    self.layout = layout
    self.framework = framework
    self.objects = objects
    let named = Self.named(layout.definitions)
    expected = Dictionary(named, uniquingKeysWith: { first, _ in first })
    self.current = Dictionary(
      Self.named(current.definitions),
      uniquingKeysWith: { first, _ in first }
    )
    order = named.map(\.0)
  }

  func entries() -> [LayoutEntry] {
    let indexes = IndexComparison(layout: layout)
    let found = objects.map { entry(of: $0, indexes: indexes) }
    return found + missing(indexes)
  }

  private func entry(of object: SchemaObject, indexes: IndexComparison) -> LayoutEntry {
    var entry = LayoutEntry(
      kind: object.kind,
      name: object.name,
      table: object.table,
      state: .same,
      expected: expected[object.name],
      found: object.sql
    )
    if object.sql == current[object.name] { return entry }
    if object.sql == expected[object.name] {
      entry.state = .olderLayout
      entry.notes = ["the form of framework \(framework)"]
      return entry
    }
    (entry.state, entry.notes) =
      FrameworkParts.note(on: object).map { (.notWritten, [$0]) } ?? difference(of: object, indexes)
    return entry
  }

  private func difference(
    of object: SchemaObject,
    _ indexes: IndexComparison
  ) -> (LayoutEntry.State, [String]) {
    switch object.kind {
    case .table:
      guard let expected = expected[object.name] else {
        return (.unexplained, ["a table that the model does not ask for"])
      }
      if object.name.hasPrefix("A") { return history(object, expected) }
      let comparison = TableComparison(
        expected: expected,
        found: object.sql,
        hasUnorderedKeys: layout.generation < .current
      )
      return comparison.verdict()
    case .index:
      if object.table.hasPrefix("ATRANSACTION") || object.table == "ACHANGE" {
        return framework < 973
          ? (.olderLayout, ["history as before framework 973"])
          : (.unexplained, ["an index that history does not have"])
      }
      return indexes.verdict(on: object)
    case .trigger: return (.unexplained, ["a trigger of nobody's"])
    case .view: return (.unexplained, ["a view, which no framework makes"])
    }
  }

  /// The tables of history hold as many tombstone columns as any version of the model needed.
  private func history(_ object: SchemaObject, _ expected: String) -> (LayoutEntry.State, [String])
  {
    if framework < 973 { return (.olderLayout, ["history as before framework 973"]) }
    let verdict = TableComparison(expected: expected, found: object.sql, hasUnorderedKeys: false)
      .verdict()
    guard verdict.state == .unexplained, let text = TableText(object.sql),
      let wanted = TableText(expected)
    else { return verdict }
    let plain = { (text: TableText) in text.columns.filter { !$0.name.hasPrefix("ZTOMBSTONE") } }
    return plain(text) == plain(wanted)
      ? (.alteredInPlace, ["tombstones of another version of the model"]) : verdict
  }

  /// What the model asks for and the file has not; R-trees are not among the statements at all.
  private func missing(_ indexes: IndexComparison) -> [LayoutEntry] {
    let names = Set(objects.map(\.name))
    let present = indexes.present(among: objects.filter { $0.kind == .index })
    let tables = Dictionary(
      layout.tables.flatMap { layout.indexes(of: $0) }.map { ($0.name, $0.table) },
      uniquingKeysWith: { first, _ in first }
    )
    return order.filter { !names.contains($0) }.compactMap { name in
      let statement = expected[name] ?? ""
      let isTable = statement.hasPrefix("CREATE TABLE ")
      if framework < 973, isHistory(name) || name == "Z_MODELCACHE" { return nil }
      if present.contains(name) { return nil }
      return LayoutEntry(
        kind: isTable ? .table : .index,
        name: name,
        table: tables[name] ?? name,
        state: .missing,
        expected: statement
      )
    }
  }

  private func isHistory(_ name: String) -> Bool {
    name.hasPrefix("ACHANGE") || name.hasPrefix("ATRANSACTION") || name.hasPrefix("Z_TRANSACTION")
  }

  /// The statements with the names of what they make.
  private static func named(_ statements: [String]) -> [(String, String)] {
    statements.map { statement in
      let words = statement.split(separator: " ", maxSplits: 4)
      let name = words[1] == "UNIQUE" ? words[3] : words[2]
      return (String(name), statement)
    }
  }
}

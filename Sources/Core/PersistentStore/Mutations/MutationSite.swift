import DataModel
import SQLite

/// A store that is about to be mutated, and the choices of places in it.
final class MutationSite {
  let store: StoreFile
  let layout: StoreLayout
  let connection: Connection
  private var state: UInt64

  init(store: StoreFile, layout: StoreLayout, seed: UInt64) throws {
    self.store = store
    self.layout = layout
    connection = try Connection(path: store.path, mode: .readWrite, settings: nil, trust: .full)
    try connection.execute("PRAGMA busy_timeout=5000")
    try connection.execute("PRAGMA synchronous=off")
    state = seed
  }

  /// A number below a bound, by splitmix64.
  func random(below bound: Int) -> Int {
    state &+= 0x9e37_79b9_7f4a_7c15
    var word = state
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    return Int((word ^ (word >> 31)) % UInt64(max(1, bound)))
  }

  /// The elements in an order that the seed chooses.
  func shuffled<Element>(_ elements: [Element]) -> [Element] {
    var result = elements
    for index in result.indices.dropLast() {
      result.swapAt(index, index + random(below: result.count - index))
    }
    return result
  }

  /// Tries a body with each candidate in chosen order until it applies.
  func first<Element>(of candidates: [Element], _ body: (Element) throws -> Bool) rethrows -> Bool {
    for candidate in shuffled(candidates) where try body(candidate) { return true }
    return false
  }

  /// The integers in the first column of a query's rows.
  func integers(_ sql: String) throws -> [Int64] {
    let row = try connection.prepare(sql)
    var values: [Int64] = []
    while try row.step() { values.append(row.integer(at: 0)) }
    return values
  }

  /// One of the keys of a table's rows that meet a condition.
  func key(in table: String, where condition: String) throws -> Int64? {
    let keys = try integers("SELECT Z_PK FROM \(table) WHERE \(condition) ORDER BY Z_PK")
    return keys.isEmpty ? nil : keys[random(below: keys.count)]
  }

  /// Runs a statement; true where it changed something.
  func change(_ sql: String) throws -> Bool {
    try connection.execute(sql)
    return connection.changes > 0
  }

  /// The columns of attributes that a closure picks, with their tables.
  func attributes(
    where matches: (Attribute) -> Bool
  ) -> [(table: EntityTable, column: Column, attribute: Attribute)] {
    layout.tables.flatMap { table in
      table.columns.compactMap { column in
        guard case .attribute(let attribute) = column.content, matches(attribute) else {
          return nil
        }
        return (table, column, attribute)
      }
    }
  }

  /// The columns of to-ones, with their tables.
  var toOnes: [(table: EntityTable, column: Column, relationship: Relationship)] {
    layout.tables.flatMap { table in
      table.columns.compactMap { column in
        guard case .foreignKey(let relationship) = column.content else { return nil }
        return (table, column, relationship)
      }
    }
  }

  /// The highest key handed out for a table, one higher from now on.
  func takeKey(of table: EntityTable) throws -> Int64 {
    let number = layout.numbers[table.root] ?? 0
    try connection.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + 1 WHERE Z_ENT = \(number)")
    return try connection.integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)") ?? 0
  }

  /// Runs a body while a part of the schema's text reads otherwise, so that SQLite does not keep
  /// from happening what other writers of the file could do.
  func withSchema(
    of name: String,
    replacing text: String,
    by replacement: String,
    _ body: () throws -> Bool
  ) throws -> Bool {
    func rewrite(_ from: String, _ to: String) throws {
      try connection.execute("PRAGMA writable_schema=on")
      let statement = try connection.prepare(
        "UPDATE sqlite_schema SET sql = replace(sql, ?1, ?2) WHERE name = ?3"
      )
      statement.bind(from, at: 1)
      statement.bind(to, at: 2)
      statement.bind(name, at: 3)
      try statement.run()
      try connection.execute("PRAGMA writable_schema=reset")
    }
    try rewrite(text, replacement)
    let result = try body()
    try rewrite(replacement, text)
    return result
  }
}

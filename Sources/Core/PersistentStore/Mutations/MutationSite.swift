import Basics
import DataModel
import SQLite

/// A store to mutate, and the random choice of places in it.
package final class MutationSite {
  package let store: StoreFile
  package let layout: StoreLayout
  package let connection: Connection
  private var generator: SplitMix64

  init(store: StoreFile, layout: StoreLayout, seed: UInt64) throws {
    self.store = store
    self.layout = layout
    connection = try Connection(path: store.path, mode: .readWrite, settings: nil, trust: .full)
    try connection.execute("PRAGMA busy_timeout=5000")
    try connection.execute("PRAGMA synchronous=off")
    generator = SplitMix64(state: seed)
  }

  /// A number below a bound.
  package func random(below bound: Int) -> Int {
    Int(generator.next() % UInt64(max(1, bound)))
  }

  /// The elements in an order that the seed chooses.
  package func shuffled<Element>(_ elements: [Element]) -> [Element] {
    var result = elements
    for index in result.indices.dropLast() {
      result.swapAt(index, index + random(below: result.count - index))
    }
    return result
  }

  /// Tries a body with each candidate in chosen order until it applies.
  package func first<Element>(of candidates: [Element], _ body: (Element) throws -> Bool) rethrows
    -> Bool
  {
    for candidate in shuffled(candidates) where try body(candidate) { return true }
    return false
  }

  /// The integers in the first column of a query's rows.
  package func integers(_ sql: String) throws -> [Int64] {
    let row = try connection.prepare(sql)
    var values: [Int64] = []
    while try row.step() { values.append(row.integer(at: 0)) }
    return values
  }

  /// One of the keys of a table's rows that meet a condition.
  package func key(in table: String, where condition: String) throws -> Int64? {
    let keys = try integers("SELECT Z_PK FROM \(table) WHERE \(condition) ORDER BY Z_PK")
    return keys.isEmpty ? nil : keys[random(below: keys.count)]
  }

  /// Runs a statement and returns whether it changed anything.
  package func change(_ sql: String) throws -> Bool {
    try connection.execute(sql)
    return connection.changes > 0
  }

  /// The columns of attributes that a closure picks, with their tables.
  package func attributes(
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

  func takeKey(of table: EntityTable) throws -> Int64 {
    let number = layout.numbers[table.root] ?? 0
    try connection.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + 1 WHERE Z_ENT = \(number)")
    return try connection.integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)") ?? 0
  }
}

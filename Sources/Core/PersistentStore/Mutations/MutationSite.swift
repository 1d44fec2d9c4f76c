import Basics
import DataModel
import SQLite

/// A store to corrupt, with a seeded random choice of locations.
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

  /// Returns a random number below a bound.
  package func random(below bound: Int) -> Int {
    Int(generator.next() % UInt64(max(1, bound)))
  }

  /// Returns the elements in a random order.
  package func shuffled<Element>(_ elements: [Element]) -> [Element] {
    var result = elements
    for index in result.indices.dropLast() {
      result.swapAt(index, index + random(below: result.count - index))
    }
    return result
  }

  /// Calls a closure with the candidates in random order until it returns true.
  package func first<Element>(of candidates: [Element], _ body: (Element) throws -> Bool) rethrows
    -> Bool
  {
    for candidate in shuffled(candidates) where try body(candidate) { return true }
    return false
  }

  /// Returns the integers in the first column of a query's rows.
  package func integers(_ sql: String) throws -> [Int64] {
    let row = try connection.prepare(sql)
    var values: [Int64] = []
    while try row.step() { values.append(row.integer(at: 0)) }
    return values
  }

  /// Returns a random key among the rows of a table that meet a condition, if there are any.
  package func key(in table: String, where condition: String) throws -> Int64? {
    let keys = try integers("SELECT Z_PK FROM \(table) WHERE \(condition) ORDER BY Z_PK")
    return keys.isEmpty ? nil : keys[random(below: keys.count)]
  }

  /// Runs a statement and returns whether it changed anything.
  package func change(_ sql: String) throws -> Bool {
    try connection.execute(sql)
    return connection.changes > 0
  }

  /// Returns the columns of the attributes that a closure selects, with their tables.
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

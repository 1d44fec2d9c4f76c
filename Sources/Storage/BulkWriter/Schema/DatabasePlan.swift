/// Everything that a database file holds, in the order in which SQLite would have created it.
package struct DatabasePlan: Sendable {
  /// One row of sqlite_schema.
  package enum Item: Sendable {
    case table(TablePlan)
    case index(IndexPlan)
  }

  package var items: [Item]
  /// Bytes of a page: a power of two from 512 to 65,536.
  package var pageSize = 4_096
  /// Percent of a leaf that is used before the next one is begun.
  package var fill = 100
  /// The library version in the header: a constant, for the bytes to be the same everywhere.
  package var versionNumber: UInt32 = 3_040_001
  /// The header's schema cookie.
  package var schemaCookie: UInt32
  /// Where the bytes lie by which SQLite locks a file: their page stays empty.
  package var lockBytePosition = 1 << 30

  /// Presets the schema cookie to the number of statements that create the items, at least 1.
  package init(items: [Item]) {
    self.items = items
    schemaCookie = UInt32(clamping: max(items.count { $0.sql != nil }, 1))
  }
}

extension DatabasePlan.Item {
  var isTable: Bool {
    if case .table = self { true } else { false }
  }

  var name: String {
    switch self {
    case .table(let table): table.name
    case .index(let index): index.name
    }
  }

  var table: String {
    switch self {
    case .table(let table): table.name
    case .index(let index): index.table
    }
  }

  var sql: String? {
    switch self {
    case .table(let table): table.sql
    case .index(let index): index.sql
    }
  }
}

extension DatabasePlan {
  /// Refuses what no file can be.
  func validate() throws {
    guard (512...65_536).contains(pageSize), pageSize & (pageSize - 1) == 0 else {
      throw BulkWriterError.invalidPlan("\(pageSize) bytes are not a page size of SQLite")
    }
    guard (1...100).contains(fill) else {
      throw BulkWriterError.invalidPlan("\(fill) is not a percentage from 1 to 100")
    }
    guard lockBytePosition >= pageSize * (items.count + 4) * 2 else {
      throw BulkWriterError.invalidPlan("the lock bytes lie among the roots")
    }
    for case .table(let table) in items where !(1...32_767).contains(table.columns.count) {
      throw BulkWriterError.invalidPlan("table '\(table.name)' has \(table.columns.count) columns")
    }
    for case .index(let index) in items {
      guard let table = table(of: index) else {
        throw BulkWriterError.unknownTable(index: index.name, table: index.table)
      }
      guard index.columns.allSatisfy({ table.columns.indices.contains($0.position) }) else {
        throw BulkWriterError.invalidPlan("index '\(index.name)' has a column that is not there")
      }
    }
  }

  private func table(of index: IndexPlan) -> TablePlan? {
    for case .table(let table) in items where table.name == index.table { return table }
    return nil
  }
}

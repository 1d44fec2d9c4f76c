import Basics
import DataModel
import SQLite

/// The differences between a store's indexes and a model's indexes.
///
/// Existing stores do not get an index that is added to a model: indexes are not part of the
/// version hash, so no migration occurs.
package struct IndexDrift: Encodable, Hashable, Sendable {
  package struct Index: Encodable, Hashable, Sendable {
    package let name: String
    package let table: String
    /// The CREATE INDEX statement.
    package let sql: String
    /// The size of the index's pages in bytes; `nil` if the store has no such index or SQLite has
    /// no dbstat.
    package let bytes: Int64?
    /// The reason for listing the index, as a lowercase phrase; empty if the list itself is the
    /// reason.
    package let note: String
  }

  /// The model's indexes that the store lacks although it has their columns.
  package private(set) var missing: [Index] = []
  /// The store's indexes that the model does not require.
  package private(set) var superfluous: [Index] = []
  /// The store's indexes whose columns are a prefix of another index's columns.
  package private(set) var redundant: [Index] = []

  package var isEmpty: Bool { missing.isEmpty && superfluous.isEmpty && redundant.isEmpty }

  /// Compares a file's schema with a model without executing any part of the schema.
  package init(model: Model, connection: Connection, path: String) throws {
    let framework = try StoreMetadata(from: connection, path: path).frameworkVersion
    let form = try StoreForm(of: connection)
    let layout = StoreLayout(model: model, framework: framework, form: form)
    let expected = layout.tables.flatMap { layout.indexes(of: $0) }
    let found = try Self.indexes(connection, of: Set(layout.tableColumns.map(\.table)))
    let wanted = Set(expected.compactMap { index in IndexText(index.sql).map(Key.init) })
    let present = Set(found.map(\.key))
    for index in expected {
      guard let text = IndexText(index.sql), !present.contains(Key(text)) else { continue }
      let columns = Set(try connection.columnNames(of: index.table))
      // Skip an index of a missing column: the migration that adds the column also creates the
      // index.
      guard text.columns.allSatisfy({ columns.contains($0.name) }) else { continue }
      missing.append(
        Index(name: index.name, table: index.table, sql: index.sql, bytes: nil, note: "")
      )
    }
    let sizes = Self.sizes(connection)
    func index(_ index: FoundIndex, _ note: String) -> Index {
      Index(
        name: index.text.name,
        table: index.text.table,
        sql: index.sql,
        bytes: sizes[index.text.name],
        note: note
      )
    }
    for candidate in found where !wanted.contains(candidate.key) {
      superfluous.append(index(candidate, ""))
    }
    for (place, candidate) in found.enumerated() {
      guard !candidate.text.isUnique, candidate.text.condition == nil,
        let other = found.enumerated().first(where: { offset, other in
          candidate.repeats(other, isLater: place > offset) && offset != place
        })?.element
      else { continue }
      let isAutomatic = candidate.text.name.hasSuffix("_INDEX")
      let note =
        "its columns are the first of \(other.text.name)"
        + (isAutomatic ? "; the frameworks make it for each relationship" : "")
      redundant.append(index(candidate, note))
    }
  }

  private struct Key: Hashable {
    let table: String
    let columns: [String]
    let isUnique: Bool
    let condition: String?

    init(_ text: IndexText) {
      table = text.table
      columns = text.columns.map { $0.rest.hasSuffix("DESC") ? "\($0.name) DESC" : $0.name }
      isUnique = text.isUnique
      condition = text.condition
    }
  }

  private struct FoundIndex {
    let text: IndexText
    let sql: String
    var key: Key { Key(text) }

    func repeats(_ other: FoundIndex, isLater: Bool) -> Bool {
      let (own, others) = (key, other.key)
      guard own.table == others.table, others.condition == nil,
        others.columns.starts(with: own.columns)
      else { return false }
      return own.columns.count < others.columns.count || others.isUnique || isLater
    }
  }

  private static func indexes(_ connection: Connection, of tables: Set<String>) throws
    -> [FoundIndex]
  {
    let row = try connection.prepare(
      "SELECT sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY rowid"
    )
    var indexes: [FoundIndex] = []
    while try row.step() {
      let sql = row.text(at: 0)
      // Skip indexes in a form that Core Data never writes, such as indexes on expressions.
      guard let text = IndexText(sql), tables.contains(text.table) else { continue }
      indexes.append(FoundIndex(text: text, sql: sql))
    }
    return indexes
  }

  /// The sizes of tables and indexes in bytes, by name; empty if SQLite was built without dbstat.
  private static func sizes(_ connection: Connection) -> [String: Int64] {
    var sizes: [String: Int64] = [:]
    guard
      let row = try? connection.prepare(
        "SELECT name, sum(pgsize) FROM dbstat WHERE aggregate = TRUE GROUP BY name"
      )
    else { return [:] }
    while (try? row.step()) == true { sizes[row.text(at: 0)] = row.integer(at: 1) }
    return sizes
  }
}

import DataModel
import SQLite

/// Reads persistent history by token: what was done to which object since a transaction
/// (`NSPersistentHistoryChangeRequest.fetchHistory(after:)`).
package struct HistoryReader {
  /// What a transaction did to one object.
  package struct Change: Hashable, Sendable {
    /// The transaction's key: the token after which later changes are read.
    package let transaction: Int64
    /// `nil` for a number that the frameworks do not use.
    package let kind: HistoryChangeKind?
    package let entity: String
    package let key: Int64
    /// The preserved values of a deleted object, by the order of their names.
    package let tombstone: [Value]
  }

  private let connection: Connection
  private let layout: StoreLayout
  private let columns: [String]

  /// - Throws: ``PersistentStoreError/damaged(path:reason:)`` where the store keeps no history.
  package init(_ store: PersistentStore) throws {
    connection = store.connection
    layout = store.layout
    let names = try connection.columnNames(of: "ACHANGE")
    guard !names.isEmpty else {
      throw PersistentStoreError.damaged(path: store.file.path, reason: "it keeps no history")
    }
    columns = names.filter { $0.hasPrefix("ZTOMBSTONE") }
  }

  /// The token of the last transaction; 0 where there is none.
  package func lastToken() throws -> Int64 {
    try connection.integer("SELECT max(Z_PK) FROM ATRANSACTION") ?? 0
  }

  /// The changes of the transactions after a token, in their order.
  package func changes(after token: Int64) throws -> [Change] {
    let list = columns.map { ", \($0)" }.joined()
    let rows = try connection.cached(
      "SELECT ZTRANSACTIONID, ZCHANGETYPE, ZENTITY, ZENTITYPK\(list) FROM ACHANGE "
        + "WHERE ZTRANSACTIONID > ? ORDER BY ZTRANSACTIONID, Z_PK"
    )
    rows.bind(token, at: 1)
    defer { rows.reset() }
    var changes: [Change] = []
    while try rows.step() {
      let number = Int(exactly: rows.integer(at: 2)) ?? 0
      let kind = HistoryChangeKind(rawValue: rows.integer(at: 1))
      changes.append(
        Change(
          transaction: rows.integer(at: 0),
          kind: kind,
          entity: layout.numbers.entity(number)?.name ?? "",
          key: rows.integer(at: 3),
          tombstone: kind == .deletion ? columns.indices.map { rows.value(at: 4 + $0) } : []
        )
      )
    }
    return changes
  }
}

extension PersistentStore {
  /// Deletes the history up to a token, that transaction included
  /// (`NSPersistentHistoryChangeRequest.deleteHistory(before:)`).
  ///
  /// - Returns: The number of changes that went.
  @discardableResult
  package func purgeHistory(through token: Int64) throws -> Int {
    try connection.transaction("BEGIN EXCLUSIVE") {
      func delete(_ condition: String) throws -> Int {
        let statement = try connection.cached("DELETE FROM \(condition) <= ?")
        statement.bind(token, at: 1)
        try statement.run()
        return connection.changes
      }
      let count = try delete("ACHANGE WHERE ZTRANSACTIONID")
      _ = try delete("ATRANSACTION WHERE Z_PK")
      return count
    }
  }
}

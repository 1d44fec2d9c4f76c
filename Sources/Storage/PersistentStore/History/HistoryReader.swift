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
    let statement = try connection.prepare("SELECT name FROM pragma_table_info('ACHANGE')")
    var names: [String] = []
    while try statement.step() { names.append(statement.text(at: 0)) }
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
          tombstone: kind == .deletion ? tombstone(rows) : []
        )
      )
    }
    return changes
  }

  private func tombstone(_ row: Statement) -> [Value] {
    columns.indices.map { index in
      let place = 4 + index
      switch row.storageClass(at: place) {
      case .null: return .null
      case .integer: return .integer(row.integer(at: place))
      case .real: return .real(row.real(at: place))
      case .text: return .text(row.text(at: place))
      case .blob: return .blob(row.blob(at: place))
      }
    }
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
      let changes = try connection.cached("DELETE FROM ACHANGE WHERE ZTRANSACTIONID <= ?")
      changes.bind(token, at: 1)
      try changes.run()
      let count = connection.changes
      let transactions = try connection.cached("DELETE FROM ATRANSACTION WHERE Z_PK <= ?")
      transactions.bind(token, at: 1)
      try transactions.run()
      return count
    }
  }
}

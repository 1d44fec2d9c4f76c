import DataModel
import SQLite

/// Writes the persistent history of a context's saves (coredata-format.md, section 11).
final class HistoryWriter {
  private let connection: Connection
  private let layout: StoreLayout
  private let clock: () -> Double
  private let bundle: String
  private let process: String
  private let author: String?
  private var strings: [String: Int64]?
  private var bitmaps: [Int: ChangeBitmap] = [:]
  private var transaction: Int64 = 0
  private var nextChange: Int64 = 0

  init(store: PersistentStore, author: String?) throws {
    connection = store.connection
    layout = store.layout
    clock = store.clock
    bundle = store.bundleIdentifier
    process = store.processName
    self.author = author
  }

  func reserveKeys(changes: Int) throws {
    transaction = try connection.reserveKeys(1, of: EntityNumbers.transaction, "TRANSACTION")
    nextChange = try connection.reserveKeys(changes, of: EntityNumbers.change, "CHANGE")
    guard strings == nil else { return }
    // Each attempt to store the name of an app, process or author uses up a key: in the fixtures,
    // Z_MAX of entity 16003 exceeds the number of rows (coredata-format.md, section 3).
    let names = self.names
    var key = try connection.reserveKeys(
      names.count,
      of: EntityNumbers.transactionString,
      "TRANSACTIONSTRING"
    )
    var keys: [String: Int64] = [:]
    for name in names {
      keys[name] = try self.key(of: name, candidate: key)
      key += 1
    }
    strings = keys
  }

  func forgetNames() { strings = nil }

  private var names: [String] { [bundle, process] + (author.map { [$0] } ?? []) }

  private func key(of name: String, candidate: Int64) throws -> Int64 {
    let insert = try connection.cached(
      "INSERT OR IGNORE INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (?, ?, ?)"
    )
    insert.bind(candidate, at: 1)
    insert.bind(Int64(EntityNumbers.transactionString), at: 2)
    insert.bind(name, at: 3)
    try insert.run()
    let select = try connection.cached("SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?")
    select.bind(name, at: 1)
    defer { select.reset() }
    return try select.step() ? select.integer(at: 0) : candidate
  }

  func writeTransaction() throws {
    let insert = try connection.cached(
      "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZAUTHORTS, ZBUNDLEIDTS, ZPROCESSIDTS, ZTIMESTAMP)"
        + " VALUES (?, ?, ?, ?, ?, ?)"
    )
    insert.bind(transaction, at: 1)
    insert.bind(Int64(EntityNumbers.transaction), at: 2)
    insert.bind(author.flatMap { strings?[$0] }.map { Value.integer($0) } ?? .null, at: 3)
    insert.bind(strings?[bundle].map { Value.integer($0) } ?? .null, at: 4)
    insert.bind(strings?[process].map { Value.integer($0) } ?? .null, at: 5)
    insert.bind(clock(), at: 6)
    try insert.run()
  }

  func write(_ kind: HistoryChangeKind, of object: ManagedObject, changedSlots: [Int] = []) throws {
    let tombstones = kind == .deletion ? self.tombstones(of: object) : []
    let names = tombstones.indices.map { ", ZTOMBSTONE\($0)" }.joined()
    let marks = tombstones.map { _ in ", ?" }.joined()
    let insert = try connection.cached(
      "INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS"
        + "\(names)) VALUES (?, ?, ?, ?, ?, ?, ?\(marks))"
    )
    insert.bind(nextChange, at: 1)
    insert.bind(Int64(EntityNumbers.change), at: 2)
    insert.bind(kind.rawValue, at: 3)
    insert.bind(Int64(object.description.number), at: 4)
    insert.bind(object.key, at: 5)
    insert.bind(transaction, at: 6)
    if kind == .update {
      let toManys = object.description.toManys.filter {
        $0.index < object.toManys.count && object.toManys[$0.index]?.saved != nil
      }
      let bitmap = bitmap(of: object.description)
      insert.bind(bitmap.bytes(changedSlots, toManys: toManys.map(\.name)), at: 7)
    } else {
      insert.bindNull(at: 7)
    }
    for (index, value) in tombstones.enumerated() { insert.bind(value, at: 8 + index) }
    try insert.run()
    nextChange += 1
  }

  private func tombstones(of object: ManagedObject) -> [Value] {
    SystemTables.preservedAttributes(of: object.description.entity, in: layout.model).map {
      guard let slot = try? object.description.slot(of: $0.name) else { return .null }
      return object.snapshot?[slot] ?? object.values[slot]
    }
  }

  private func bitmap(of description: EntityDescription) -> ChangeBitmap {
    if let bitmap = bitmaps[description.number] { return bitmap }
    let bitmap = ChangeBitmap(
      columns: description.columns,
      toManys: description.toManys.map(\.name)
    )
    bitmaps[description.number] = bitmap
    return bitmap
  }
}

/// Reads the persistent history after a token, as a list of changes to objects
/// (`NSPersistentHistoryChangeRequest.fetchHistory(after:)`).
package struct HistoryReader {
  /// The change that a transaction made to one object.
  package struct Change: Hashable, Sendable {
    /// The transaction's key, which is also the token for reading later changes.
    package let transaction: Int64
    /// The kind of the change; `nil` if Core Data does not use the stored number.
    package let kind: HistoryChangeKind?
    package let entity: String
    package let key: Int64
    /// The preserved values of a deleted object, sorted by attribute name.
    package let tombstone: [Value]
  }

  /// The form of the statements that read or delete history: for all transactions together, or for
  /// each transaction.
  ///
  /// No public log shows Core Data's form.
  package enum Statements: String, CaseIterable, Hashable, Sendable {
    case together
    case eachTransaction
  }

  private let connection: Connection
  private let layout: StoreLayout
  private let statements: Statements
  private let columns: [String]

  /// Creates a reader for a store's history.
  ///
  /// - Throws: ``PersistentStoreError/damaged(path:reason:)`` if the store keeps no history.
  package init(_ store: PersistentStore, statements: Statements = .together) throws {
    connection = store.connection
    layout = store.layout
    self.statements = statements
    let names = try connection.columnNames(of: "ACHANGE")
    guard !names.isEmpty else {
      throw PersistentStoreError.damaged(path: store.file.path, reason: "it keeps no history")
    }
    columns = names.filter { $0.hasPrefix("ZTOMBSTONE") }
  }

  /// Returns the token of the last transaction, or 0 if there is none.
  package func lastToken() throws -> Int64 {
    try connection.integer("SELECT max(Z_PK) FROM ATRANSACTION") ?? 0
  }

  /// Returns the changes of all transactions after a token, in order.
  package func changes(after token: Int64) throws -> [Change] {
    switch statements {
    case .together: try changes("> ? ORDER BY ZTRANSACTIONID, Z_PK", token)
    case .eachTransaction:
      try connection.transactions("Z_PK > ?", token).flatMap {
        try changes("= ? ORDER BY Z_PK", $0)
      }
    }
  }

  private func changes(_ condition: String, _ transaction: Int64) throws -> [Change] {
    let list = columns.map { ", \($0)" }.joined()
    let rows = try connection.cached(
      "SELECT ZTRANSACTIONID, ZCHANGETYPE, ZENTITY, ZENTITYPK\(list) FROM ACHANGE "
        + "WHERE ZTRANSACTIONID \(condition)"
    )
    rows.bind(transaction, at: 1)
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
  /// Deletes the history up to and including a token
  /// (`NSPersistentHistoryChangeRequest.deleteHistory(before:)`).
  ///
  /// - Returns: The number of deleted changes.
  @discardableResult
  package func purgeHistory(
    through token: Int64,
    statements: HistoryReader.Statements = .together
  ) throws -> Int {
    try connection.transaction("BEGIN EXCLUSIVE") {
      func delete(_ operation: String, _ transaction: Int64) throws -> Int {
        func delete(_ condition: String) throws -> Int {
          let statement = try connection.cached("DELETE FROM \(condition) \(operation) ?")
          statement.bind(transaction, at: 1)
          try statement.run()
          return connection.changes
        }
        let count = try delete("ACHANGE WHERE ZTRANSACTIONID")
        _ = try delete("ATRANSACTION WHERE Z_PK")
        return count
      }
      switch statements {
      case .together: return try delete("<=", token)
      case .eachTransaction:
        return try connection.transactions("Z_PK <= ?", token).reduce(0) {
          try $0 + delete("=", $1)
        }
      }
    }
  }
}

extension Connection {
  fileprivate func transactions(_ condition: String, _ token: Int64) throws -> [Int64] {
    let rows = try cached("SELECT Z_PK FROM ATRANSACTION WHERE \(condition) ORDER BY Z_PK")
    rows.bind(token, at: 1)
    defer { rows.reset() }
    var keys: [Int64] = []
    while try rows.step() { keys.append(rows.integer(at: 0)) }
    return keys
  }
}

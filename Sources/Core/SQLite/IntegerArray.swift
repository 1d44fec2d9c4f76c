import CSQLite

/// An array of integers that SQL reads as a table with one column, `value`.
///
/// Core Data binds the keys of a batch this way: `WHERE t0.Z_PK IN (SELECT * FROM _Z_intarray0)`
/// (coredata-format.md, section 13). The virtual table (https://www.sqlite.org/vtab.html) is
/// read-only and lives as long as its connection.
package final class IntegerArray {
  /// The rows that the table returns, starting with the next statement.
  package var values: [Int64] {
    get { list.pointee }
    set { list.pointee = newValue }
  }

  /// The list is allocated manually, because reference counting would slow down the reading of each
  /// integer.
  private let list: UnsafeMutablePointer<[Int64]>

  /// Creates the table `temp.NAME` on a connection.
  ///
  /// - Throws: ``SQLiteError`` if the name is taken.
  package init(connection: Connection, name: String) throws {
    list = .allocate(capacity: 1)
    list.initialize(to: [])
    let retained = Unmanaged.passRetained(self).toOpaque()
    let code = sqlite3_create_module_v2(
      connection.handle.pointer,
      "storebench_\(name)",
      Module.shared.pointer,
      retained
    ) { pointer in
      pointer.map { Unmanaged<IntegerArray>.fromOpaque($0).release() }
    }
    guard code == SQLITE_OK else {
      throw connection.handle.error(code, while: "create module \(name)")
    }
    try connection.execute("CREATE VIRTUAL TABLE temp.\(name) USING storebench_\(name)")
  }

  deinit {
    list.deinitialize(count: 1)
    list.deallocate()
  }

  /// The virtual table's methods, in memory that never moves, as SQLite requires.
  private struct Module: @unchecked Sendable {
    static let shared = Module()

    let pointer: UnsafeMutablePointer<sqlite3_module>

    private struct Table {
      var base: sqlite3_vtab
      let list: UnsafeMutablePointer<[Int64]>
    }

    private struct Cursor {
      var base: sqlite3_vtab_cursor
      var row: Int
      var count: Int
    }

    private static func list(
      of cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>
    ) -> UnsafeMutablePointer<[Int64]> {
      UnsafeRawPointer(cursor.pointee.pVtab).assumingMemoryBound(to: Table.self).pointee.list
    }

    private static func state(
      of cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>
    ) -> UnsafeMutablePointer<Cursor> {
      UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: Cursor.self)
    }

    init() {
      pointer = .allocate(capacity: 1)
      var module = sqlite3_module()
      module.xConnect = Self.connect
      module.xCreate = Self.connect
      module.xBestIndex = { _, info in
        info?.pointee.estimatedCost = 10
        return SQLITE_OK
      }
      module.xDisconnect = Self.disconnect
      module.xDestroy = Self.disconnect
      module.xOpen = { _, result in
        let cursor = UnsafeMutablePointer<Cursor>.allocate(capacity: 1)
        cursor.initialize(to: Cursor(base: sqlite3_vtab_cursor(), row: 0, count: 0))
        result?.pointee = UnsafeMutableRawPointer(cursor).assumingMemoryBound(
          to: sqlite3_vtab_cursor.self
        )
        return SQLITE_OK
      }
      module.xClose = { cursor in
        if let cursor { Self.state(of: cursor).deallocate() }
        return SQLITE_OK
      }
      module.xFilter = { cursor, _, _, _, _ in
        guard let cursor else { return SQLITE_MISUSE }
        let state = Self.state(of: cursor)
        state.pointee.row = 0
        state.pointee.count = Self.list(of: cursor).pointee.count
        return SQLITE_OK
      }
      module.xNext = { cursor in
        if let cursor { Self.state(of: cursor).pointee.row += 1 }
        return SQLITE_OK
      }
      module.xEof = { cursor in
        guard let cursor else { return 1 }
        let state = Self.state(of: cursor).pointee
        return state.row >= state.count ? 1 : 0
      }
      module.xColumn = { cursor, context, _ in
        guard let cursor else { return SQLITE_MISUSE }
        let (list, row) = (Self.list(of: cursor), Self.state(of: cursor).pointee.row)
        if row < list.pointee.count { sqlite3_result_int64(context, list.pointee[row]) }
        return SQLITE_OK
      }
      module.xRowid = { cursor, rowid in
        if let cursor { rowid?.pointee = sqlite3_int64(Self.state(of: cursor).pointee.row) }
        return SQLITE_OK
      }
      pointer.initialize(to: module)
    }

    private static let connect:
      @convention(c) (
        OpaquePointer?, UnsafeMutableRawPointer?, Int32,
        UnsafePointer<UnsafePointer<CChar>?>?,
        UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?,
        UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
      ) -> Int32 = { connection, client, _, _, result, _ in
        guard let client else { return SQLITE_MISUSE }
        let code = sqlite3_declare_vtab(connection, "CREATE TABLE x(value INTEGER)")
        guard code == SQLITE_OK else { return code }
        let table = UnsafeMutablePointer<Table>.allocate(capacity: 1)
        table.initialize(
          to: Table(
            base: sqlite3_vtab(),
            list: Unmanaged<IntegerArray>.fromOpaque(client)._withUnsafeGuaranteedRef { $0.list }
          )
        )
        result?.pointee = UnsafeMutableRawPointer(table).assumingMemoryBound(to: sqlite3_vtab.self)
        return SQLITE_OK
      }

    private static let disconnect: @convention(c) (UnsafeMutablePointer<sqlite3_vtab>?) -> Int32 = {
      table in
      if let table {
        UnsafeMutableRawPointer(table).assumingMemoryBound(to: Table.self).deallocate()
      }
      return SQLITE_OK
    }
  }
}

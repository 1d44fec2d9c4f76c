import CSQLite

extension Connection {
  /// A part of a blob, for which only the pages that hold it are read: at most `count` bytes from a
  /// place, fewer where the blob ends before.
  ///
  /// Its own statement is none of those that counters see.
  /// - Throws: ``SQLiteError``, also where there is no such row or its value is no blob.
  package func blobBytes(
    table: String,
    column: String,
    row: Int64,
    from start: Int,
    count: Int
  ) throws -> [UInt8] {
    var blob: OpaquePointer?
    let context = "reading a part of \(table).\(column) of row \(row)"
    let opened = handle.timed {
      sqlite3_blob_open(handle.pointer, "main", table, column, row, 0, &blob)
    }
    guard opened == SQLITE_OK, let blob else { throw handle.error(opened, while: context) }
    defer { _ = handle.timed { sqlite3_blob_close(blob) } }
    let size = max(0, min(count, Int(sqlite3_blob_bytes(blob)) - start))
    var code = SQLITE_OK
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, filled in
      code = handle.timed {
        sqlite3_blob_read(blob, buffer.baseAddress, Int32(size), Int32(start))
      }
      filled = code == SQLITE_OK ? size : 0
    }
    guard code == SQLITE_OK else { throw handle.error(code, while: context) }
    return bytes
  }
}

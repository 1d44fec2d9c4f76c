import CSQLite

extension Connection {
  /// Reads up to `count` bytes of a blob from an offset, or fewer if the blob ends earlier.
  ///
  /// SQLite reads only the pages that contain these bytes. The counters do not include the
  /// statement that SQLite runs for the read.
  ///
  /// - Throws: ``SQLiteError``, including when the row does not exist or its value is not a blob.
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

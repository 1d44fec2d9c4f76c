import PersistentStore
import SQLite

/// What the first 100 bytes of a store say (https://www.sqlite.org/fileformat2.html#the_database_header).
package struct FileHeader: Encodable, Equatable, Sendable {
  /// Bytes of a page.
  package let pageSize: Int
  /// Pages of the file, as the header counts them.
  package private(set) var pageCount: Int
  package private(set) var freePageCount: Int
  /// Whether the file is in WAL mode: a -wal belongs beside it while it is used.
  package let usesWAL: Bool
  /// Of the library that wrote the file last, such as `3.39.5`; `nil` where it is not said.
  package var sqliteVersion: String?
  /// `none`, `full` or `incremental`.
  package private(set) var autoVacuum: String
  package private(set) var encoding: String

  /// Reads the header of a file.
  ///
  /// - Throws: ``PersistentStoreError``: `missing`, `notSQLite`, `damaged`.
  package init(of store: StoreFile) throws {
    guard store.exists else { throw PersistentStoreError.missing(path: store.path) }
    guard let bytes = FileHead.read(store.path, count: 100, followingLinks: true),
      bytes.starts(with: Array("SQLite format 3\0".utf8))
    else { throw PersistentStoreError.notSQLite(path: store.path) }
    guard bytes.count == 100 else {
      throw PersistentStoreError.damaged(path: store.path, reason: "it ends within its header")
    }
    func number(_ offset: Int, _ count: Int = 4) -> Int {
      bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
    }
    let size = number(16, 2)
    pageSize = size == 1 ? 65_536 : size
    guard pageSize >= 512, pageSize & (pageSize - 1) == 0 else {
      throw PersistentStoreError.damaged(
        path: store.path,
        reason: "its header gives pages of \(pageSize) bytes"
      )
    }
    pageCount = number(28)
    freePageCount = number(36)
    usesWAL = bytes[18] == 2 || bytes[19] == 2
    autoVacuum = number(52) == 0 ? "none" : number(64) == 0 ? "full" : "incremental"
    encoding = [1: "UTF-8", 2: "UTF-16le", 3: "UTF-16be"][number(56)] ?? "unknown"
    let version = number(96)
    sqliteVersion =
      version == 0 ? nil : "\(version / 1_000_000).\(version / 1000 % 1000).\(version % 1000)"
  }

  /// Takes from an open connection what the WAL may have changed.
  ///
  /// - Throws: ``InspectionError/notUTF8(path:encoding:)``.
  mutating func refine(by connection: Connection, of store: StoreFile) throws {
    pageCount = Int(try connection.integer("PRAGMA page_count") ?? 0)
    freePageCount = Int(try connection.integer("PRAGMA freelist_count") ?? 0)
    let level = try connection.integer("PRAGMA auto_vacuum") ?? 0
    autoVacuum = [1: "full", 2: "incremental"][level] ?? "none"
    encoding = try connection.text("PRAGMA encoding") ?? "unknown"
    guard encoding == "UTF-8" else {
      throw InspectionError.notUTF8(path: store.path, encoding: encoding)
    }
  }
}

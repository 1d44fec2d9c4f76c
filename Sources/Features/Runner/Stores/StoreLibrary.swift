import Basics
import DataModel
import Foundation
import Generators
import PersistentStore
import SQLite

/// Provides the stores of workload files: generated stores come from a cache, and stores made by
/// apps are copied.
package final class StoreLibrary: StoreProvider {
  /// The key of a prepared store.
  ///
  /// It contains the page size, because stores with different page sizes are different files.
  private struct Key: Hashable {
    let source: StoreSource
    let pageSize: Int?
  }

  private let cacheFolder: String
  private let progress: (GenerationProgress) -> Void
  private var prepared: [Key: PreparedStore] = [:]

  /// Creates a library that keeps generated stores in a cache folder across runs.
  package init(cacheFolder: String, progress: @escaping (GenerationProgress) -> Void = { _ in }) {
    self.cacheFolder = cacheFolder
    self.progress = progress
  }

  /// Returns the store of a workload file; files with the same store contents and page size share a
  /// store.
  ///
  /// - Throws: errors of making or copying the store.
  package func store(for file: WorkloadFile, in scratch: ScratchFolder) throws -> PreparedStore {
    let key = Key(source: file.store, pageSize: file.storePageSize)
    if let store = prepared[key] { return store }
    let store: PreparedStore
    switch file.store {
    case .recipe(let name, let reference):
      let recipe = try file.recipe ?? reference.read()
      store = try generated(name, reference, recipe, by: file.storeWriter)
    case .file(let path, let model):
      let folder = try scratch.emptyFolder("made-\(prepared.count)")
      let copy = try MadeStore(path: path).copy(into: folder)
      if let size = key.pageSize { try copy.rewrite(pageSize: size) }
      store = try described(copy, from: path, given: model)
    }
    prepared[key] = store
    return store
  }

  private func generated(
    _ name: String,
    _ reference: RecipeReference,
    _ recipe: Recipe,
    by writer: any StoreWriter
  ) throws -> PreparedStore {
    let cache = StoreCache(folder: cacheFolder, writer: writer)
    let store = try cache.store(of: recipe, progress: progress)
    var source = name
    if let model = reference.model { source += " with \(Self.lastTwo(of: model))" }
    return PreparedStore(
      store: store,
      description: StoreDescription(
        source: source,
        seed: recipe.seed,
        objects: Dictionary(recipe.entities.map { ($0.name, $0.count) }) { $0 + $1 },
        bytes: store.bytes,
        digest: try StoreFingerprint.digest(of: store.path)
      ),
      recipe: reference,
      mayBreakRules: recipe.isDirty
    )
  }

  private static func lastTwo(of path: String) -> String {
    path.split(separator: "/").suffix(2).joined(separator: "/")
  }

  /// Describes the copy of a store made by an app; errors about its metadata or model name the
  /// user's path.
  private func described(
    _ store: StoreFile,
    from path: String,
    given: ModelFamily?
  ) throws -> PreparedStore {
    // Read the files before opening a connection, which may change the WAL.
    let (bytes, digest) = (store.bytes, try StoreFingerprint.digest(of: store.path))
    let connection = try Connection(path: store.path, mode: .readOnly, settings: nil)
    try connection.checkCells()
    _ = try StoreMetadata(from: connection, path: path)
    let model = try ModelCache.read(from: connection, path: path, given: given)
    let objects = try ObjectCounts.read(connection)
    if given != nil { try ModelCache.write(model, to: store) }
    return PreparedStore(
      store: store,
      description: StoreDescription(
        source: store.name,
        seed: nil,
        objects: objects,
        bytes: bytes,
        digest: digest
      ),
      userPath: path
    )
  }
}

extension WorkloadFile {
  /// The page size of the workload's store in bytes; `nil` if an app made the store and the
  /// workload keeps its page size.
  var storePageSize: Int? {
    if case .file = store, !setsPageSize { return nil }
    return settings.pageSize
  }

  var storeWriter: any StoreWriter { BulkStoreWriter(pageSize: settings.pageSize) }
}

extension StoreFile {
  /// Rewrites a copy with another page size.
  ///
  /// `VACUUM` changes the page size only outside of WAL mode.
  fileprivate func rewrite(pageSize: Int) throws {
    guard let header = StoreHeader(path: path), header.pageSize != pageSize else { return }
    let connection = try Connection(path: path, mode: .readWrite, settings: nil)
    try connection.execute("PRAGMA journal_mode = delete")
    try connection.execute("PRAGMA page_size = \(pageSize)")
    try connection.execute("VACUUM")
    if header.usesWAL { try connection.execute("PRAGMA journal_mode = wal") }
  }
}

/// The fields of the first 100 bytes of a SQLite file (https://www.sqlite.org/fileformat2.html).
package struct StoreHeader: Hashable, Sendable {
  package static let size = 100

  package let pageSize: Int
  /// Whether the file uses a write-ahead log.
  package let usesWAL: Bool
  /// The file format version that a reader must support: 1, or 2 with a WAL.
  package let readVersion: Int
  /// The schema format number, from 1 to 4; newer formats cannot be read.
  package let schemaFormat: Int
  package let hasAutoVacuum: Bool
  package let isIncremental: Bool
  /// The number of pages in the file; `nil` if the header's count is not valid.
  package let pageCount: Int?

  /// Parses a header; `nil` if it is not a SQLite header.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.size, bytes.areOfSQLiteFile else { return nil }
    func number(_ offset: Int, _ count: Int = 4) -> Int {
      bytes[offset..<(offset + count)].reduce(0) { $0 << 8 | Int($1) }
    }
    let size = number(16, 2)
    pageSize = size == 1 ? 65_536 : size
    guard (512...65_536).contains(pageSize), pageSize & (pageSize - 1) == 0 else { return nil }
    readVersion = number(19, 1)
    usesWAL = readVersion == 2
    schemaFormat = number(44)
    hasAutoVacuum = number(52) != 0
    isIncremental = number(64) != 0
    // The header's page count is valid only if the file change counter equals the version-valid-for
    // number.
    pageCount = number(24) == number(92) && number(28) > 0 ? number(28) : nil
  }

  /// Reads the header of a file; `nil` if the file cannot be read or has no SQLite header.
  package init?(path: String) {
    guard let file = FileHandle(forReadingAtPath: path),
      let data = try? file.read(upToCount: Self.size)
    else { return nil }
    try? file.close()
    self.init(Array(data))
  }

  /// The value of `PRAGMA auto_vacuum` in words.
  package var autoVacuum: String {
    hasAutoVacuum ? (isIncremental ? "incremental" : "full") : "none"
  }

  /// The store's properties, other than pragmas, that affect a case's counters: its disk's sector
  /// size and characteristics, and the statistics of `ANALYZE`, which the query planner uses.
  struct Facts {
    /// The properties by name, recorded together with the pragmas; their names differ from the
    /// pragmas' names.
    let named: [String: String]

    init(of store: StoreFile) {
      guard let connection = try? Connection(path: store.path, mode: .immutable, settings: nil),
        let statistics = try? Self.statistics(connection),
        let disk = connection.fileFacts
      else {
        named = [:]
        return
      }
      named = [
        "sqlite_stat1": statistics,
        "sector_size": String(disk.sectorSize),
        "device_characteristics": "0x" + String(disk.deviceCharacteristics, radix: 16),
      ]
    }

    private static func statistics(_ connection: Connection) throws -> String {
      let tables = "SELECT count(*) FROM sqlite_schema WHERE name = 'sqlite_stat1'"
      guard try connection.integer(tables) != 0 else { return "none" }
      var digest = SHA256()
      let rows = try connection.prepare("SELECT tbl, idx, stat FROM sqlite_stat1 ORDER BY 1, 2, 3")
      while try rows.step() {
        let row = (0..<3).map { rows.text(at: $0) }.joined(separator: "|")
        digest.update(data: Array((row + "\n").utf8))
      }
      return digest.finalize().prefix(8).hexadecimal
    }
  }
}

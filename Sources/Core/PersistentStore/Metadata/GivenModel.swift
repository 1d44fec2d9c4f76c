import DataModel
import SQLite

/// The version of a user-specified model with which a store was written.
///
/// Stores of framework versions up to 641 do not contain their model, so the user specifies the
/// app's model (coredata-format.md, section 16). The version is found by the version hashes in the
/// store, or else by the store's tables.
package struct GivenModel: Sendable {
  package let version: VersionedSchema

  /// Selects the version that matches a store.
  ///
  /// - Throws: ``PersistentStoreError/modelMismatch(path:table:column:)`` with a missing column of
  ///   the nearest version, if the store lacks columns of every version;
  ///   ``PersistentStoreError/foreignModel(path:)``, if the store has no table of any version.
  package init(among family: ModelFamily, for connection: Connection, path: String) throws {
    let metadata = try StoreMetadata(from: connection, path: path)
    let hashes = metadata.versionHashes
    if !hashes.isEmpty,
      let version = family.versions.first(where: { family.versionHashes[$0.name] == hashes })
    {
      self.version = version
      return
    }
    // If several versions match equally well, prefer the current version, then the latest.
    let candidates =
      family.versions.filter { $0.name == family.current }
      + family.versions.reversed().filter { $0.name != family.current }
    let fits = try candidates.map {
      try Fit($0, framework: metadata.frameworkVersion, connection)
    }
    guard let best = fits.min(by: { $0.distance < $1.distance }) else {
      throw PersistentStoreError.noModel(path: path)
    }
    if let missing = best.missing.first {
      guard fits.contains(where: { $0.sharesTable }) else {
        throw PersistentStoreError.foreignModel(path: path)
      }
      throw PersistentStoreError.modelMismatch(
        path: path,
        table: missing.table,
        column: missing.column
      )
    }
    version = best.version
  }

  /// The number of differences between the tables of a store and a version; missing columns weigh
  /// most.
  private struct Fit {
    let version: VersionedSchema
    private(set) var missing: [(table: String, column: String)] = []
    private(set) var unexpected = 0
    /// Whether the store has a table of one of the version's entities.
    private(set) var sharesTable = false

    var distance: Int { missing.count * 10_000 + unexpected }

    init(_ version: VersionedSchema, framework: Int, _ connection: Connection) throws {
      self.version = version
      let form = try StoreForm(of: connection)
      let layout = StoreLayout(model: version.model, framework: framework, form: form)
      let own = Set(layout.tables.map(\.name))
      var expected: Set<String> = []
      for (table, columns) in layout.tableColumns {
        expected.insert(table)
        let found = Set(try connection.columnNames(of: table))
        if own.contains(table), !found.isEmpty { sharesTable = true }
        missing += columns.filter { !found.contains($0) }.map { (table, $0) }
        unexpected += found.subtracting(columns).count
      }
      let known = expected.union(["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"])
      unexpected += form.tables.count { $0.hasPrefix("Z") && !known.contains($0) }
    }
  }
}

extension ModelCache {
  /// Returns the model for reading a store: the matching version of a given model, or the store's
  /// own.
  package static func read(
    from connection: Connection,
    path: String,
    given: ModelFamily?
  ) throws -> Model {
    try readReporting(from: connection, path: path, given: given).model
  }

  /// Returns the model for reading a store, and the names of the model's unknown parts.
  package static func readReporting(
    from connection: Connection,
    path: String,
    given: ModelFamily?
  ) throws -> (model: Model, unknown: [String]) {
    guard let given else { return try readReporting(from: connection, path: path) }
    let choice = try GivenModel(among: given, for: connection, path: path)
    return (choice.version.model, given.unknown)
  }

  /// Stores a model in a working copy of a store, so that later readers find the model there.
  ///
  /// Must not be used on a user's own file.
  package static func write(_ model: Model, to copy: StoreFile) throws {
    let connection = try Connection(path: copy.path, mode: .readWrite, settings: nil)
    try connection.transaction {
      try connection.execute("CREATE TABLE IF NOT EXISTS Z_MODELCACHE (Z_CONTENT BLOB)")
      try connection.execute("DELETE FROM Z_MODELCACHE")
      let insert = try connection.prepare("INSERT INTO Z_MODELCACHE VALUES (?)")
      insert.bind(.blob(content(of: model)), at: 1)
      try insert.run()
    }
  }
}

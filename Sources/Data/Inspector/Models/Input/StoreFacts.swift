import DataModel
import PersistentStore
import SQLite

/// What a store says of its model and of itself, read without leaving a trace.
package struct StoreFacts: Sendable {
  package let store: StoreFile
  package let metadata: StoreMetadata
  package let model: Model
  /// By name, what in the model cache is not understood.
  package let unknown: [String]
  package let keepsHistory: Bool
  /// Whether the store has the tables of mirroring to CloudKit.
  package let isMirrored: Bool
  package let layout: StoreLayout

  /// Whether SwiftData wrote the store: its model has the one configuration "default"
  /// (coredata-format.md, section 14).
  package var isSwiftData: Bool { Array(model.configurations.keys) == ["default"] }

  /// Reads the model and the metadata of a store.
  ///
  /// Throws a ``PersistentStoreError`` where it is none, is damaged or carries no sound model.
  package init(store: StoreFile) throws {
    self.store = store
    (metadata, model, unknown, layout, isMirrored) = try Self.reading(store) { connection in
      let metadata = try StoreMetadata(from: connection, path: store.path)
      let (model, unknown) = try ModelCache.readReporting(from: connection, path: store.path)
      let problems = model.problems().filter { $0.severity == .error }.map(\.description)
      guard problems.isEmpty else { throw PersistentStoreError.invalidModel(problems) }
      let tables = try Self.tables(connection)
      let layout = StoreLayout(
        model: model,
        framework: metadata.frameworkVersion,
        tables: tables
      )
      return (metadata, model, unknown, layout, tables.contains { $0.hasPrefix("ANSCK") })
    }
    keepsHistory = layout.keepsHistory
  }

  /// Hands out a connection that changes nothing, neither in the file nor beside it.
  package static func reading<Result>(
    _ store: StoreFile,
    _ body: (Connection) throws -> Result
  ) throws -> Result {
    guard store.exists else { throw PersistentStoreError.missing(path: store.path) }
    do {
      let connection = try Connection(path: store.path, mode: store.restingMode, settings: nil)
      try connection.distrustSchema()
      let tables = try tables(connection)
      for table in ["Z_PRIMARYKEY", "Z_METADATA"] where !tables.contains(table) {
        throw PersistentStoreError.notCoreData(path: store.path, missing: "table \(table)")
      }
      return try body(connection)
    } catch let error as SQLiteError {
      throw StoreOpening.translated(error, path: store.path)
    }
  }

  private static func tables(_ connection: Connection) throws -> Set<String> {
    let row = try connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
    var names: Set<String> = []
    while try row.step() { names.insert(row.text(at: 0)) }
    return names
  }
}

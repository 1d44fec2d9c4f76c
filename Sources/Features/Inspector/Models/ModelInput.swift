import Basics
import DataModel
import Foundation
import PersistentStore
import SQLite

/// A model given by the user as a store, a version, or a family of versions.
package struct ModelInput: Sendable {
  package enum Kind: String, Sendable {
    case store
    case version
    case family
  }

  package let path: String
  package let kind: Kind
  /// All versions of the source; for a store, only its own version.
  package let family: ModelFamily
  /// The selected version: the current version or, without one, the last version.
  package let version: VersionedSchema
  /// Information about the store; `nil` if the source is not a store.
  package let store: StoreFacts?

  /// Reads a store, a model, or a folder that contains a model or a single store.
  ///
  /// A store is read with the given model or, if there is none, with the store's own model.
  ///
  /// - Throws: a ``Refusal`` or a ``PersistentStoreError``.
  package static func read(path: String, model: ModelFamily? = nil) throws -> ModelInput {
    let file = ModelSource.parts(of: path).file
    guard FileManager.default.fileExists(atPath: file) else { throw Refusal.noSuchFile(path: path) }
    if let kind = MistakenFile(path: path) { throw kind.error(path: path) }
    if StoreSearch.isSQLiteFile(path) {
      return ModelInput(try StoreFacts(store: StoreFile(path: path), model: model))
    }
    if StoreSearch.isFolder(path), !isModelFolder(path),
      try ModelSource.sources(below: path).isEmpty,
      let stores = try? StoreSearch.stores(in: path), stores.count == 1
    {
      return ModelInput(try StoreFacts(store: stores[0], model: model))
    }
    guard StoreSearch.isFolder(file) || isModelFile(file) else {
      throw Refusal.badInput(
        "'\(path)' is neither a SQLite file nor a model: name a store, a folder "
          + "with stores, an .xcdatamodeld, .xcdatamodel, .momd, .mom, .swift or model .yaml"
      )
    }
    return try ModelInput(path: path, family: try ModelSource.read(path: path))
  }

  /// Whether a file or folder is a model, judged by its name.
  package static func isModelFile(_ path: String) -> Bool {
    let name = URL(fileURLWithPath: path)
    return ["mom", "xml", "yaml", "yml", "swift", "lock"].contains(name.pathExtension.lowercased())
      || isModelFolder(path) || ["contents", "elements"].contains(name.lastPathComponent)
  }

  /// Whether a folder is a model, judged by its name.
  package static func isModelFolder(_ path: String) -> Bool {
    let suffix = URL(fileURLWithPath: path).pathExtension.lowercased()
    return ["xcdatamodeld", "xcdatamodel", "momd"].contains(suffix)
  }

  package init(path: String, family: ModelFamily) throws {
    let meant = family.current.flatMap { family.version(named: $0) } ?? family.versions.last
    guard let meant else { throw Refusal.cannotRead(path, reason: "it contains no model") }
    try family.requireSound(path: path)
    self.path = path
    self.family = family
    kind = family.versions.count > 1 ? .family : .version
    version = meant
    store = nil
  }

  init(_ facts: StoreFacts) {
    let schema = VersionedSchema(name: facts.store.name, model: facts.model)
    path = facts.store.path
    kind = .store
    version = schema
    store = facts
    var family = ModelFamily(versions: [schema], unknown: facts.unknown)
    family.versionHashes[schema.name] = facts.metadata.versionHashes
    self.family = family
  }

  /// The version hashes of the selected version by entity; `nil` if the source has no hashes.
  package var hashes: [String: [UInt8]]? {
    guard let hashes = family.versionHashes[version.name], !hashes.isEmpty else { return nil }
    return hashes
  }

  /// Whether the order of the versions is known, from their names or from a Swift migration plan.
  package var isOrdered: Bool { !Self.isModelFolder(path) || family.hasKnownOrder }

  /// Whether the source is SwiftData's: a store, Swift sources, or a model file written from
  /// either.
  package var isSwiftData: Bool { version.model.isSwiftData }

  /// The name of the source in reports, followed by the version if the source has several.
  package var title: String {
    let file = URL(fileURLWithPath: path).lastPathComponent
    switch kind {
    case .store, .version: return file
    case .family: return "\(file), version '\(version.name)'"
    }
  }
}

/// The model and metadata of a store, read without modifying any file.
package struct StoreFacts: Sendable {
  package let store: StoreFile
  package let metadata: StoreMetadata
  package let model: Model
  /// Whether the model is a version of a given model instead of the store's own model.
  package let isModelGiven: Bool
  /// The names of the parts of the store's model cache that are unknown to StoreBench.
  package let unknown: [String]
  package let keepsHistory: Bool
  /// Whether the store has tables for mirroring to CloudKit.
  package let isMirrored: Bool
  package let layout: StoreLayout

  /// Whether SwiftData wrote the store.
  package var isSwiftData: Bool { model.isSwiftData }

  /// Reads the metadata and the model of a store; if a family is given, selects the store's version
  /// from it.
  ///
  /// - Throws: a ``PersistentStoreError`` if the file is not a store, is damaged or has no valid
  ///   model.
  package init(store: StoreFile, model given: ModelFamily? = nil) throws {
    self.store = store
    isModelGiven = given != nil
    (metadata, model, unknown, layout, isMirrored) = try Self.reading(store) { connection in
      let metadata = try StoreMetadata(from: connection, path: store.path)
      let (model, unknown) = try ModelCache.readReporting(
        from: connection,
        path: store.path,
        given: given
      )
      let problems = model.errors
      guard problems.isEmpty else { throw PersistentStoreError.invalidModel(problems) }
      let tables = try Self.tables(connection)
      let layout = StoreLayout(
        model: model,
        framework: metadata.frameworkVersion,
        form: try StoreForm(of: connection)
      )
      return (metadata, model, unknown, layout, tables.contains { $0.hasPrefix("ANSCK") })
    }
    keepsHistory = layout.keepsHistory
  }

  /// Returns the number of objects by entity name, excluding the objects of sub-entities.
  ///
  /// - Throws: a ``PersistentStoreError``.
  package func objectCounts() throws -> [String: Int64] {
    try Self.reading(store) { connection in
      var counts: [String: Int64] = [:]
      for table in layout.tables {
        let rows = try connection.prepare(
          "SELECT Z_ENT, count(*) FROM \(table.name.quotedName) GROUP BY Z_ENT"
        )
        while try rows.step() {
          let number = Int(truncatingIfNeeded: rows.integer(at: 0))
          if let entity = layout.numbers.entity(number) {
            counts[entity.name] = rows.integer(at: 1)
          }
        }
      }
      return counts
    }
  }

  /// Calls a closure with a connection that modifies neither the store nor its folder.
  ///
  /// - Throws: a ``PersistentStoreError`` if the store cannot be read, or an error of the closure.
  package static func reading<Result>(
    _ store: StoreFile,
    _ body: (Connection) throws -> Result
  ) throws -> Result {
    guard store.exists else { throw PersistentStoreError.missing(path: store.path) }
    do {
      let connection = try Connection(path: store.path, mode: store.restingMode, settings: nil)
      try connection.checkCells()
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

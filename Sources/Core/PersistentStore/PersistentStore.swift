import Basics
import DataModel
import SQLite

/// An open store: its connection, its layout, and the sources of its identifiers and times.
package final class PersistentStore {
  package let file: StoreFile
  package let connection: Connection
  package let layout: StoreLayout
  /// The source of UUIDs for external files, seeded from the store's options.
  package let identifiers: IdentifierSource
  /// The clock for history, in seconds since 2001-01-01 00:00:00 UTC; it follows the seed, not the
  /// system clock.
  package let clock: () -> Double
  package let bundleIdentifier: String
  package let processName: String

  let keyTables: KeyTables

  package var model: Model { layout.model }

  /// The options for creating or opening a store.
  package struct Options: Sendable {
    package var settings: ConnectionSettings
    /// The seed for UUIDs and for the times in the history.
    package var seed: UInt64
    /// Whether history is kept.
    ///
    /// If `nil`, an existing store keeps history if it has the tables for it; a new one does not.
    package var keepsHistory: Bool?
    package var bundleIdentifier: String
    package var processName: String
    /// The start of the clock, in seconds since 2001-01-01; by default 2026-04-01 09:00 UTC.
    package var startTime = 796_726_800.0
    /// The seconds between two readings of the clock.
    package var tick = 0.25

    package init(
      settings: ConnectionSettings = ConnectionSettings(),
      seed: UInt64 = 0,
      keepsHistory: Bool? = nil,
      bundleIdentifier: String = "org.storebench.app",
      processName: String = "storebench"
    ) {
      self.settings = settings
      self.seed = seed
      self.keepsHistory = keepsHistory
      self.bundleIdentifier = bundleIdentifier
      self.processName = processName
    }
  }

  private init(file: StoreFile, connection: Connection, layout: StoreLayout, options: Options) {
    self.file = file
    self.connection = connection
    self.layout = layout
    keyTables = KeyTables(connection: connection)
    identifiers = IdentifierSource(seed: options.seed)
    clock = Self.clock(options)
    bundleIdentifier = options.bundleIdentifier
    processName = options.processName
  }

  /// A clock that advances by slightly more than a tick per reading, to avoid whole seconds, which
  /// SQLite stores in fewer bytes.
  private static func clock(_ options: Options) -> () -> Double {
    var reading = 0
    let start = options.startTime + Double(options.seed % 1024) / 1024 + 1.0 / 4096
    return {
      reading += 1
      return start + Double(reading) * (options.tick + 1.0 / 8192)
    }
  }

  /// Creates an empty store of a model.
  ///
  /// The framework version in the metadata determines the form of tables and indexes.
  ///
  /// - Throws: ``PersistentStoreError/exists(path:)``, ``PersistentStoreError/invalidModel(_:)``.
  package static func create(
    at path: String,
    model: Model,
    metadata: StoreMetadata? = nil,
    options: Options = Options()
  ) throws -> PersistentStore {
    let file = StoreFile(path: path)
    guard !file.exists else { throw PersistentStoreError.exists(path: path) }
    guard model.isValid else { throw PersistentStoreError.invalidModel(model.errors) }
    let framework = metadata?.frameworkVersion ?? StoreMetadata.currentFrameworkVersion
    let layout = StoreLayout(
      model: model,
      keepsHistory: options.keepsHistory ?? false,
      generation: LayoutGeneration(framework: framework)
    )
    let connection = try Connection(path: path, mode: .create, settings: options.settings)
    let store = PersistentStore(
      file: file,
      connection: connection,
      layout: layout,
      options: options
    )
    let metadata =
      metadata
      ?? StoreMetadata(uuid: store.identifiers.next(), versionIdentifiers: model.versionIdentifiers)
    try connection.transaction {
      try connection.executeScript(layout.definitions)
      try SystemRows(layout: layout, metadata: metadata).write(to: connection)
    }
    return store
  }

  /// Opens a store with a given model, or with the model in its Z_MODELCACHE.
  package static func open(
    _ file: StoreFile,
    model: Model? = nil,
    mode: Connection.Mode = .readWrite,
    options: Options = Options()
  ) throws -> PersistentStore {
    let connection = try StoreOpening.connect(file, mode: mode, settings: options.settings)
    let model = try model ?? ModelCache.read(from: connection, path: file.path)
    try model.checkNames()
    let tables = try StoreOpening.ordinaryTables(connection)
    let keepsHistory =
      try options.keepsHistory ?? StoreOpening.hasTable("ATRANSACTION", connection)
    let layout = StoreLayout(
      model: model,
      keepsHistory: keepsHistory,
      form: try StoreForm(of: connection)
    )
    try StoreOpening.check(layout, tables: tables, against: connection, path: file.path)
    return PersistentStore(file: file, connection: connection, layout: layout, options: options)
  }
}

/// The reason why a file cannot be used as a store.
package enum PersistentStoreError: ErrorWithStatus, Equatable, CustomStringConvertible {
  case missing(path: String)
  case exists(path: String)
  case notSQLite(path: String)
  case notCoreData(path: String, missing: String)
  case damaged(path: String, reason: String)
  /// The file lacks a part that every store has, but shows no sign of damage.
  case incomplete(path: String, reason: String)
  case locked(path: String)
  case modelMismatch(path: String, table: String, column: String)
  /// The store has no table for any of the given model's entities.
  case foreignModel(path: String)
  case invalidModel([String])
  case noModel(path: String)

  package var status: CommandStatus {
    switch self {
    case .missing: .noInput
    case .exists: .cannotWrite
    default: .badInput
    }
  }

  package var description: String {
    switch self {
    case .missing(let path): "there is no store at '\(path)'\(didYouMean(fileAt: path))"
    case .exists(let path): "there is a file at '\(path)' already; choose another name"
    case .notSQLite(let path):
      "'\(path)' is not a SQLite file; "
        + (MistakenFile(path: path)?.explanation ?? "name the store's main file, such as App.sqlite")
    case .notCoreData(let path, let missing):
      "'\(path)' is a SQLite file but not a Core Data store: it has no \(missing); name a store of "
        + "an app that uses Core Data or SwiftData"
    case .damaged(let path, let reason):
      "the store '\(path)' is damaged: \(reason)"
        + (StoreFile(path: path).shortfall.map { "; \($0)" } ?? "")
    case .incomplete(let path, let reason): "the store '\(path)' is incomplete: \(reason)"
    case .locked(let path): "the store '\(path)' is locked by another process; close it first"
    case .modelMismatch(let path, let table, let column):
      "the store '\(path)' does not match its model: table \(table) has no column \(column)"
    case .foreignModel(let path):
      "the given model does not belong to '\(path)': the store has none of its entities, so it "
        + "seems to be another app's model"
    case .invalidModel(let problems): "the model is invalid: " + problems.joined(separator: "; ")
    case .noModel(let path):
      "the store '\(path)' does not contain its model: pass the app's model with --model"
    }
  }
}

/// A seeded source of UUIDs for store identifiers, the names of external files, and other names.
package final class IdentifierSource {
  private var numbers: SplitMix64

  package init(seed: UInt64) {
    numbers = SplitMix64(state: seed)
  }

  /// Returns the 16 bytes of the next UUID (version 4), in the order of RFC 9562.
  package func nextBytes() -> [UInt8] {
    var bytes: [UInt8] = []
    for bits in [numbers.next(), numbers.next()] {
      bytes += (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * $0)) }
    }
    bytes[6] = bytes[6] & 0x0f | 0x40
    bytes[8] = bytes[8] & 0x3f | 0x80
    return bytes
  }

  /// Returns the next UUID as 36 characters in upper case.
  package func next() -> String { UUIDText.text(of: nextBytes()) }
}

import DataModel
import PersistentStore
import Runner
import SQLite

/// The engines that a program was built with: GRDB is compiled only with the trait `GRDB`.
package struct EngineCatalogue: Hashable, Sendable {
  package let hasGRDB: Bool

  package init(hasGRDB: Bool) {
    self.hasGRDB = hasGRDB
  }

  #if GRDB
    /// The engines of this program.
    package static let built = EngineCatalogue(hasGRDB: true)
  #else
    /// The engines of this program.
    package static let built = EngineCatalogue(hasGRDB: false)
  #endif

  /// Why no case of an engine can be run, and the command that builds a program that can.
  package func absence(of engine: String) -> String? {
    guard engine == "grdb", !hasGRDB else { return nil }
    return
      "this program was built without the engine 'grdb'; 'make run GRDB=1' builds and runs one "
      + "with it, 'make install' installs one"
  }
}

/// The work of the engine `grdb`; a plan has none of its cases in a program without GRDB.
enum GRDBEngine {
  /// GRDB's own connection, whose counters are not read.
  static let note = "GRDB uses its own connection, whose counters are not read"

  #if GRDB
    /// Runs plain statements by GRDB; a connection that only reads leaves the file as it is.
    static func writer(
      on file: StoreFile,
      _ settings: ConnectionSettings,
      onlyReads: Bool
    ) throws -> any RowWriting {
      try GRDBWriter(file: file, settings: settings, onlyReads: onlyReads)
    }

    /// Fetches GRDB's records.
    static func fetch(
      _ parameters: FetchParameters,
      _ subject: FetchSubject,
      _ store: PersistentStore,
      _ settings: ConnectionSettings
    ) throws -> any FetchEngine {
      try RecordFetch(parameters, subject, store: store, settings: settings)
    }

    /// Whether the record type has an entity's attributes.
    static func hasRecords(of entity: Entity) -> Bool { TaskRecord.fits(entity) }
  #else
    private struct Missing: Error {}

    static func writer(
      on file: StoreFile,
      _ settings: ConnectionSettings,
      onlyReads: Bool
    ) throws -> any RowWriting {
      throw Missing()
    }

    static func fetch(
      _ parameters: FetchParameters,
      _ subject: FetchSubject,
      _ store: PersistentStore,
      _ settings: ConnectionSettings
    ) throws -> any FetchEngine {
      throw Missing()
    }

    static func hasRecords(of entity: Entity) -> Bool { false }
  #endif
}

import Basics
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

  /// The engines of this program.
  package static let built: EngineCatalogue = {
    #if GRDB
      EngineCatalogue(hasGRDB: true)
    #else
      EngineCatalogue(hasGRDB: false)
    #endif
  }()

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

  /// Runs plain statements by GRDB; a connection that only reads leaves the file as it is.
  static func writer(
    on file: StoreFile,
    _ settings: ConnectionSettings,
    onlyReads: Bool
  ) throws -> any RowWriting {
    #if GRDB
      try GRDBWriter(file: file, settings: settings, onlyReads: onlyReads)
    #else
      throw missing
    #endif
  }

  #if !GRDB
    private static let missing = Refusal(.bug, "a case of 'grdb' runs in a program without GRDB")
  #endif
}

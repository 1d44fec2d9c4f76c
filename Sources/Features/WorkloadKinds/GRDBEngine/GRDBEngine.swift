import Basics
import DataModel
import PersistentStore
import Runner
import SQLite

/// The engines that a program was built with.
///
/// GRDB is compiled only if the package trait `GRDB` is enabled.
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

  /// The reason why cases of an engine cannot run, with the command that builds a suitable program;
  /// `nil` if they can run.
  package func absence(of engine: String) -> String? {
    guard engine == "grdb", !hasGRDB else { return nil }
    return
      "this program was built without the engine 'grdb'; 'make run GRDB=1' builds and runs one "
      + "with it, 'make install' installs one"
  }
}

/// The work of the engine `grdb`.
///
/// A program built without GRDB plans no cases with it.
enum GRDBEngine {
  static let note = "GRDB uses its own connection, whose counters are not read"

  /// Returns a writer that runs SQL statements through GRDB.
  ///
  /// If the writer only reads, it leaves the file unchanged.
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

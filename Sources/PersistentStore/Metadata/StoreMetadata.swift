import DataModel
import SQLite

/// What Z_METADATA says of a store (coredata-format.md, section 9).
package struct StoreMetadata: Hashable, Sendable {
  /// The store's UUID, 36 characters in upper case; it survives migrations.
  package var uuid: String
  package var versionIdentifiers: [String]
  /// The version of the framework whose layout the store has.
  package var frameworkVersion: Int

  package init(
    uuid: String, versionIdentifiers: [String], frameworkVersion: Int = 1523
  ) {
    self.uuid = uuid
    self.versionIdentifiers = versionIdentifiers
    self.frameworkVersion = frameworkVersion
  }
}

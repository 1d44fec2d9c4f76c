import Basics
import DataModel
import Foundation
import SwiftModels

/// The lock file, which lists the shipped versions of a schema and is committed with the sources.
package enum LockFile {
  private static let head = """
    # The versions of the schema that have shipped. Written by 'storebench schema lock'; commit it,
    # and review every change of it: 'storebench schema check --lock' compares the sources with it.

    """

  /// Returns the text of a lock file for a schema.
  ///
  /// The text lists all versions or, if the sources declare no versions, the classes.
  package static func text(of family: SwiftModelFamily) -> String {
    head + VersionsFile.text(of: family.modelFamily)
  }

  /// Returns the updated text of an older lock file.
  ///
  /// Shipped versions that were removed from the sources are kept. Shipped versions that changed
  /// are replaced only if `replacing` is set.
  package static func text(
    of family: SwiftModelFamily,
    after old: ModelFamily,
    replacing: Bool
  ) -> String {
    var new = family.modelFamily
    let names = Set(new.versions.map(\.name))
    let kept = old.versions.filter { !names.contains($0.name) }
    for version in replacing ? kept : old.versions {
      new.assumed[version.name] = old.assumed[version.name]
      new.enumCases[version.name] = old.enumCases[version.name]
    }
    new.versions =
      kept
      + new.versions.map { version in
        replacing ? version : old.version(named: version.name) ?? version
      }
    return head + VersionsFile.text(of: new)
  }

  /// Reads the versions of a lock file, with the assumptions about their properties' storage.
  ///
  /// - Throws: A ``Refusal`` if the file cannot be read, or ``InvalidInput`` with all problems of
  ///   the file.
  package static func read(path: String) throws -> ModelFamily {
    try VersionsFile.read(path: path)
  }
}

import Basics
import DataModel
import Foundation
import SwiftModels

/// The lock file: the versions of a schema that have shipped, committed beside the sources.
package enum LockFile {
  private static let head = """
    # The versions of the schema that have shipped. Written by 'storebench schema lock'; commit it,
    # and review every change of it: 'storebench schema check --lock' compares the sources with it.

    """

  /// The text for a family: all its versions, or the classes of sources without versions.
  package static func text(of family: SwiftModelFamily) -> String {
    head + VersionsFile.text(of: family.modelFamily.versions)
  }

  /// The text for a family after an older lock: versions that shipped and are gone from the sources
  /// stay, and those that changed are replaced only if `replacing` says so.
  package static func text(
    of family: SwiftModelFamily,
    after old: [VersionedSchema],
    replacing: Bool
  ) -> String {
    let new = family.modelFamily.versions
    let names = Set(new.map(\.name))
    let kept = old.filter { !names.contains($0.name) }
    let versions = new.map { version in
      replacing ? version : old.first { $0.name == version.name } ?? version
    }
    return head + VersionsFile.text(of: kept + versions)
  }

  /// The versions of a lock file.
  ///
  /// Throws a ``Refusal`` or every problem of the file.
  package static func read(path: String) throws -> [VersionedSchema] {
    try VersionsFile.read(path: path).versions
  }
}

import Basics
import DataModel

/// Whether a last release with Core Data can bring the store to the new names by a lightweight
/// migration, so that SwiftData opens it where it is.
package struct RenameFirst: Hashable, Encodable, Sendable {
  /// What keeps a lightweight migration from doing it, in sentences; empty where it can.
  package let blockers: [String]

  /// Whether it works.
  package var isPossible: Bool { blockers.isEmpty }

  init(_ mapping: MappingModel) {
    blockers = mapping.renamingBlockers
  }
}

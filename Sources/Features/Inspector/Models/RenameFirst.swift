import DataModel

/// Whether a final Core Data release of the app can rename the store's entities by a lightweight
/// migration.
///
/// If it can, SwiftData can open the store in place afterward.
package struct RenameFirst: Hashable, Encodable, Sendable {
  /// Sentences about why a lightweight migration cannot rename the entities; empty if it can rename
  /// them.
  package let blockers: [String]
  /// Whether the answer rests on the guesses of a drafted map.
  package let isDrafted: Bool

  /// Whether a final Core Data release of the app can rename the entities by a lightweight
  /// migration.
  package var isPossible: Bool { blockers.isEmpty }

  /// Judges a mapping, or the drafted map if the mapping is inferred and does not rename enough.
  ///
  /// An inferred mapping does not match entities with different names.
  init(_ mapping: MappingModel) {
    let own = mapping.renamingBlockers
    let drafted = own.isEmpty || mapping.map != nil ? nil : Self.drafted(like: mapping)
    (blockers, isDrafted) = (drafted?.renamingBlockers ?? own, drafted != nil)
  }

  private static func drafted(like mapping: MappingModel) -> MappingModel? {
    let draft = MapDraft(from: mapping.source, to: mapping.destination)
    guard let map = try? MapFile.parse(draft.text(title: "", counts: [:]), file: "draft") else {
      return nil
    }
    return try? MappingModel(from: mapping.source, to: mapping.destination, by: map)
  }
}

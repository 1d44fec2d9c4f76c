import DataModel

/// Whether a final Core Data release of the app can rename the store's entities by a lightweight
/// migration.
///
/// If it can, SwiftData can open the store in place afterward.
package struct RenameFirst: Hashable, Encodable, Sendable {
  /// The reasons why a lightweight migration cannot rename the entities; empty if it can.
  package let blockers: [String]
  /// Whether the result is based on the guesses of a drafted map.
  package let isDrafted: Bool

  /// Whether a final Core Data release of the app can rename the entities by a lightweight
  /// migration.
  package var isPossible: Bool { blockers.isEmpty }

  /// The first blocker, marked as a guess if it is based on a drafted map.
  var reason: String? {
    blockers.first.map { isDrafted && $0 != Self.noRenames ? "it seems that \($0)" : $0 }
  }

  private static let noRenames = "CloudKit allows no renames of entities and properties"

  /// Judges a mapping; if the mapping is inferred and has blockers, judges a drafted map instead.
  ///
  /// An inferred mapping does not match entities with different names.
  init(_ mapping: MappingModel, isSynced: Bool = false) {
    let own = mapping.renamingBlockers
    let drafted = own.isEmpty || mapping.map != nil ? nil : Self.drafted(like: mapping)
    let sync = isSynced && Self.renames(drafted ?? mapping) ? [Self.noRenames] : []
    (blockers, isDrafted) = (sync + (drafted?.renamingBlockers ?? own), drafted != nil)
  }

  private static func renames(_ mapping: MappingModel) -> Bool {
    func isOther(_ former: String?, _ name: String) -> Bool { former.map { $0 != name } ?? false }
    return mapping.entities.contains { entity in
      isOther(entity.source, entity.destination)
        || entity.attributes.contains { isOther($0.source?.name, $0.destination.name) }
        || entity.relationships.contains { isOther($0.source?.name, $0.destination.name) }
    }
  }

  private static func drafted(like mapping: MappingModel) -> MappingModel? {
    let draft = MapDraft(from: mapping.source, to: mapping.destination)
    guard let map = try? MapFile.parse(draft.text(title: "", counts: [:]), file: "draft") else {
      return nil
    }
    let drafted = try? MappingModel(from: mapping.source, to: mapping.destination, by: map)
    // Ignore a draft that matches no entity.
    return drafted?.entities.contains { $0.source != nil } == true ? drafted : nil
  }
}

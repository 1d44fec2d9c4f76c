import DataModel
import PersistentStore
import SQLite

/// Finds the one-to-one relationships of a store whose two sides do not always lead to each other,
/// as happens where sync writes one side before the other.
enum OneSidedRelationships {
  /// `ENTITY.RELATIONSHIP` of each; tables that do not fit the model are passed over.
  static func read(_ connection: Connection, _ layout: StoreLayout) -> Set<String> {
    var names: Set<String> = []
    for entity in layout.numbers.entities {
      for relationship in entity.relationships {
        guard let query = query(for: relationship, of: entity, layout) else { continue }
        if (try? connection.integer(query)) ?? nil != nil {
          names.insert("\(entity.name).\(relationship.name)")
        }
      }
    }
    return names
  }

  private static func query(
    for relationship: Relationship,
    of entity: Entity,
    _ layout: StoreLayout
  ) -> String? {
    guard !relationship.isToMany, !relationship.isTransient,
      let inverse = layout.model.inverse(of: relationship), !inverse.isToMany,
      case .foreignKey(let own, _, _)? = layout.storage(of: relationship.name, in: entity.name),
      case .foreignKey(let back, _, _)? =
        layout.storage(of: inverse.name, in: relationship.destination),
      let source = layout.table(of: entity.name)?.name,
      let target = layout.table(of: relationship.destination)?.name
    else { return nil }
    return "SELECT 1 FROM \(source.quotedName) AS s JOIN \(target.quotedName) AS t "
      + "ON t.Z_PK = s.\(own.quotedName) WHERE t.\(back.quotedName) IS NOT s.Z_PK LIMIT 1"
  }
}

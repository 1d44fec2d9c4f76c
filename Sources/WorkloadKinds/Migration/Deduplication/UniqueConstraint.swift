import DataModel

/// A unique constraint that a migration adds, in the names of the model before it.
struct UniqueConstraint: Hashable, Sendable {
  let entity: String
  let attributes: [String]

  /// - Throws: ``MigrationCaseError/newAttributeUnique(entity:attribute:)``.
  static func added(by mapping: MappingModel) throws -> [UniqueConstraint] {
    try mapping.addedConstraints.map { entity, properties in
      let found = mapping.mapping(to: entity)
      return UniqueConstraint(
        entity: found?.source ?? entity,
        attributes: try properties.map { property in
          let attribute = found?.attributes.first { $0.destination.name == property }
          guard let former = attribute?.source else {
            throw MigrationCaseError.newAttributeUnique(entity: entity, attribute: property)
          }
          return former.name
        }
      )
    }
  }
}

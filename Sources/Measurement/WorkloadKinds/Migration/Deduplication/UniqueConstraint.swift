import DataModel

/// A unique constraint that a migration adds, in the names of the model before it.
struct UniqueConstraint: Hashable, Sendable {
  let entity: String
  let attributes: [String]
  /// Which of several objects with equal values stays.
  let survivor: SurvivorChoice

  /// - Throws: ``MigrationCaseError/newAttributeUnique(entity:attribute:)`` and
  ///   ``MigrationCaseError/noDate(entity:named:)``.
  static func added(
    by mapping: MappingModel,
    _ parameters: MigrationParameters
  ) throws -> [UniqueConstraint] {
    try mapping.addedConstraints.map { entity, properties in
      let found = mapping.mapping(to: entity)
      let former = found?.source ?? entity
      return UniqueConstraint(
        entity: former,
        attributes: try properties.map { property in
          let attribute = found?.attributes.first { $0.destination.name == property }
          guard let former = attribute?.source else {
            throw MigrationCaseError.newAttributeUnique(entity: entity, attribute: property)
          }
          return former.name
        },
        survivor: try SurvivorChoice(parameters, entity: former, model: mapping.source)
      )
    }
  }
}

/// A relationship, or the positions of an ordered relationship, that existing objects lack after a
/// lightweight migration, as seen in stores of real apps (coredata-format.md, section 16).
package enum MigrationGap: Hashable, Sendable, CustomStringConvertible {
  /// A relationship becomes required; it is checked only when an object is saved.
  case requiredRelationship(entity: String, relationship: String)
  /// A to-many relationship becomes ordered, and its objects have no positions.
  case places(entity: String, relationship: String)
  /// A one-to-one relationship gets a new inverse, which is empty.
  case inverse(entity: String, relationship: String)

  package var description: String {
    switch self {
    case .requiredRelationship(let entity, let name):
      "\(entity): relationship '\(name)' becomes required, but existing objects may have no target: "
        + "the migration succeeds, but the next save of such an object fails"
    case .places(let entity, let name):
      "\(entity): '\(name)' becomes ordered, but existing objects have no positions: give them an "
        + "order at the first launch"
    case .inverse(let entity, let name):
      "\(entity): '\(name)' is the new inverse of a one-to-one and stays empty: set it at the first "
        + "launch"
    }
  }
}

extension MappingModel {
  func gaps(of mapping: EntityMapping) -> [MigrationGap] {
    guard let declarer = declarers(of: mapping) else { return [] }
    return mapping.relationships.filter { !$0.destination.isTransient }
      .compactMap { gap(of: $0, in: declarer($0.destination.name)) }
  }

  private func gap(of mapping: RelationshipMapping, in entity: String) -> MigrationGap? {
    let (new, name) = (mapping.destination, mapping.destination.name)
    if isNewInverse(mapping) { return .inverse(entity: entity, relationship: name) }
    if !destination.allowsNothing(in: new), mapping.source?.isOptional ?? true {
      return .requiredRelationship(entity: entity, relationship: name)
    }
    guard new.isToMany, new.isOrdered, let former = formerSide(of: mapping), former.isToMany,
      !former.isOrdered
    else { return nil }
    // If the relationship moves between key columns and a join table, the migration is assumed to
    // assign positions, because no known store contradicts this.
    let isPaired = destination.inverse(of: new)?.isToMany ?? false
    let wasPaired = source.inverse(of: former)?.isToMany ?? false
    return isPaired == wasPaired ? .places(entity: entity, relationship: name) : nil
  }

  private func formerSide(of mapping: RelationshipMapping) -> Relationship? {
    mapping.source ?? formerInverse(of: mapping).flatMap(source.inverse)
  }

  /// The source relationship that becomes the inverse of the mapping's destination; `nil` if the
  /// inverse is missing or new.
  package func formerInverse(of mapping: RelationshipMapping) -> Relationship? {
    guard let inverse = destination.inverse(of: mapping.destination) else { return nil }
    return self.mapping(to: mapping.destination.destination)?.relationships
      .first { $0.destination.name == inverse.name }?.source
  }

  /// A to-one relationship that becomes one-to-one because its new inverse is also to-one.
  package struct NewOneToOne: Hashable, Sendable {
    /// The entity in the destination model that declares the to-one relationship.
    package let entity: String
    package let relationship: Relationship
    package let former: Relationship
    /// The new inverse that makes the relationship one-to-one.
    package let inverse: Relationship
  }

  /// The to-one relationships that become one-to-one although objects may still share a target.
  package var newOneToOnes: [NewOneToOne] {
    destination.entities.flatMap { entity in
      entity.relationships.compactMap { relationship -> NewOneToOne? in
        guard !relationship.isToMany, !relationship.isTransient,
          let inverse = destination.inverse(of: relationship), !inverse.isToMany,
          let former = former(relationship.name, of: entity.name),
          self.former(inverse.name, of: relationship.destination) == nil
        else { return nil }
        return NewOneToOne(
          entity: entity.name,
          relationship: relationship,
          former: former,
          inverse: inverse
        )
      }
    }
  }

  private func former(_ relationship: String, of entity: String) -> Relationship? {
    mapping(to: entity)?.relationships.first { $0.destination.name == relationship }?.source
  }

  private func isNewInverse(_ mapping: RelationshipMapping) -> Bool {
    guard mapping.source == nil, !mapping.destination.isToMany,
      let inverse = destination.inverse(of: mapping.destination), !inverse.isToMany
    else { return false }
    return self.mapping(to: mapping.destination.destination)?.relationships.contains {
      $0.destination.name == inverse.name && $0.source != nil
    } ?? false
  }
}

import DataModel

/// The parts of a Core Data model that decide its version and that SwiftData classes of the same
/// model cannot have.
///
/// The parts are those of the list *Understanding Versions* in Apple's *Core Data Model Versioning
/// and Data Migration*. With one of them, the version hashes of both frameworks differ.
struct OwnIdentity {
  let model: Model

  /// The reason why the version hashes differ; `nil` if nothing decides so.
  var difference: String? {
    let lacking = lacking
    if !lacking.isEmpty {
      return "SwiftData has no \(lacking.prefix(2).joined(separator: " and no ")), so hashes differ"
    }
    return hasInferableInverses
      ? "SwiftData infers inverses that the model lacks, so hashes differ" : nil
  }

  private var lacking: [String] {
    let places = ModelPlaces(model: model)
    let transient =
      places.attributes(where: \.isTransient) + places.relationships(where: \.isTransient)
    let parts = [
      ("abstract entities", places.entities(where: \.isAbstract)),
      ("hash modifiers of entities", places.entities { $0.versionHashModifier != nil }),
      ("transient properties in a schema", transient),
    ]
    return parts.filter { !$0.1.isEmpty }.map(\.0)
  }

  /// The parts about which Apple's list is silent: whether the hashes differ is not known.
  var unknown: [String] {
    let places = ModelPlaces(model: model)
    let parts = [
      ("order", places.relationships(where: \.isOrdered)),
      ("derivations", places.attributes { $0.derivation != nil }),
      ("composite attributes", places.attributes { $0.type == .composite }),
      ("fetched properties", places.entities { !$0.fetchedProperties.isEmpty }),
    ]
    return parts.filter { !$0.1.isEmpty }.map(\.0)
  }

  /// Whether SwiftData takes relationships without an inverse for a pair: it does so between an
  /// array or optional to-one and an optional to-one, if exactly one fits.
  private var hasInferableInverses: Bool {
    model.entities.contains { entity in
      entity.relationships.contains { relationship in
        guard let (owner, other) = onlyPartner(of: relationship, in: entity),
          let (_, back) = onlyPartner(of: other, in: owner)
        else { return false }
        return back.name == relationship.name
      }
    }
  }

  private func onlyPartner(
    of relationship: Relationship,
    in entity: Entity
  ) -> (Entity, Relationship)? {
    guard relationship.inverse == nil, !relationship.isTransient,
      relationship.destination != entity.name,
      let owner = model.entity(named: relationship.destination)
    else { return nil }
    let fitting = owner.relationships.filter { other in
      let isOptional = relationship.isToMany || relationship.isOptional
      return other.destination == entity.name && other.inverse == nil && !other.isTransient
        && isOptional && (other.isToMany || other.isOptional)
        && !(relationship.isToMany && other.isToMany)
    }
    guard fitting.count == 1 else { return nil }
    return (owner, fitting[0])
  }
}

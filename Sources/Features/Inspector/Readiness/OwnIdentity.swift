import DataModel
import SwiftModels

/// The parts of a Core Data model that determine its version but do not exist in SwiftData classes.
///
/// The parts are from the list *Understanding Versions* in Apple's *Core Data Model Versioning and
/// Data Migration*. In a model with such a part, the version hashes of the two frameworks differ.
struct OwnIdentity {
  let model: Model

  /// The reason why the version hashes of the two frameworks differ; `nil` if no reason is known.
  var difference: String? {
    let lacking = lacking
    if !lacking.isEmpty {
      return "SwiftData has no \(lacking.prefix(2).joined(separator: " and no ")), so hashes differ"
    }
    return hasInferableInverses
      ? "SwiftData infers inverses that the model lacks, so hashes differ" : nil
  }

  private var lacking: [String] {
    let transient =
      places.attributes(where: \.isTransient) + places.relationships(where: \.isTransient)
    return Self.present([
      ("abstract entities", places.entities(where: \.isAbstract)),
      ("hash modifiers of entities", places.entities { $0.versionHashModifier != nil }),
      ("transient properties in a schema", transient),
    ])
  }

  /// The parts that Apple's list does not mention, so that it is not known whether the hashes
  /// differ.
  var unknown: [String] {
    Self.present([
      ("order", places.relationships(where: \.isOrdered)),
      ("derivations", places.attributes { $0.derivation != nil }),
      ("composite attributes", places.attributes { $0.type == .composite }),
      ("fetched properties", places.entities { !$0.fetchedProperties.isEmpty }),
    ])
  }

  private var places: ModelPlaces { ModelPlaces(model: model) }

  private static func present(_ parts: [(name: String, places: [String])]) -> [String] {
    parts.filter { !$0.places.isEmpty }.map(\.name)
  }

  /// Whether SwiftData treats two relationships without an inverse as inverses of each other.
  ///
  /// This applies to an optional to-one relationship together with an array or another optional
  /// to-one relationship, if each is the only candidate for the other.
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
      other.destination == entity.name && other.inverse == nil && !other.isTransient
        && relationship.canBeInferredInverse(of: other)
    }
    guard fitting.count == 1 else { return nil }
    return (owner, fitting[0])
  }
}

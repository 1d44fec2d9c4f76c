import DataModel
import PersistentStore

/// A case's names looked up in the model of its store.
struct FetchSubject {
  /// A relationship that is followed from objects that were read.
  struct Touched {
    let relationship: Relationship
    /// The destination with the attributes that are read of it.
    let shape: ObjectDigest.Shape
    /// How often and whereto it leads, as one digest.
    let link: ObjectDigest.Shape
  }

  let entity: Entity
  let predicate: Predicate?
  /// The entity with the attributes that are read of each object.
  let shape: ObjectDigest.Shape
  let touched: Touched?

  /// - Throws: ``FetchError``.
  init(_ parameters: FetchParameters, model: Model) throws {
    entity = try model.knownEntity(parameters.entity)
    predicate = try Condition(parameters.predicate)?.predicate(on: entity, of: model)
    for key in parameters.sortKeys { _ = try model.storedAttribute(key.property, of: entity) }
    for name in parameters.prefetch { _ = try model.storedRelationship(name, of: entity) }
    shape = try Self.shape(of: entity, parameters, in: model)
    touched =
      parameters.irrelevant.contains(parameters.$touchedShare)
      ? nil : try Self.touched(parameters.relationship, from: entity, in: model)
  }

  private static func shape(
    of entity: Entity,
    _ parameters: FetchParameters,
    in model: Model
  ) throws -> ObjectDigest.Shape {
    guard parameters.attributes.isEmpty else {
      for name in parameters.attributes { _ = try model.storedAttribute(name, of: entity) }
      return ObjectDigest.Shape(entity: entity.name, properties: parameters.attributes)
    }
    let read = model.attributes(of: entity).filter {
      !$0.isTransient && (parameters.readsBlobs || $0.type != .binary)
    }
    return ObjectDigest.Shape(entity: entity.name, properties: read.map(\.name))
  }

  private static func touched(
    _ name: String,
    from entity: Entity,
    in model: Model
  ) throws -> Touched {
    let relationship = try model.storedRelationship(name, of: entity)
    let destination = try model.knownEntity(relationship.destination)
    return Touched(
      relationship: relationship,
      shape: ObjectDigest.Shape(
        entity: destination.name,
        properties: model.attributes(of: destination).filter { !$0.isTransient }.map(\.name)
      ),
      link: ObjectDigest.Shape(entity: "\(entity.name).\(name)", properties: [])
    )
  }
}

extension Model {
  /// - Throws: ``FetchError/unknownEntity(_:candidates:)``.
  func knownEntity(_ name: String) throws -> Entity {
    if let entity = entity(named: name) { return entity }
    throw FetchError.unknownEntity(name, candidates: entities.map(\.name))
  }
}

import DataModel
import PersistentStore
import SQLite

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
  /// What the case left open and the store decided.
  let notes: [String]

  /// - Throws: ``FetchError``.
  init(_ parameters: FetchParameters, store: PersistentStore) throws {
    let model = store.model
    var notes: [String] = []
    entity = try Self.entity(named: parameters.entity, in: store, noting: &notes)
    predicate = try Condition(parameters.predicate)?.predicate(on: entity, of: model)
    for key in parameters.sortKeys { _ = try model.storedAttribute(key.property, of: entity) }
    for name in parameters.prefetch { _ = try model.storedRelationship(name, of: entity) }
    shape = try Self.shape(of: entity, parameters, in: model)
    touched = try Self.touched(parameters, from: entity, in: model, noting: &notes)
    self.notes = notes
  }

  private static func entity(
    named name: String,
    in store: PersistentStore,
    noting notes: inout [String]
  ) throws -> Entity {
    guard name.isEmpty else {
      if let entity = store.model.entity(named: name) { return entity }
      throw FetchError.unknownEntity(name, candidates: store.model.entities.map(\.name))
    }
    guard let largest = try store.largestEntity() else {
      throw FetchError.emptyStore(path: store.file.path)
    }
    notes.append("entity '\(largest.name)', the one with most objects")
    return largest
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
    _ parameters: FetchParameters,
    from entity: Entity,
    in model: Model,
    noting notes: inout [String]
  ) throws -> Touched? {
    guard !parameters.irrelevant.contains("touchedShare") else { return nil }
    let stored = model.relationships(of: entity).filter { !$0.isTransient }
    let chosen = parameters.prefetch.first ?? (stored.first { !$0.isToMany } ?? stored.first)?.name
    guard let name = parameters.relationship.isEmpty ? chosen : parameters.relationship else {
      throw FetchError.noRelationship(entity: entity.name)
    }
    if parameters.relationship.isEmpty {
      notes.append("relationship '\(name)' of '\(entity.name)'")
    }
    let relationship = try model.storedRelationship(name, of: entity)
    guard let destination = model.entity(named: relationship.destination) else {
      throw FetchError.unknownEntity(
        relationship.destination,
        candidates: model.entities.map(\.name)
      )
    }
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

extension PersistentStore {
  /// The entity with most objects of its own, sub-entities' not counted; `nil` for an empty store.
  fileprivate func largestEntity() throws -> Entity? {
    var largest: (entity: Entity, count: Int64)?
    for table in layout.tables {
      let rows = try connection.prepare(
        "SELECT Z_ENT, COUNT(*) FROM \(table.name) GROUP BY Z_ENT ORDER BY Z_ENT"
      )
      while try rows.step() {
        guard let entity = layout.numbers.entity(Int(truncatingIfNeeded: rows.integer(at: 0))),
          rows.integer(at: 1) > largest?.count ?? 0
        else { continue }
        largest = (entity, rows.integer(at: 1))
      }
    }
    return largest?.entity
  }
}

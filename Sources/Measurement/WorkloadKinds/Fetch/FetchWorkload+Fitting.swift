import DataModel
import GRDBEngine
import Runner

extension FetchWorkload {
  package static var fitsStores: Bool { true }

  package static func fit(_ fit: inout CaseFit, to store: StoreOffer) {
    let parameters = FetchParameters(fit.values)
    guard let entity = chooseEntity(&fit, parameters, store) else { return }
    if parameters.engine == .grdb, !RecordStore.hasRecords(of: entity) {
      fit.ruleOut("\(FetchError.noRecordType(entity: entity.name))")
    }
    let model = store.model
    fit.look(parameters.$predicate) {
      _ = try Condition(parameters.predicate)?.predicate(on: entity, of: model)
    }
    fit.look(parameters.$sort) {
      for key in parameters.sortKeys { _ = try model.storedAttribute(key.property, of: entity) }
    }
    fit.look(parameters.$attributes) {
      for name in parameters.attributes { _ = try model.storedAttribute(name, of: entity) }
    }
    fit.look(parameters.$prefetch) {
      for name in parameters.prefetch { _ = try model.storedRelationship(name, of: entity) }
    }
    if !parameters.irrelevant.contains(parameters.$touchedShare) {
      chooseRelationship(&fit, parameters, of: entity, model)
    }
    fit.works(on: "'\(entity.name)'", objects: store.count(of: entity))
  }

  private static func chooseEntity(
    _ fit: inout CaseFit,
    _ parameters: FetchParameters,
    _ store: StoreOffer
  ) -> Entity? {
    let name = parameters.entity
    guard name.isEmpty else {
      var found: Entity?
      fit.look(parameters.$entity) {
        let entity = try store.model.knownEntity(name)
        guard store.count(of: entity) > 0 else { throw FetchError.noObjects(entity: name) }
        found = entity
      }
      return found
    }
    guard let largest = store.largestEntity else {
      fit.ruleOut("\(FetchError.emptyStore)")
      return nil
    }
    fit.choose(
      parameters.$entity,
      largest.name,
      because: "entity '\(largest.name)', the one with most objects"
    )
    return largest
  }

  private static func chooseRelationship(
    _ fit: inout CaseFit,
    _ parameters: FetchParameters,
    of entity: Entity,
    _ model: Model
  ) {
    guard parameters.relationship.isEmpty else {
      fit.look(parameters.$relationship) {
        _ = try model.storedRelationship(parameters.relationship, of: entity)
      }
      return
    }
    let stored = model.relationships(of: entity).filter { !$0.isTransient }
    let first = (stored.first { !$0.isToMany } ?? stored.first)?.name
    guard let name = parameters.prefetch.first ?? first else {
      fit.ruleOut("\(FetchError.noRelationship(entity: entity.name))")
      return
    }
    fit.choose(
      parameters.$relationship,
      name,
      because: "relationship '\(name)' of '\(entity.name)'"
    )
  }
}

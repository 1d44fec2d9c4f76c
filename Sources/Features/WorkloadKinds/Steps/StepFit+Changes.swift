import Basics
import DataModel
import PersistentStore
import Runner

// Checks the values and relationship targets that the steps set.
extension StepFit {
  mutating func checkInsertion(_ step: Step, _ entity: Entity) {
    let model = store.model
    if entity.isAbstract {
      report(step, "'\(entity.name)' is abstract: name one of its sub-entities")
    }
    let attributes = model.attributes(of: entity)
    if let name = step.upsert {
      look(step) {
        let attribute = try model.storedAttribute(name, of: entity)
        guard attribute.isPlain, attribute.type != .boolean else {
          throw Refusal.badInput("'\(name)' tells no objects apart: name a number or a text")
        }
        guard !step.set.contains(where: { $0.name == name }) else {
          throw Refusal.badInput(
            "'\(name)' has another value in each record: leave it out of 'set'"
          )
        }
      }
    }
    for attribute in attributes
    where !attribute.isOptional && !attribute.isTransient && attribute.derivation == nil
      && !attribute.isPlain && step.blobs[attribute.name] == nil
    {
      report(
        step,
        attribute.type == .binary
          ? "'\(attribute.name)' must have a value: add 'blobs: { \(attribute.name): 10 KB }'"
          : "'\(attribute.name)' must have a value, and steps make none of type "
            + "\(attribute.type.name): insert objects of another entity"
      )
    }
    for relationship in model.relationships(of: entity)
    where !relationship.isTransient && !relationship.isOptional
      && step.links[relationship.name] == nil
    {
      let name = relationship.name
      report(step, "'\(name)' must lead to an object: add 'to: { \(name): uniform }'")
    }
  }

  mutating func checkBlobs(_ step: Step, _ entity: Entity) {
    let model = store.model
    for name in step.blobs.keys.sorted() {
      look(step) {
        guard try model.storedAttribute(name, of: entity).type == .binary else {
          throw Refusal.badInput("'\(name)' is no blob: name an attribute of type binary")
        }
      }
    }
  }

  mutating func checkLinks(_ step: Step, _ entity: Entity) {
    let model = store.model
    for (name, word) in step.links.sorted(by: { $0.key < $1.key }) {
      var found: Relationship?
      look(step) { found = try model.storedRelationship(name, of: entity) }
      if let found { checkLink(step, found, word) }
    }
  }

  private mutating func checkLink(_ step: Step, _ relationship: Relationship, _ word: String) {
    let name = relationship.name
    let inverse = store.model.inverse(of: relationship)
    guard let target = store.model.entity(named: relationship.destination) else { return }
    if relationship.isToMany, inverse?.isToMany != true {
      let other = inverse.map { ": set '\($0.name)' of '\(target.name)' instead" }
      return report(
        step,
        "'\(name)' is a to-many, filled from its other side" + (other ?? ": leave it out of 'to'")
      )
    }
    let isOneToOne = !relationship.isToMany && inverse?.isToMany == false
    if isOneToOne, parameters.engine != .objectGraph {
      return report(
        step,
        "plain statements set one side of '\(name)': use 'engine: objectGraph'"
      )
    }
    if isOneToOne, !relationship.isOptional || inverse?.isOptional == false {
      return report(
        step,
        "a former partner would lose '\(name)', which must not be empty: leave it out of 'to'"
      )
    }
    if word == Step.noTarget {
      if relationship.isToMany {
        report(step, "'\(name)' is a to-many, which an object is added to: pick one, as by uniform")
      } else if !relationship.isOptional {
        report(step, "'\(name)' must lead to an object: it cannot be '\(word)'")
      }
      return
    }
    if parameters.engine != .objectGraph,
      relationship.isOrdered || inverse?.isOrdered == true
    {
      report(step, "plain statements number no order of '\(name)': use 'engine: objectGraph'")
    } else if unsaved.contains(table(of: target)) {
      report(step, "objects of '\(target.name)' are not saved: put 'save' before it")
    } else if store.count(of: target) == 0, !inserted.contains(table(of: target)) {
      report(step, "the store has no object of '\(target.name)' for '\(name)' to lead to")
    } else if let key = Int64(word), !inserted.contains(table(of: target)) {
      let store = store
      look(step) {
        guard try store.hasObject(key, of: target) == false else { return }
        throw Refusal.badInput(Step.noObject(key, of: target.name))
      }
    }
  }

  mutating func checkValues(_ step: Step, _ entity: Entity) {
    let model = store.model
    let unique = Set(
      model.lineage(of: entity).flatMap { $0.uniquenessConstraints.joined() }
    )
    for setting in step.set {
      let name = setting.name
      look(step) {
        let attribute = try model.storedAttribute(name, of: entity)
        if case .more = try setting.change(of: attribute) {
          guard step.verb != .insert else {
            throw Refusal.badInput("'\(name)' of a new object has no value yet: leave out the '+'")
          }
          guard !step.isBatchRequest else {
            throw Refusal.badInput("'\(name)' gets one value in all objects: leave out the '+'")
          }
        }
        guard !unique.contains(name) else {
          throw Refusal.badInput("'\(name)' must be unique: name another attribute")
        }
      }
    }
  }
}

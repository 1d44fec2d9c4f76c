import Basics
import DataModel
import PersistentStore
import Runner
import SQLite

// Checks the values and relationship targets that the steps set.
extension StepFit {
  /// Rejects deletions that would leave no objects for the work.
  mutating func checkDeletions() {
    checkDeletedConditions()
    let total = parameters.steps.reduce(0) { $0 + ($1.weight ?? 1) }
    var balance: [String: (change: Double, step: Step)] = [:]
    for step in parameters.steps {
      let share = parameters.isMix ? Double(parameters.operations) * (step.weight ?? 0) / total : 1
      for leaf in step.leaves
      where [.insert, .delete].contains(leaf.verb) && leaf.picks {
        let count =
          share * Double(step.times) * (step.isComposite ? Double(leaf.times) : 1)
          * Double(leaf.objects.low + leaf.objects.high) / 2
        let sign: Double = leaf.verb == .insert ? 1 : -1
        let earlier = balance[leaf.entity]
        balance[leaf.entity] = (
          (earlier?.change ?? 0) + sign * count,
          leaf.verb == .delete ? leaf : earlier?.step ?? leaf
        )
      }
    }
    for (entity, found) in balance.sorted(by: { $0.key < $1.key }) {
      let count = store.model.entity(named: entity).map(store.count(of:)) ?? 0
      guard found.step.verb == .delete, found.change < 0, Double(count) + found.change < 1 else {
        continue
      }
      let last = parameters.leaves.lastIndex(of: found.step) ?? 0
      let isNeeded = parameters.leaves[(last + 1)...].contains {
        $0.entity == entity && $0.needsObjects
      }
      guard parameters.isMix || isNeeded || Double(count) + found.change < 0 else { continue }
      report(
        found.step,
        "about \(Int(min(-found.change, 1e18))) of \(Figures.counted(count, "object")) of "
          + "'\(entity)' are deleted" + Self.leavesNothing
      )
    }
  }

  private static let leavesNothing =
    ", which leaves nothing to work on: delete fewer, insert as many, or make the store larger"

  /// Rejects a deletion of all existing objects, by `objects: all` or by its condition, if a later
  /// step or operation needs an object.
  ///
  /// If the store does not exist yet, its conditions are checked during the run.
  private mutating func checkDeletedConditions() {
    let (leaves, store, places) = (parameters.leaves, store, places)
    let besides = parameters.steps.flatMap(\.beside)
    for (index, step) in leaves.enumerated()
    where step.verb == .delete && !step.picks && step.from.isEmpty {
      let later = leaves[(index + 1)...].contains {
        $0.entity == step.entity && $0.needsObjects && !besides.contains($0)
      }
      guard parameters.isMix || later, let entity = store.model.entity(named: step.entity),
        store.count(of: entity) > 0, !inserted.contains(table(of: entity))
      else { continue }
      look(step) {
        let count = store.count(of: entity)
        if step.takesAll == nil {
          guard let made = try store.openMade(),
            try step.matchingKeys(places, in: made.layout, on: made.connection).count >= count
          else { return }
        }
        let taken = step.takesAll == nil ? "'\(step.condition)' matches" : "it takes"
        throw Refusal.badInput(
          "\(taken) all of \(Figures.counted(count, "object")) of '\(entity.name)'"
            + Self.leavesNothing
        )
      }
    }
  }

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
      let name = attribute.name
      let remedy =
        Step.blobTypes.contains(attribute.type)
        ? ": add 'blobs: { \(name): 10 KB }'"
        : ", and steps make none of type \(attribute.type.name): insert objects of another entity"
      report(step, "'\(name)' must have a value" + remedy)
    }
    checkNeeds(step, entity)
  }

  mutating func checkBlobs(_ step: Step, _ entity: Entity) {
    let model = store.model
    let unique = step.uniqueNames(of: entity, in: model)
    for (name, size) in step.blobs.sorted(by: { $0.key < $1.key }) {
      look(step) {
        let attribute = try model.storedAttribute(name, of: entity)
        guard !Step.blobTypes.contains(attribute.type) else { return }
        guard attribute.type == .string else {
          throw Refusal.badInput(
            "'\(name)' is of type \(attribute.type.name), and 'blobs' takes binary and string "
              + "attributes: leave it out"
          )
        }
        guard attribute.derivation == nil else {
          throw Refusal.badInput("'\(name)' is derived: leave it out of 'blobs'")
        }
        guard !unique.contains(name) else {
          throw Refusal.badInput(
            "'\(name)' must be unique: leave it out of 'blobs'"
              + (step.verb == .insert
                ? ", so that each object gets a value of its own"
                : ", and write 'set: [\(name)]'")
          )
        }
        if let problem = Self.sizeProblem(attribute, size) {
          throw Refusal.badInput("'\(name)' " + problem)
        }
      }
    }
  }

  /// The reason why the model does not allow text of a given size; `nil` if it does.
  private static func sizeProblem(_ attribute: Attribute, _ size: Step.Numbers) -> String? {
    guard attribute.pattern == nil else {
      return "must match a regular expression, which texts of a size need not: leave it out of "
        + "'blobs', and write 'set: { \(attribute.name): VALUE }'"
    }
    // Each character of a text with a given size is one byte.
    if let most = attribute.maximum.number, Double(size.high) > most {
      return "has at most \(most.shortest) characters, not \(size.high): write a size of at most "
        + "\(most.shortest) B"
    }
    if let least = attribute.minimum.number, Double(size.low) < least {
      return "has at least \(least.shortest) characters, not \(size.low): write a size of at "
        + "least \(least.shortest) B"
    }
    return nil
  }

  mutating func checkLinks(_ step: Step, _ entity: Entity) {
    let model = store.model
    for (words, areRemovals) in [(step.links, false), (step.removals ?? [:], true)] {
      for (name, word) in words.sorted(by: { $0.key < $1.key }) {
        var found: Relationship?
        look(step) { found = try model.storedRelationship(name, of: entity) }
        guard let relationship = found,
          let target = model.entity(named: relationship.destination)
        else { continue }
        let isLoss = areRemovals || relationship.isToMany && word == Step.noTarget
        let problem =
          isLoss
          ? lossProblem(step, relationship, target)
          : linkProblem(step, relationship, word, entity, target)
        if let problem {
          report(step, problem)
        } else if word == Step.newTarget {
          meetNeeds(step, relationship, target)
        } else if let key = Int64(word), !inserted.contains(table(of: target)) {
          let store = store
          look(step) { try Self.checkKey(key, of: target, in: store) }
        }
      }
    }
  }

  private static func checkKey(_ key: Int64, of target: Entity, in store: StoreOffer) throws {
    guard let made = try store.openMade(),
      let table = made.layout.table(of: target.name)?.name.quotedName
    else { return }
    let found = try made.connection.integer(
      "SELECT 1 FROM \(table) WHERE Z_PK = \(key) "
        + "AND Z_ENT IN (\(made.layout.numberList(ofFamily: target.name)))"
    )
    if found == nil { throw Refusal.badInput(Step.noObject(key, of: target.name)) }
  }

  /// The reason why a step cannot set a relationship to an object; `nil` if it can.
  private func linkProblem(
    _ step: Step,
    _ relationship: Relationship,
    _ word: String,
    _ entity: Entity,
    _ target: Entity
  ) -> String? {
    let name = relationship.name
    let inverse = store.model.inverse(of: relationship)
    let count = Step.picking(word)?.count ?? 1
    if relationship.isToMany, inverse?.isToMany != true {
      let other = inverse.map { ": set '\($0.name)' of '\(target.name)' instead" }
      return "'\(name)' is a to-many, filled from its other side"
        + (other ?? ": leave it out of 'to'")
    }
    if !relationship.isToMany, count > 1 {
      return "'\(name)' leads to one object: leave out the number \(count)"
    }
    let isOneToOne = !relationship.isToMany && inverse?.isToMany == false
    if isOneToOne, parameters.engine != .objectGraph {
      return "plain statements set one side of '\(name)': use 'engine: objectGraph'"
    }
    let isNew = word == Step.newTarget
    if isOneToOne, !relationship.isOptional || inverse?.isOptional == false,
      !isNew || step.verb != .insert
    {
      return "a former partner would lose '\(name)', which must not be empty: leave it out of 'to'"
    }
    if let problem = pairProblem(relationship, inverse) { return problem }
    if word == Step.noTarget {
      return relationship.isOptional
        ? nil : "'\(name)' must lead to an object: it cannot be '\(word)'"
    }
    if isNew {
      if let problem = newProblem(step, relationship, target) { return problem }
    } else if unsaved.contains(table(of: target)) {
      return Self.notSaved(target)
        + (lastInserted[table(of: target)] == nil
          ? "" : ", or lead to the new ones by 'to: { \(name): new }'")
    }
    let present = store.count(of: target)
    if !isNew, present < count, !inserted.contains(table(of: target)) {
      return present == 0
        ? "the store has no object of '\(target.name)' for '\(name)' to lead to"
        : "'\(name)' leads to \(count) of \(Figures.counted(present, "object")): pick fewer, or "
          + "make the store larger"
    }
    let isUnique = store.model.lineage(of: entity).contains {
      $0.uniquenessConstraints.contains([name])
    }
    return step.verb == .update && isUnique
      ? "'\(name)' is part of what must be unique: leave it out of 'to'" : nil
  }

  /// The reason why a step cannot remove objects from a relationship; `nil` if it can.
  private func lossProblem(
    _ step: Step,
    _ relationship: Relationship,
    _ target: Entity
  ) -> String? {
    let name = relationship.name
    guard relationship.isToMany else {
      return "'\(name)' leads to one object: write 'to: { \(name): none }'"
    }
    guard step.verb == .update else {
      return "'\(name)' of a new object is empty: leave it out of 'to'"
    }
    guard let inverse = store.model.inverse(of: relationship) else {
      return "'\(name)' has no inverse, and steps take nothing out of it: leave it out"
    }
    if let problem = pairProblem(relationship, inverse) { return problem }
    if !inverse.isToMany, !inverse.isOptional {
      return "'\(inverse.name)' of '\(target.name)' must lead to an object: delete objects of "
        + "'\(target.name)' instead"
    }
    if [relationship, inverse].contains(where: { $0.isToMany && $0.minimumCount > 0 }) {
      return "'\(name)' could get fewer objects than the model demands: leave it out"
    }
    if unsaved.contains(table(of: target)) { return Self.notSaved(target) }
    // A to-many relationship is read from the store, which does not contain unsaved changes.
    if !inverse.isToMany, unsavedLinks.contains("\(table(of: target)).\(inverse.name)") {
      return "'\(inverse.name)' of '\(target.name)' was changed before and is not saved: put "
        + "'save' before it"
    }
    return nil
  }

  private static func notSaved(_ target: Entity) -> String {
    "objects of '\(target.name)' are not saved: put 'save' before it"
  }

  /// The reason why steps cannot change a relationship of this kind; `nil` if they can.
  private func pairProblem(_ relationship: Relationship, _ inverse: Relationship?) -> String? {
    let name = relationship.name
    if relationship.isToMany, let inverse, inverse.name == name,
      inverse.destination == relationship.destination
    {
      return "'\(name)' is its own inverse, and steps change no such pairs: leave it out"
    }
    if parameters.engine != .objectGraph, relationship.isOrdered || inverse?.isOrdered == true {
      return "plain statements number no order of '\(name)': use 'engine: objectGraph'"
    }
    return nil
  }

  mutating func checkValues(_ step: Step, _ entity: Entity) {
    let model = store.model
    let constraints = model.lineage(of: entity).flatMap(\.uniquenessConstraints)
    if let unique = constraints.first(where: step.repeats) {
      report(
        step,
        "'\(unique.joined(separator: "', '"))' must be unique, and several objects get the same: "
          + "set it in one object"
      )
    }
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
        guard step.upsert == nil || step.upsert == name || !constraints.joined().contains(name)
        else { throw Refusal.badInput("'\(name)' must be unique: leave it out of 'set'") }
      }
    }
  }
}

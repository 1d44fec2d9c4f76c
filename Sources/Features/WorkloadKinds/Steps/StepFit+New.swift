import DataModel
import Runner

// Checks relationships between objects that are inserted by the same save.
extension StepFit {
  /// A mandatory relationship that an insertion leaves empty, so that a later insertion must set
  /// it.
  struct Need {
    let step: Step
    let table: String
    let relationship: Relationship

    /// The minimum number of later objects, which refer to the inserted objects in turn.
    var objects: Int { step.objects.high * max(1, relationship.minimumCount) }
  }

  /// Checks the mandatory relationships that an insertion leaves empty.
  ///
  /// Objects inserted later, but before the save, may set a relationship whose inverse is to-one.
  mutating func checkNeeds(_ step: Step, _ entity: Entity) {
    let model = store.model
    let table = table(of: entity)
    // From this step on, the word `new` means this step's objects, so earlier needs cannot be met.
    reportNeeds { $0.table == table }
    // A to-many relationship is mandatory only if it has a minimum.
    for relationship in model.relationships(of: entity)
    where !relationship.isTransient && !relationship.isOptional
      && (!relationship.isToMany || relationship.minimumCount > 0)
      && step.links[relationship.name] == nil
    {
      let inverse = model.inverse(of: relationship)
      if inverse?.isToMany == false {
        needs.append(Need(step: step, table: table, relationship: relationship))
      } else if relationship.isToMany, inverse == nil {
        report(
          step,
          "'\(relationship.name)' must lead to an object, and has no inverse by which steps fill "
            + "it: insert objects of another entity"
        )
      } else {
        let count = relationship.minimumCount > 1 ? "\(relationship.minimumCount) " : ""
        report(
          step,
          "'\(relationship.name)' must lead to an object: add 'to: { \(relationship.name): "
            + "\(count)uniform }'"
        )
      }
    }
  }

  /// Removes the needs (unset mandatory relationships) that the new objects of a step meet.
  mutating func meetNeeds(_ step: Step, _ relationship: Relationship, _ target: Entity) {
    guard step.verb == .insert, let inverse = store.model.inverse(of: relationship) else { return }
    let table = table(of: target)
    let count = step.objects.low * step.times
    needs.removeAll {
      $0.table == table && $0.relationship.name == inverse.name && $0.objects <= count
    }
  }

  /// Reports and removes the needs (unset mandatory relationships) that no step has met in time.
  mutating func reportNeeds(where isOver: (Need) -> Bool) {
    for need in needs where isOver(need) {
      let (step, relationship) = (need.step, need.relationship)
      let inverse = store.model.inverse(of: relationship)?.name ?? ""
      report(
        step,
        "'\(relationship.name)' must lead to an object: add '{ insert: "
          + "\(relationship.destination), objects: \(need.objects), to: { \(inverse): new } }' after "
          + "it, before other objects of '\(step.entity)' and before the save"
          + (step.times > 1 ? ", and write 'objects' instead of 'times'" : "")
      )
    }
    needs.removeAll(where: isOver)
  }

  /// The reason why a step cannot set a relationship to the objects of the last insertion; `nil` if
  /// it can.
  func newProblem(_ step: Step, _ relationship: Relationship, _ target: Entity) -> String? {
    let family = store.model.family(of: target).map(\.name)
    guard let last = lastInserted[table(of: target)], family.contains(last.entity) else {
      return "no new object of '\(target.name)' is there for '\(relationship.name)' to lead to: "
        + "put '{ insert: \(target.name) }' before it, without a 'save' between"
    }
    guard !relationship.isToMany, let inverse = store.model.inverse(of: relationship),
      !inverse.isToMany, !relationship.isOptional || !inverse.isOptional
    else { return nil }
    let count = step.objects.high * step.times
    guard step.verb == .insert, count > last.objects.low else { return nil }
    return "'\(relationship.name)' leads \(count) new objects to \(last.objects.low), and each "
      + "takes one: insert as many"
  }
}

extension Step {
  /// The possible numbers of new objects; up to half of an upsert's objects exist already.
  var newObjects: Numbers {
    upsert == nil ? objects : Numbers((objects.low + 1) / 2...objects.high)
  }
}

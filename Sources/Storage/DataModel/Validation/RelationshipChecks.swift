extension ModelCheck {
  mutating func checkRelationship(_ relationship: Relationship, of entity: Entity) {
    for fault in countFaults(relationship) {
      report(fault, entity: entity, part: relationship.name)
    }
    if relationship.deleteRule == .noAction {
      let message = "the delete rule noAction can leave references to objects that are gone"
      report(message, entity: entity, part: relationship.name, severity: .warning)
    }
    guard let destination = self.entity(named: relationship.destination) else {
      let hint = didYouMean(relationship.destination, among: entityNames)
      let message = "the destination '\(relationship.destination)' does not exist\(hint)"
      return report(message, entity: entity, part: relationship.name)
    }
    guard let inverseName = relationship.inverse else {
      let message = "the relationship should have an inverse"
      return report(message, entity: entity, part: relationship.name, severity: .warning)
    }
    let candidates = ancestors(of: destination).flatMap(\.relationships)
    guard let inverse = candidates.first(where: { $0.name == inverseName }) else {
      let hint = didYouMean(inverseName, among: candidates.map(\.name))
      let message = "'\(destination.name)' has no relationship '\(inverseName)'\(hint)"
      return report(message, entity: entity, part: relationship.name)
    }
    checkPair(relationship, of: entity, inverse: inverse)
  }

  private func countFaults(_ relationship: Relationship) -> [String] {
    let (least, most) = (relationship.minimumCount, relationship.maximumCount)
    var faults: [String] = []
    if relationship.isOrdered, !relationship.isToMany {
      faults.append("only a to-many relationship can be ordered")
    }
    if relationship.isToMany ? most == 1 : most != 1 {
      let kind = relationship.isToMany ? "to-many" : "to-one"
      faults.append("a maximum of \(most) does not fit a \(kind) relationship")
    }
    if least < 0 || most < 0 {
      faults.append("a count cannot be negative")
    } else if most > 0, least > most {
      faults.append("the minimum of \(least) is above the maximum of \(most)")
    }
    return faults
  }

  private mutating func checkPair(
    _ relationship: Relationship,
    of entity: Entity,
    inverse: Relationship
  ) {
    let path = "'\(relationship.destination).\(inverse.name)'"
    if inverse.inverse != relationship.name {
      let other = inverse.inverse.map { "is the inverse of '\($0)'" } ?? "has no inverse"
      report("its inverse \(path) \(other)", entity: entity, part: relationship.name)
    } else if !ancestors(of: entity).contains(where: { $0.name == inverse.destination }),
      self.entity(named: inverse.destination).map(ancestors)?.contains(entity) != true
    {
      let message = "its inverse \(path) leads to '\(inverse.destination)'"
      report(message, entity: entity, part: relationship.name)
    } else {
      for risk in deletionRisks(relationship, inverse: inverse, path: path) {
        report(risk, entity: entity, part: relationship.name, severity: .warning)
      }
    }
  }

  private func deletionRisks(
    _ relationship: Relationship,
    inverse: Relationship,
    path: String
  ) -> [String] {
    switch (relationship.deleteRule, inverse.deleteRule) {
    case (.deny, .deny):
      return ["it and its inverse \(path) both deny: neither object can be deleted first"]
    case (.cascade, .cascade) where relationship.isToMany || inverse.isToMany:
      return ["it and its inverse \(path) both cascade: one deletion takes all that is connected"]
    case (.nullify, _) where !inverse.isOptional && !inverse.isToMany:
      return ["it nullifies \(path), which is not optional: a deletion would not validate"]
    default: return []
    }
  }
}

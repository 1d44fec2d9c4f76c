extension ModelCheck {
  mutating func checkAttribute(_ attribute: Attribute, of entity: Entity) {
    for fault in attributeFaults(attribute) {
      report(fault, entity: entity, part: attribute.name)
    }
    // Apple's own models have transformers on binary attributes, so it is no error.
    if attribute.transformerName != nil, ![.transformable, .binary].contains(attribute.type) {
      let message = "a transformer does nothing to an attribute of type \(attribute.type.name)"
      report(message, entity: entity, part: attribute.name, severity: .warning)
    }
    for element in attribute.elements {
      if let fault = propertyNameFault(element.name) {
        report("the element '\(element.name)' \(fault)", entity: entity, part: attribute.name)
      }
      for fault in attributeFaults(element) {
        report("the element '\(element.name)': \(fault)", entity: entity, part: attribute.name)
      }
    }
  }

  private func attributeFaults(_ attribute: Attribute) -> [String] {
    let type = attribute.type
    var faults: [String] = []
    if [.objectID, .composite].contains(type), !attribute.isTransient {
      faults.append("how a store keeps an attribute of type \(type.name) is not known")
    }
    if !attribute.elements.isEmpty, type != .composite {
      faults.append("only a composite attribute has elements")
    }
    if attribute.allowsExternalStorage, ![.binary, .transformable].contains(type) {
      faults.append("external storage is for binary attributes, not for \(type.name)")
    }
    if attribute.pattern != nil, type != .string {
      faults.append("a pattern is for string attributes, not for \(type.name)")
    }
    if attribute.isTransient, attribute.derivation != nil {
      faults.append("a derived attribute is stored and cannot be transient")
    }
    return faults + valueFaults(attribute)
  }

  private func valueFaults(_ attribute: Attribute) -> [String] {
    var faults: [String] = []
    let type = attribute.type
    if !type.accepts(attribute.defaultValue) {
      faults.append("the default \(attribute.defaultValue.summary) is not of type \(type.name)")
    }
    let bounds = [("minimum", attribute.minimum), ("maximum", attribute.maximum)]
    for (word, bound) in bounds where !type.acceptsBound(bound) {
      faults.append("the \(word) \(bound.summary) does not fit the type \(type.name)")
    }
    if let least = attribute.minimum.number, let most = attribute.maximum.number, least > most {
      faults.append("the minimum is above the maximum")
    }
    return faults
  }
}

extension AttributeType {
  /// Whether a value can be one of this type's, in storage form; `.null` always can.
  func accepts(_ value: Value) -> Bool {
    switch (self, value) {
    case (_, .null), (.integer64, .integer), (.string, .text), (.uri, .text), (.binary, .blob):
      true
    case (.integer16, .integer(let value)): Int16(exactly: value) != nil
    case (.integer32, .integer(let value)): Int32(exactly: value) != nil
    case (.boolean, .integer(let value)): value == 0 || value == 1
    case (.double, _), (.float, _), (.date, _), (.decimal, _): value.number?.isNaN == false
    case (.uuid, .blob(let bytes)): bytes.count == 16
    default: false
    }
  }

  /// Whether a value can be a smallest or largest one: of numbers and dates, or of a text's length.
  fileprivate func acceptsBound(_ value: Value) -> Bool {
    switch (self, value) {
    case (_, .null): true
    case (.string, .integer(let length)): length >= 0
    case (.integer16, _), (.integer32, _), (.integer64, _), (.double, _), (.float, _),
      (.decimal, _),
      (.date, _):
      accepts(value)
    default: false
    }
  }
}

extension Value {
  /// The number, or `nil` for texts, blobs and nothing.
  fileprivate var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    case .null, .text, .blob: nil
    }
  }

  fileprivate var summary: String {
    switch self {
    case .null: "null"
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    case .text(let text): "'\(text.prefix(40))'"
    case .blob(let bytes): "of \(bytes.count) bytes"
    }
  }
}

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

extension ModelCheck {
  mutating func checkIndexes(of entity: Entity) {
    let lineage = ancestors(of: entity)
    let attributes = lineage.flatMap(\.attributes)
    let toOnes = lineage.flatMap(\.relationships).filter { !$0.isToMany && !$0.isTransient }
    let stored = attributes.filter { !$0.isTransient }.map(\.name)
    for constraint in entity.uniquenessConstraints {
      let title = "the unique constraint [\(constraint.joined(separator: ", "))]"
      for fault in listFaults(constraint, allowed: stored, kind: "stored attribute") {
        report("\(title) \(fault)", entity: entity)
      }
    }
    for index in entity.fetchIndexes {
      if let fault = nameFault(index.name) {
        report("the index name \(fault)", entity: entity, part: index.name)
      }
      // `entity` is an expression, the number of the object's own entity.
      let allowed = stored + toOnes.map(\.name) + ["entity"]
      let properties = index.elements.map(\.property)
      let kind = "stored attribute or to-one relationship"
      for fault in listFaults(properties, allowed: allowed, kind: kind) {
        report("the index \(fault)", entity: entity, part: index.name)
      }
      checkRTree(index, of: entity, attributes: attributes)
    }
  }

  /// The names that indexes get in the store must differ, and SQLite does not tell case apart.
  mutating func checkIndexNames() {
    var names: Set<String> = []
    for entity in model.entities {
      for constraint in entity.uniquenessConstraints {
        let name = "Z_\(entity.name)_UNIQUE_\(constraint.joined(separator: "_"))"
        if !names.insert(name.uppercased()).inserted {
          let list = constraint.joined(separator: ", ")
          report("the unique constraint [\(list)] has the name of another index", entity: entity)
        }
      }
      for index in entity.fetchIndexes
      where !names.insert("Z_\(entity.name)_\(index.name)".uppercased()).inserted {
        report("the index has the name of another one", entity: entity, part: index.name)
      }
    }
  }

  private func listFaults(_ names: [String], allowed: [String], kind: String) -> [String] {
    if names.isEmpty { return ["is empty"] }
    var seen: Set<String> = []
    return names.compactMap { name in
      guard allowed.contains(name) else {
        return "names '\(name)', which is no \(kind)\(didYouMean(name, among: allowed))"
      }
      return seen.insert(name).inserted ? nil : "names '\(name)' twice"
    }
  }

  private mutating func checkRTree(
    _ index: FetchIndex,
    of entity: Entity,
    attributes: [Attribute]
  ) {
    let ranges = index.elements.filter { $0.kind == .rTree }
    guard !ranges.isEmpty else { return }
    if ranges.count != index.elements.count {
      report("an index is either an R-tree or not", entity: entity, part: index.name)
    }
    let numeric: Set<AttributeType> = [.integer16, .integer32, .integer64, .double, .float, .date]
    for element in ranges {
      let type = attributes.first { $0.name == element.property }?.type
      if let type, !numeric.contains(type) {
        let message = "an R-tree holds numbers, and '\(element.property)' is \(type.name)"
        report(message, entity: entity, part: index.name)
      }
    }
    // SQLite's R-tree has one to five dimensions (sqlite.org/rtree.html).
    if ranges.count > 5 {
      report("an R-tree has at most five attributes", entity: entity, part: index.name)
    }
  }
}

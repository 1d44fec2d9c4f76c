extension ModelCheck {
  mutating func checkAttribute(_ attribute: Attribute, of entity: Entity) {
    for (fault, change) in attributeFaults(attribute) {
      let remedy = ModelRemedy.change(attribute.name, change)
      report(fault, entity: entity, part: attribute.name, remedy: remedy)
    }
    // Do not report a transformer on a binary attribute: some of Apple's own models have one.
    if attribute.transformerName != nil, ![.transformable, .binary].contains(attribute.type) {
      let message = "a transformer has no effect on an attribute of type \(attribute.type.name)"
      report(message, entity: entity, part: attribute.name, severity: .warning)
    }
    if attribute.type == .composite, !attribute.isTransient {
      report(
        "it is not known how a store keeps an attribute of type composite",
        entity: entity,
        part: attribute.name,
        severity: .warning,
        remedy: .accept("it gets one column without values")
      )
    }
    for element in attribute.elements {
      let faults = [propertyNameFault(element.name)].compactMap(\.self).map { ($0, true) }
      for (fault, isName) in faults + attributeFaults(element).map({ ($0.fault, false) }) {
        report(
          "the element '\(element.name)'\(isName ? "" : ":") \(fault)",
          entity: entity,
          part: attribute.name,
          remedy: .change(attribute.name, .leaveOutElement(element.name))
        )
      }
    }
  }

  private func attributeFaults(
    _ attribute: Attribute
  ) -> [(fault: String, change: ModelRemedy.AttributeChange)] {
    let type = attribute.type
    var faults: [(String, ModelRemedy.AttributeChange)] = []
    if !attribute.elements.isEmpty, type != .composite {
      faults.append(("only a composite attribute has elements", .leaveOutElements))
    }
    if attribute.allowsExternalStorage, ![.binary, .transformable].contains(type) {
      let fault = "external storage is for binary attributes, not for \(type.name)"
      faults.append((fault, .keepInside))
    }
    if attribute.pattern != nil, type != .string {
      let fault = "a pattern is for string attributes, not for \(type.name)"
      faults.append((fault, .ignorePattern))
    }
    if attribute.isTransient, attribute.derivation != nil {
      let fault = "a derived attribute is stored and cannot be transient"
      faults.append((fault, .ignoreDerivation))
    }
    return faults + valueFaults(attribute)
  }

  private func valueFaults(
    _ attribute: Attribute
  ) -> [(fault: String, change: ModelRemedy.AttributeChange)] {
    var faults: [(String, ModelRemedy.AttributeChange)] = []
    let type = attribute.type
    if !type.accepts(attribute.defaultValue) {
      let fault = "the default \(attribute.defaultValue.summary) is not of type \(type.name)"
      faults.append((fault, .ignoreDefault))
    }
    let bounds = [("minimum", attribute.minimum), ("maximum", attribute.maximum)]
    for (word, bound) in bounds where !type.acceptsBound(bound) {
      let fault = "the \(word) \(bound.summary) does not fit the type \(type.name)"
      faults.append((fault, .ignoreBounds))
    }
    if let least = attribute.minimum.number, let most = attribute.maximum.number, least > most {
      faults.append(("the minimum is above the maximum", .ignoreBounds))
    }
    return faults
  }
}

extension AttributeType {
  /// Whether the type can hold a stored value; `.null` is always accepted.
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

  fileprivate func acceptsBound(_ value: Value) -> Bool {
    switch (self, value) {
    case (_, .null): true
    case (.string, .integer(let length)): (0...Int64(Int32.max)).contains(length)
    case (.integer16, _), (.integer32, _), (.integer64, _), (.double, _), (.float, _),
      (.decimal, _),
      (.date, _):
      accepts(value)
    default: false
    }
  }
}

extension Value {
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
    for (fault, remedy) in countFaults(relationship) {
      report(fault, entity: entity, part: relationship.name, remedy: remedy)
    }
    if relationship.deleteRule == .noAction {
      let message = "the delete rule noAction can leave references to deleted objects"
      report(message, entity: entity, part: relationship.name, severity: .warning)
    }
    guard let destination = self.entity(named: relationship.destination) else {
      let hint = didYouMean(relationship.destination, among: entityNames)
      return report(
        "the destination '\(relationship.destination)' does not exist\(hint)",
        entity: entity,
        part: relationship.name,
        remedy: .leaveOutRelationship(relationship.name)
      )
    }
    guard let inverseName = relationship.inverse else {
      let message = "the relationship should have an inverse"
      return report(message, entity: entity, part: relationship.name, severity: .warning)
    }
    let candidates = ancestors(of: destination).flatMap(\.relationships)
    guard let inverse = candidates.first(where: { $0.name == inverseName }) else {
      let hint = didYouMean(inverseName, among: candidates.map(\.name))
      return report(
        "'\(destination.name)' has no relationship '\(inverseName)'\(hint)",
        entity: entity,
        part: relationship.name,
        remedy: .dropInverse(relationship.name)
      )
    }
    checkPair(relationship, of: entity, inverse: inverse)
  }

  private func countFaults(_ relationship: Relationship) -> [(String, ModelRemedy)] {
    let (least, most) = (relationship.minimumCount, relationship.maximumCount)
    let name = relationship.name
    var faults: [(String, ModelRemedy)] = []
    if relationship.isOrdered, !relationship.isToMany {
      faults.append(("only a to-many relationship can be ordered", .ignoreOrder(name)))
    }
    if relationship.isToMany ? most == 1 : most != 1 {
      let kind = relationship.isToMany ? "to-many" : "to-one"
      let fault = "a maximum of \(most) does not fit a \(kind) relationship"
      faults.append((fault, .ignoreCounts(name)))
    }
    if least < 0 || most < 0 {
      faults.append(("a count cannot be negative", .ignoreCounts(name)))
    } else if most > 0, least > most {
      let fault = "the minimum of \(least) is above the maximum of \(most)"
      faults.append((fault, .ignoreCounts(name)))
    }
    return faults
  }

  private mutating func checkPair(
    _ relationship: Relationship,
    of entity: Entity,
    inverse: Relationship
  ) {
    let path = "'\(relationship.destination).\(inverse.name)'"
    var fault: String?
    if inverse.inverse != relationship.name {
      let other = inverse.inverse.map { "is the inverse of '\($0)'" } ?? "has no inverse"
      fault = "its inverse \(path) \(other)"
    } else if !ancestors(of: entity).contains(where: { $0.name == inverse.destination }),
      self.entity(named: inverse.destination).map(ancestors)?.contains(entity) != true
    {
      fault = "its inverse \(path) leads to '\(inverse.destination)'"
    }
    guard let fault else {
      for risk in deletionRisks(relationship, inverse: inverse, path: path) {
        report(risk, entity: entity, part: relationship.name, severity: .warning)
      }
      return
    }
    // A to-many relationship stores its keys in the column of its inverse. If that column belongs
    // to another relationship, the to-many relationship becomes transient.
    let name = relationship.name
    let isKept = !relationship.isToMany || relationship.isTransient
    let remedy: ModelRemedy = isKept ? .dropInverse(name) : .makeTransient(name)
    report(fault, entity: entity, part: name, remedy: remedy)
  }

  private func deletionRisks(
    _ relationship: Relationship,
    inverse: Relationship,
    path: String
  ) -> [String] {
    switch (relationship.deleteRule, inverse.deleteRule) {
    case (.deny, .deny):
      return [
        "it and its inverse \(path) both have the delete rule deny: neither object can be "
          + "deleted first"
      ]
    case (.cascade, .cascade) where relationship.isToMany || inverse.isToMany:
      return [
        "it and its inverse \(path) both have the delete rule cascade: one deletion deletes "
          + "all connected objects"
      ]
    case (.nullify, _) where !inverse.isOptional && !inverse.isToMany:
      return [
        "its delete rule nullifies \(path), which is not optional: a deletion would fail "
          + "validation"
      ]
    default: return []
    }
  }
}

extension ModelCheck {
  mutating func checkIndexes(of entity: Entity) {
    let lineage = ancestors(of: entity)
    let attributes = lineage.flatMap(\.attributes)
    let relationships = lineage.flatMap(\.relationships)
    let stored =
      attributes.filter { !$0.isTransient }.map(\.name)
      + relationships.filter { !$0.isToMany && !$0.isTransient }.map(\.name)
    for constraint in entity.uniquenessConstraints {
      let title = "the unique constraint [\(constraint.joined(separator: ", "))]"
      if let fault = listFault(constraint, allowed: stored, kind: storedKind) {
        report("\(title) \(fault)", entity: entity, remedy: .leaveOutConstraint(constraint))
      }
    }
    // A fetch index can also contain the expressions `entity` (the entity number) and `self` (the
    // primary key).
    let known = attributes.map(\.name) + relationships.map(\.name) + ["entity", "self"]
    for index in entity.fetchIndexes {
      let remedy = ModelRemedy.leaveOutIndex(index.name)
      if let fault = nameFault(index.name) {
        report("the index name \(fault)", entity: entity, part: index.name, remedy: remedy)
      }
      let properties = index.elements.map(\.property)
      let kind = "property of the entity"
      if let fault = listFault(properties, allowed: known, kind: kind) {
        report("the index \(fault)", entity: entity, part: index.name, remedy: remedy)
      } else if let fault = listFault(
        properties,
        allowed: stored + known.suffix(2),
        kind: storedKind
      ) {
        let none = ModelRemedy.accept("the store has no such index")
        let message = "the index \(fault)"
        report(message, entity: entity, part: index.name, severity: .warning, remedy: none)
      }
      checkRTree(index, of: entity, attributes: attributes)
    }
  }

  private var storedKind: String { "stored attribute or to-one relationship" }

  /// Reports clashes between index names.
  ///
  /// Index names must be unique in the store, and SQLite compares them case-insensitively.
  mutating func checkIndexNames() {
    var names: Set<String> = []
    for entity in model.entities {
      for constraint in entity.uniquenessConstraints {
        let name = "Z_\(entity.name)_UNIQUE_\(constraint.joined(separator: "_"))"
        if !names.insert(name.uppercased()).inserted {
          let list = constraint.joined(separator: ", ")
          report(
            "the unique constraint [\(list)] has the name of another index",
            entity: entity,
            remedy: .leaveOutConstraint(constraint)
          )
        }
      }
      for index in entity.fetchIndexes
      where !names.insert("Z_\(entity.name)_\(index.name)".uppercased()).inserted {
        let isRepeated = entity.fetchIndexes.count { $0 == index } > 1
        report(
          isRepeated ? "the index occurs twice" : "another index has the same name",
          entity: entity,
          part: index.name,
          remedy: .leaveOutIndex(index.name)
        )
      }
    }
  }

  private func listFault(_ names: [String], allowed: [String], kind: String) -> String? {
    if names.isEmpty { return "is empty" }
    var seen: Set<String> = []
    for name in names {
      guard allowed.contains(name) else {
        return "names '\(name)', which is not a \(kind)\(didYouMean(name, among: allowed))"
      }
      if !seen.insert(name).inserted { return "names '\(name)' twice" }
    }
    return nil
  }

  private mutating func checkRTree(
    _ index: FetchIndex,
    of entity: Entity,
    attributes: [Attribute]
  ) {
    let ranges = index.elements.filter { $0.kind == .rTree }
    guard !ranges.isEmpty else { return }
    var faults: [String] = []
    if ranges.count != index.elements.count {
      faults.append("either all elements of an index are R-tree elements or none")
    }
    let numeric: Set<AttributeType> = [.integer16, .integer32, .integer64, .double, .float, .date]
    for element in ranges {
      let type = attributes.first { $0.name == element.property }?.type
      if let type, !numeric.contains(type) {
        faults.append("an R-tree contains numbers, but '\(element.property)' is \(type.name)")
      }
    }
    // An R-tree in SQLite has one to five dimensions (sqlite.org/rtree.html).
    if ranges.count > 5 { faults.append("an R-tree has at most five attributes") }
    for fault in faults {
      report(fault, entity: entity, part: index.name, remedy: .leaveOutIndex(index.name))
    }
  }
}

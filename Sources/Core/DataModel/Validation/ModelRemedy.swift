/// A way to use a model despite a problem: a part is skipped or interpreted differently.
package enum ModelRemedy: Hashable, Sendable {
  case leaveOutEntity
  /// Keeps only the first of the entities with this name.
  case leaveOutEntityAgain
  case makeRoot
  /// Breaks an inheritance cycle by making one of its entities a root.
  case cutCircle
  case leaveOutMember(String, configuration: String)
  case leaveOutAttribute(String)
  case leaveOutRelationship(String)
  /// Leaves out a property that an entity redeclares from a super-entity.
  case leaveOutProperty(String)
  /// Keeps only the first of the properties with this name.
  case leaveOutPropertyAgain(String)
  case leaveOutIndex(String)
  case leaveOutConstraint([String])
  case forgetRenaming(String)
  case change(String, AttributeChange)
  case dropInverse(String)
  case makeTransient(String)
  case ignoreOrder(String)
  case ignoreCounts(String)
  /// Leaves the model unchanged; the string describes the form of the part in a store.
  case accept(String)

  /// The part of an attribute that the remedy ignores.
  package enum AttributeChange: Hashable, Sendable {
    case ignoreDefault
    case ignoreBounds
    case ignorePattern
    case ignoreDerivation
    case keepInside
    case leaveOutElements
    case leaveOutElement(String)
  }

  /// The action taken, worded to complete a sentence about the problem.
  package var action: String {
    switch self {
    case .leaveOutEntity, .leaveOutMember, .leaveOutAttribute, .leaveOutRelationship,
      .leaveOutIndex, .leaveOutConstraint:
      "left out"
    case .leaveOutEntityAgain, .leaveOutPropertyAgain: "the first one is used"
    case .leaveOutProperty: "the inherited one is used"
    case .makeRoot, .cutCircle: "taken as a root entity"
    case .forgetRenaming: "taken as a new property"
    case .change(_, .leaveOutElements), .change(_, .leaveOutElement): "the element is left out"
    case .change(_, .keepInside): "kept in the store"
    case .change: "ignored"
    case .dropInverse: "taken as a relationship without inverse"
    case .makeTransient: "taken as one without storage of its own"
    case .ignoreOrder: "taken as a to-one without order"
    case .ignoreCounts: "the counts are ignored"
    case .accept(let action): action
    }
  }
}

extension Model {
  private static let mostRounds = 40

  /// Returns the model with a remedy applied for each error, and every problem that has a remedy.
  ///
  /// Readers of files from Apple's tools call this function. Errors without a remedy remain.
  package func workable() -> (model: Model, problems: [Problem]) {
    var (model, treated): (Model, [Problem]) = (self, [])
    var problems = model.problems()
    for _ in 0..<Self.mostRounds {
      let wrong = problems.filter { $0.severity == .error && $0.remedy != nil }
      if wrong.isEmpty { break }
      treated += wrong
      model.apply(wrong)
      problems = model.problems()
    }
    treated += problems.filter { $0.severity == .warning && $0.remedy != nil }
    return (model, treated)
  }

  private mutating func apply(_ problems: [Problem]) {
    var entities = self.entities
    var (done, isCut): (Set<Problem>, Bool) = ([], false)
    for problem in problems {
      // A part with several problems is left out only once.
      var remedied = problem
      remedied.message = ""
      guard done.insert(remedied).inserted else { continue }
      switch problem.remedy {
      case .leaveOutMember(let member, let configuration)?:
        configurations[configuration]?.removeAll { $0 == member }
      case .leaveOutEntity?:
        if let index = entities.lastIndex(where: { $0.name == problem.entity }) {
          entities.remove(at: index)
        }
      case .leaveOutEntityAgain?:
        let first = entities.firstIndex { $0.name == problem.entity }
        let others = entities.indices.filter {
          entities[$0].name == problem.entity && $0 != first
        }
        for index in others.reversed() { entities.remove(at: index) }
      case .cutCircle? where isCut: break
      case let remedy?:
        if remedy == .cutCircle { isCut = true }
        for index in entities.indices where entities[index].name == problem.entity {
          entities[index].apply(remedy)
        }
      case nil: break
      }
    }
    self = Model(
      entities: entities,
      versionIdentifiers: versionIdentifiers,
      configurations: configurations,
      fetchRequests: fetchRequests
    )
  }
}

extension Entity {
  fileprivate mutating func apply(_ remedy: ModelRemedy) {
    switch remedy {
    case .leaveOutEntity, .leaveOutEntityAgain, .leaveOutMember, .accept: break
    case .makeRoot, .cutCircle: superentity = nil
    case .leaveOutAttribute(let name): attributes.removeAll { $0.name == name }
    case .leaveOutRelationship(let name): relationships.removeAll { $0.name == name }
    case .leaveOutProperty(let name):
      attributes.removeAll { $0.name == name }
      relationships.removeAll { $0.name == name }
    case .leaveOutPropertyAgain(let name):
      let first = attributes.first { $0.name == name }
      let other = first == nil ? relationships.first { $0.name == name } : nil
      attributes.removeAll { $0.name == name }
      relationships.removeAll { $0.name == name }
      if let first { attributes.append(first) }
      if let other { relationships.append(other) }
    case .leaveOutIndex(let name):
      if let index = fetchIndexes.lastIndex(where: { $0.name == name }) {
        fetchIndexes.remove(at: index)
      }
    case .leaveOutConstraint(let properties):
      if let index = uniquenessConstraints.lastIndex(of: properties) {
        uniquenessConstraints.remove(at: index)
      }
    case .forgetRenaming(let name):
      change(attribute: name) { $0.renamingIdentifier = nil }
      change(relationship: name) { $0.renamingIdentifier = nil }
    case .change(let name, let change): self.change(attribute: name) { $0.apply(change) }
    case .dropInverse(let name): change(relationship: name) { $0.inverse = nil }
    case .makeTransient(let name):
      change(relationship: name) { ($0.isTransient, $0.inverse) = (true, nil) }
    case .ignoreOrder(let name): change(relationship: name) { $0.isOrdered = false }
    case .ignoreCounts(let name):
      change(relationship: name) {
        $0.minimumCount = 0
        $0.maximumCount = $0.isToMany ? 0 : 1
      }
    }
  }

  private mutating func change(attribute name: String, _ change: (inout Attribute) -> Void) {
    for index in attributes.indices where attributes[index].name == name {
      change(&attributes[index])
    }
  }

  private mutating func change(relationship name: String, _ change: (inout Relationship) -> Void) {
    for index in relationships.indices where relationships[index].name == name {
      change(&relationships[index])
    }
  }
}

extension Attribute {
  fileprivate mutating func apply(_ change: ModelRemedy.AttributeChange) {
    switch change {
    case .ignoreDefault: defaultValue = .null
    case .ignoreBounds: (minimum, maximum) = (.null, .null)
    case .ignorePattern: pattern = nil
    case .ignoreDerivation: derivation = nil
    case .keepInside: allowsExternalStorage = false
    case .leaveOutElements: elements = []
    case .leaveOutElement(let name): elements.removeAll { $0.name == name }
    }
  }
}

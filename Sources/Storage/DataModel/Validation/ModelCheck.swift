import Basics

extension Model {
  /// Something wrong with a model, and the part of it that is meant.
  package struct Problem: Hashable, Sendable, CustomStringConvertible {
    package var severity: Diagnostic.Severity
    /// The entity's name; `nil` where the whole model is meant.
    package var entity: String?
    /// The name of the entity's attribute, relationship or fetch index.
    package var part: String?
    package var message: String

    package var description: String {
      let subject = [entity, part].compactMap(\.self).joined(separator: ".")
      return subject.isEmpty ? message : "\(subject): \(message)"
    }
  }

  /// Everything wrong with the model: errors, and what Core Data's model compiler would warn of.
  ///
  /// A model without errors can be laid out as a store.
  package func problems() -> [Model.Problem] {
    var check = ModelCheck(self)
    check.run()
    return check.problems
  }

  /// The errors in words, without the warnings.
  package var errors: [String] {
    problems().filter { $0.severity == .error }.map(\.description)
  }

  /// Whether the model has no errors; warnings are allowed.
  package var isValid: Bool { errors.isEmpty }
}

/// One pass over a model that gathers its problems.
struct ModelCheck {
  /// Far above any real model; keeps the work on hostile ones small.
  private static let mostEntities = 2000

  let model: Model
  private let byName: [String: Entity]
  private(set) var problems: [Model.Problem] = []

  init(_ model: Model) {
    self.model = model
    byName = Dictionary(keepingFirst: model.entities.map { ($0.name, $0) })
  }

  mutating func run() {
    guard model.entities.count <= ModelCheck.mostEntities else {
      return report("the model has more than \(ModelCheck.mostEntities) entities")
    }
    checkEntityNames()
    checkConfigurations()
    checkIndexNames()
    for entity in model.entities {
      checkInheritance(of: entity)
      checkProperties(of: entity)
      for attribute in entity.attributes { checkAttribute(attribute, of: entity) }
      for relationship in entity.relationships { checkRelationship(relationship, of: entity) }
      checkIndexes(of: entity)
    }
  }

  mutating func report(
    _ message: String,
    entity: Entity? = nil,
    part: String? = nil,
    severity: Diagnostic.Severity = .error
  ) {
    problems.append(
      Model.Problem(severity: severity, entity: entity?.name, part: part, message: message)
    )
  }

  func entity(named name: String) -> Entity? {
    byName[name]
  }

  var entityNames: [String] { model.entities.map(\.name) }

  /// The entity and what it inherits from, the entity itself first.
  func ancestors(of entity: Entity) -> [Entity] {
    var chain = [entity]
    var seen: Set<String> = [entity.name]
    while let name = chain.last?.superentity, seen.insert(name).inserted, let above = byName[name] {
      chain.append(above)
    }
    return chain
  }

  private mutating func checkEntityNames() {
    if model.entities.isEmpty { report("the model has no entities") }
    var tables: [String: String] = [:]
    for entity in model.entities {
      if let fault = nameFault(entity.name) {
        report("the entity name '\(entity.name.prefix(300))' \(fault)", entity: entity)
      } else if entity.name.hasPrefix("_") {
        // Z_PRIMARYKEY, Z_METADATA and the join tables start so.
        report("an entity name cannot start with an underscore", entity: entity)
      }
      let table = entity.name.uppercased()
      if let other = tables[table] {
        let clash = other == entity.name ? "is there twice" : "differs from '\(other)' in case only"
        report("the entity \(clash)", entity: entity)
      }
      tables[table] = entity.name
    }
  }

  private mutating func checkConfigurations() {
    for (name, members) in model.configurations.sorted(by: { $0.key < $1.key }) {
      for member in members where byName[member] == nil {
        let hint = didYouMean(member, among: entityNames)
        report("the configuration '\(name)' names an unknown entity '\(member)'\(hint)")
      }
    }
  }

  private mutating func checkInheritance(of entity: Entity) {
    guard let name = entity.superentity else { return }
    guard byName[name] != nil else {
      let hint = didYouMean(name, among: entityNames)
      return report("the super-entity '\(name)' does not exist\(hint)", entity: entity)
    }
    if let last = ancestors(of: entity).last, let above = last.superentity, byName[above] != nil {
      report("the super-entities form a circle", entity: entity)
    }
  }
}

extension Model {
  /// Names of entities and properties that SQL without quotes would not take for one name.
  ///
  /// The store of such a model cannot be made, and SQL of another's could be in them. Letters beyond ASCII are
  /// allowed, as SQLite allows them.
  package var unusableNames: [String] {
    var names = entities.map(\.name)
    for entity in entities {
      names += entity.attributes.map(\.name) + entity.attributes.flatMap(\.elements).map(\.name)
      names += entity.relationships.map(\.name) + entity.fetchIndexes.map(\.name)
    }
    return names.filter { name in
      name.isEmpty || name.utf8.count > longestName
        || !name.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == 0x24 || $0 >= 0x80 }
    }
  }
}

/// The longest name of an entity, a property or an index.
private let longestName = 255

/// Names that are methods of every managed object and so cannot be properties.
private let reservedNames: Set<String> = [
  "autorelease", "class", "debugDescription", "description", "entity", "faultingState",
  "hasChanges", "hash", "isDeleted", "isFault", "isInserted", "isProxy", "isUpdated",
  "managedObjectContext", "objectID", "observationInfo", "release", "retain", "retainCount", "self",
  "superclass", "zone",
]

/// What is wrong with a name that becomes part of SQL, or `nil`.
func nameFault(_ name: String) -> String? {
  guard let first = name.utf8.first else { return "is empty" }
  let letters = name.utf8.allSatisfy { isLetter($0) || isDigit($0) }
  guard letters, !isDigit(first) else {
    return "must have letters, digits and underscores only, and no digit at its start"
  }
  return name.utf8.count > longestName ? "is longer than \(longestName) characters" : nil
}

private func isLetter(_ byte: UInt8) -> Bool {
  (65...90).contains(byte) || (97...122).contains(byte) || byte == 95
}

private func isDigit(_ byte: UInt8) -> Bool {
  (48...57).contains(byte)
}

/// Why a property cannot have that name, or `nil`.
func propertyNameFault(_ name: String) -> String? {
  if let fault = nameFault(name) { return fault }
  if reservedNames.contains(name) { return "is a method of every managed object" }
  let upper = name.uppercased()
  let tail = upper.dropFirst()
  let isSystemColumn = ["_PK", "_ENT", "_OPT"].contains(upper) || upper.hasPrefix("_FOK_")
  let isJoinColumn = upper.hasPrefix("_") && tail.utf8.first.map(isDigit) == true
  return isSystemColumn || isJoinColumn ? "would be a column that the store keeps for itself" : nil
}

extension ModelCheck {
  /// Checks the names of an entity's properties against one another and against inherited ones.
  mutating func checkProperties(of entity: Entity) {
    let own = entity.attributes.map(\.name) + entity.relationships.map(\.name)
    for name in own {
      if let fault = propertyNameFault(name) {
        report("the name '\(name.prefix(300))' \(fault)", entity: entity, part: name)
      }
    }
    var declared: [String: (name: String, entity: String)] = [:]
    for ancestor in ancestors(of: entity).dropFirst() {
      for name in ancestor.attributes.map(\.name) + ancestor.relationships.map(\.name) {
        declared[name.uppercased()] = (name, ancestor.name)
      }
    }
    for name in own {
      if let other = declared[name.uppercased()] {
        let place = other.entity == entity.name ? "" : " of '\(other.entity)'"
        let clash = other.name == name ? "is also" : "differs in case only from"
        report("the name \(clash) '\(other.name)'\(place)", entity: entity, part: name)
      }
      declared[name.uppercased()] = (name, entity.name)
    }
    checkRenaming(of: entity)
  }

  /// Two properties cannot both be the former one.
  private mutating func checkRenaming(of entity: Entity) {
    var former: Set<String> = []
    let renamed =
      entity.attributes.map { ($0.name, $0.renamingIdentifier) }
      + entity.relationships.map { ($0.name, $0.renamingIdentifier) }
    for case (let name, let identifier?) in renamed where !former.insert(identifier).inserted {
      report("another property was renamed from '\(identifier)' too", entity: entity, part: name)
    }
  }
}

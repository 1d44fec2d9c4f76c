import Basics

extension Model {
  /// A problem of a model, with the part in which it occurs.
  package struct Problem: Hashable, Sendable, CustomStringConvertible {
    package var severity: Diagnostic.Severity
    /// The entity's name; `nil` if the problem concerns the whole model.
    package var entity: String?
    /// The name of the entity's attribute, relationship or fetch index.
    package var part: String?
    package var message: String
    /// The remedy that makes the rest of the model usable; `nil` if no remedy exists or is
    /// needed.
    package var remedy: ModelRemedy?

    package var description: String {
      let subject = [entity, part].compactMap(\.self).joined(separator: ".")
      return subject.isEmpty ? message : "\(subject): \(message)"
    }
  }

  /// All errors in the model, and warnings about unusual parts.
  ///
  /// A model without errors can be laid out as a store. All errors that occur in files of Apple's
  /// tools have a remedy, which readers of such files apply (see ``workable()``).
  package func problems() -> [Model.Problem] {
    var check = ModelCheck(self)
    check.run()
    return check.problems
  }

  /// The descriptions of the errors, without warnings.
  package var errors: [String] {
    problems().filter { $0.severity == .error }.map(\.description)
  }

  /// Whether the model has no errors; warnings are allowed.
  package var isValid: Bool { errors.isEmpty }
}

struct ModelCheck {
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
    severity: Diagnostic.Severity = .error,
    remedy: ModelRemedy? = nil
  ) {
    problems.append(
      Model.Problem(
        severity: severity,
        entity: entity?.name,
        part: part,
        message: message,
        remedy: remedy
      )
    )
  }

  func entity(named name: String) -> Entity? {
    byName[name]
  }

  var entityNames: [String] { model.entities.map(\.name) }

  func ancestors(of entity: Entity) -> [Entity] {
    var chain = [entity]
    var seen: Set<String> = [entity.name]
    while let name = chain.last?.superentity, seen.insert(name).inserted, let above = byName[name] {
      chain.append(above)
    }
    return chain
  }

  private mutating func checkEntityNames() {
    if model.entities.isEmpty {
      let action = "a store with this model has no objects"
      report("the model has no entities", severity: .warning, remedy: .accept(action))
    }
    var (names, tables): (Set<String>, [String: String]) = ([], [:])
    for entity in model.entities {
      if let fault = nameFault(entity.name) {
        let message = "the entity name '\(entity.name.prefix(300))' \(fault)"
        report(message, entity: entity, remedy: .leaveOutEntity)
      }
      if !names.insert(entity.name).inserted {
        report("the entity occurs twice", entity: entity, remedy: .leaveOutEntityAgain)
      } else if entity.superentity == nil {
        checkTable(of: entity, against: &tables)
      }
    }
  }

  /// Reports table names that are reserved or differ only in case.
  ///
  /// Only root entities have tables, and SQLite compares names case-insensitively.
  private mutating func checkTable(of entity: Entity, against tables: inout [String: String]) {
    let table = entity.name.uppercased()
    if isSystemName(table) {
      let message =
        "the name '\(entity.name)' is the name of a system table of stores: choose another"
      report(message, entity: entity, remedy: .leaveOutEntity)
    } else if let other = tables[table] {
      let message =
        "the entity's name differs from '\(other)' only in case, so SQLite uses the same table for "
        + "both: rename one of them"
      report(message, entity: entity, remedy: .leaveOutEntity)
    }
    tables[table] = entity.name
  }

  private mutating func checkConfigurations() {
    for (name, members) in model.configurations.sorted(by: { $0.key < $1.key }) {
      for member in members where byName[member] == nil {
        let hint = didYouMean(member, among: entityNames)
        report(
          "the configuration '\(name)' names an unknown entity '\(member)'\(hint)",
          remedy: .leaveOutMember(member, configuration: name)
        )
      }
    }
  }

  private mutating func checkInheritance(of entity: Entity) {
    guard let name = entity.superentity else { return }
    guard byName[name] != nil else {
      let hint = didYouMean(name, among: entityNames)
      let message = "the super-entity '\(name)' does not exist\(hint)"
      return report(message, entity: entity, remedy: .makeRoot)
    }
    if let last = ancestors(of: entity).last, let above = last.superentity, byName[above] != nil {
      report("the super-entities form a circle", entity: entity, remedy: .cutCircle)
    }
  }
}

extension Model {
  /// The names of entities and properties that are not valid as unquoted SQL names.
  ///
  /// No store can have them, and they could contain SQL code from an untrusted file. Letters beyond
  /// ASCII are allowed, as in SQLite.
  package var unusableNames: [String] {
    var names = entities.map(\.name)
    for entity in entities {
      names += entity.attributes.map(\.name) + entity.attributes.flatMap(\.elements).map(\.name)
      names += entity.relationships.map(\.name) + entity.fetchIndexes.map(\.name)
    }
    return names.filter { nameFault($0) != nil }
  }
}

private let longestName = 255

/// The names of methods that every managed object has; no property can have one of these names.
private let reservedNames: Set<String> = [
  "autorelease", "class", "debugDescription", "description", "entity", "faultingState",
  "hasChanges", "hash", "isDeleted", "isFault", "isInserted", "isProxy", "isUpdated",
  "managedObjectContext", "objectID", "observationInfo", "release", "retain", "retainCount", "self",
  "superclass", "zone",
]

func nameFault(_ name: String) -> String? {
  guard let first = name.utf8.first else { return "is empty" }
  // SQLite allows a dollar sign and any non-ASCII character in an unquoted name.
  let letters = name.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == 0x24 || $0 >= 0x80 }
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

/// Whether a table or column named `Z` + name is reserved for the store itself, such as Z_PK,
/// Z_METADATA or Z_1TAGS.
private func isSystemName(_ upper: String) -> Bool {
  let own = ["_PK", "_ENT", "_OPT", "_PRIMARYKEY", "_METADATA", "_MODELCACHE"]
  let isNumbered = upper.hasPrefix("_") && upper.dropFirst().utf8.first.map(isDigit) == true
  return own.contains(upper) || upper.hasPrefix("_FOK_") || isNumbered
}

func propertyNameFault(_ name: String) -> String? {
  if let fault = nameFault(name) { return fault }
  let isOwn = isSystemName(name.uppercased())
  return isOwn ? "would be a column that the store itself uses" : nil
}

extension ModelCheck {
  mutating func checkProperties(of entity: Entity) {
    let own =
      entity.attributes.map { ($0.name, ModelRemedy.leaveOutAttribute($0.name)) }
      + entity.relationships.map { ($0.name, ModelRemedy.leaveOutRelationship($0.name)) }
    for (name, remedy) in own {
      if let fault = propertyNameFault(name) {
        let message = "the name '\(name.prefix(300))' \(fault)"
        report(message, entity: entity, part: name, remedy: remedy)
      } else if reservedNames.contains(name) {
        let message = "the name '\(name)' is a method of every managed object"
        let action = ModelRemedy.accept("the property still gets a column")
        report(message, entity: entity, part: name, severity: .warning, remedy: action)
      }
    }
    // Compare names both exactly and case-insensitively, because SQLite ignores case.
    var declared: [String: (name: String, entity: String)] = [:]
    var columns: [String: (name: String, entity: String)] = [:]
    for ancestor in ancestors(of: entity).dropFirst() {
      for name in ancestor.attributes.map(\.name) + ancestor.relationships.map(\.name) {
        declared[name] = (name, ancestor.name)
        columns[name.uppercased()] = (name, ancestor.name)
      }
    }
    for (name, _) in own {
      if let other = declared[name] ?? columns[name.uppercased()] {
        reportClash(of: name, with: other, in: entity)
      }
      declared[name] = (name, entity.name)
      columns[name.uppercased()] = (name, entity.name)
    }
    checkRenaming(of: entity)
  }

  private mutating func reportClash(
    of name: String,
    with other: (name: String, entity: String),
    in entity: Entity
  ) {
    let place = other.entity == entity.name ? "" : " of '\(other.entity)'"
    guard other.name == name else {
      let message = "the name differs only in case from '\(other.name)'\(place)"
      let action = ModelRemedy.accept("the second column gets a number")
      return report(message, entity: entity, part: name, severity: .warning, remedy: action)
    }
    let remedy: ModelRemedy =
      other.entity == entity.name ? .leaveOutPropertyAgain(name) : .leaveOutProperty(name)
    report("the name is also '\(name)'\(place)", entity: entity, part: name, remedy: remedy)
  }

  private mutating func checkRenaming(of entity: Entity) {
    var former: Set<String> = []
    let renamed =
      entity.attributes.map { ($0.name, $0.renamingIdentifier) }
      + entity.relationships.map { ($0.name, $0.renamingIdentifier) }
    for case (let name, let identifier?) in renamed where !former.insert(identifier).inserted {
      let message = "another property has the renaming identifier '\(identifier)' too"
      report(message, entity: entity, part: name, remedy: .forgetRenaming(name))
    }
  }
}

import Basics
import DataModel
import PersistentStore

import struct Foundation.UUID

/// A condition as written in a workload file, before its names are looked up in the model.
///
/// Example: `isCompleted == 0 AND (estimatedMinutes >= 30 OR title BEGINSWITH 'Call')`
///
/// It uses operators of `NSPredicate`: `==` or `=`, `!=` or `<>`, `<`, `<=`, `>`, `>=`,
/// `BETWEEN {1, 5}`, `IN {1, 2}`, `BEGINSWITH`, `ENDSWITH`, `CONTAINS` and `LIKE`, `AND` or `&&`,
/// `OR` or `||`, `NOT` or `!`; comparisons of texts may have the options `[c]`, `[d]` and `[cd]`.
/// Properties may be key paths through to-one relationships, such as `folder.name`. `tags.@count`
/// is the number of objects in a to-many relationship, `ANY tags == 3` tests whether it contains
/// the object with that key, and `ANY tags.name == 'x'` whether one of its objects has that name.
/// `nil` means no value, and dates are written as `2026-04-01`.
indirect enum Condition: Hashable, Sendable {
  /// A value whose attribute type is not known yet.
  enum Literal: Hashable, Sendable {
    case integer(Int64)
    case real(Double)
    case boolean(Bool)
    case text(String)
    /// A date written without quotes, in seconds since 2001-01-01.
    case date(Int64)
    case none
  }

  case comparison(String, Predicate.Operator, Literal)
  case beginsWith(String, String)
  case text(String, TextMatch)
  case isIn(String, [Literal])
  case has(String, Int64)
  /// A condition that at least one object in a to-many relationship must meet.
  case any(String, Condition)
  case count(String, Predicate.Operator, Int)
  case not(Condition)
  case and([Condition])
  case or([Condition])

  static let deepestNesting = 32

  /// Parses a string; returns `nil` if the string is empty.
  ///
  /// - Throws: ``Refusal`` that states the position of the unexpected character.
  init?(_ text: String) throws {
    var reader = ConditionReader(tokens: try ConditionReader.Token.tokens(of: text))
    guard let condition = try reader.read() else { return nil }
    self = condition
  }
}

extension Condition {
  /// Whether a condition searches a text, for which Core Data adds a function to SQLite; false if
  /// the string is not a condition.
  static func searchesText(_ text: String) -> Bool {
    hasPart(text) { if case .text = $0 { true } else { false } }
  }

  /// Whether a condition uses ANY; false if the string is not a condition.
  static func usesAny(_ text: String) -> Bool {
    hasPart(text) {
      switch $0 {
      case .has, .any: true
      default: false
      }
    }
  }

  private static func hasPart(_ text: String, _ isWanted: (Condition) -> Bool) -> Bool {
    (try? Condition(text))?.hasPart(isWanted) ?? false
  }

  private func hasPart(_ isWanted: (Condition) -> Bool) -> Bool {
    if isWanted(self) { return true }
    return switch self {
    case .not(let inner), .any(_, let inner): inner.hasPart(isWanted)
    case .and(let parts), .or(let parts): parts.contains { $0.hasPart(isWanted) }
    case .comparison, .beginsWith, .text, .isIn, .has, .count: false
    }
  }
}

extension Condition {
  /// The condition as a predicate on an entity's objects, with values in storage form.
  ///
  /// - Throws: ``Refusal`` for a name that the entity does not have or a value of another type.
  func predicate(on entity: Entity, of model: Model) throws -> Predicate {
    switch self {
    case .comparison(let path, let comparison, let literal):
      return try Self.comparison(model.property(at: path, of: entity), path, comparison, literal)
    case .beginsWith(let path, let prefix):
      try model.checkText(path, of: entity, comparedWith: prefix)
      return .beginsWith(path, prefix)
    case .text(let path, let match):
      try model.checkText(path, of: entity, comparedWith: match.text)
      return .text(path, match)
    case .isIn(let path, let list):
      let property = try model.property(at: path, of: entity)
      guard case .attribute(let attribute) = property else {
        return .or(try list.map { try Self.comparison(property, path, .equal, $0) })
      }
      return .isIn(path, try list.compactMap { try $0.value(for: attribute) })
    case .has(let name, let key):
      try model.checkToMany(name, of: entity)
      return .has(name, key)
    case .any(let name, let inner):
      let relationship = try model.storedRelationship(name, of: entity)
      guard relationship.isToMany else {
        throw Refusal.badInput("'\(name)' of '\(entity.name)' is a to-one: leave out ANY")
      }
      let target = try model.knownEntity(relationship.destination)
      return .any(name, try inner.predicate(on: target, of: model))
    case .count(let path, let comparison, let number):
      let (owner, name) = try model.end(of: path, from: entity)
      try model.checkToMany(name, of: owner)
      return .count(path, comparison, number)
    case .not(let inner): return .not(try inner.predicate(on: entity, of: model))
    case .and(let parts): return .and(try parts.map { try $0.predicate(on: entity, of: model) })
    case .or(let parts): return .or(try parts.map { try $0.predicate(on: entity, of: model) })
    }
  }

  private static func comparison(
    _ property: Model.Property,
    _ path: String,
    _ comparison: Predicate.Operator,
    _ literal: Literal
  ) throws -> Predicate {
    let value: Value?
    switch (property, literal) {
    case (.attribute(let attribute), _): value = try literal.value(for: attribute)
    case (.relationship(let found), _) where found.isToMany:
      throw Refusal.badInput(
        "'\(found.name)' is a to-many and has no value: compare '\(path).@count' with a number"
      )
    case (.relationship, .none): value = nil
    case (.relationship, .integer(let key)): value = .integer(key)
    case (.relationship, .real), (.relationship, .boolean), (.relationship, .text),
      (.relationship, .date):
      throw Refusal.wrongValue(literal.spelling, of: path, type: "key")
    }
    if let value { return .comparison(path, comparison, value) }
    return comparison == .equal ? .isNull(path) : .not(.isNull(path))
  }
}

extension Condition.Literal {
  /// The value in the storage form of an attribute's type; `nil` for the literal `nil`.
  fileprivate func value(for attribute: Attribute) throws -> Value? {
    switch (attribute.type, self) {
    case (_, .none): return nil
    case (.boolean, .boolean(let value)): return .integer(value ? 1 : 0)
    case (.boolean, .integer(let value)) where value == 0 || value == 1: return .integer(value)
    case (.integer16, .integer(let value)), (.integer32, .integer(let value)),
      (.integer64, .integer(let value)), (.decimal, .integer(let value)),
      (.date, .integer(let value)), (.date, .date(let value)):
      return .integer(value)
    case (.double, .integer(let value)), (.float, .integer(let value)):
      return .real(Double(value))
    case (.double, .real(let value)), (.float, .real(let value)), (.decimal, .real(let value)),
      (.date, .real(let value)):
      return .real(value)
    case (.string, .text(let text)), (.uri, .text(let text)): return .text(text)
    case (.uuid, .text(let text)):
      guard let uuid = UUID(uuidString: text) else { break }
      return .blob(withUnsafeBytes(of: uuid.uuid) { Array($0) })
    default: break
    }
    throw Refusal.wrongValue(spelling, of: attribute)
  }

  /// The ranges of the integer types with fewer than 64 bits.
  static let ranges: [AttributeType: ClosedRange<Int64>] = [
    .integer16: -32_768...32_767, .integer32: -2_147_483_648...2_147_483_647,
  ]

  /// The new value of an attribute, parsed from a string; `nil` for the string `nil`.
  ///
  /// - Throws: ``Refusal`` if the string is not a value of the attribute's type.
  static func value(_ text: String, of attribute: Attribute) throws -> Value? {
    let isText = [.string, .uri, .uuid].contains(attribute.type)
    let literal = isText ? .text(text) : ConditionReader.literal(text)
    switch try? literal?.value(for: attribute) {
    case .integer(let number)? where ranges[attribute.type]?.contains(number) == false: break
    // In columns of type decimal or date, SQLite stores whole numbers as integers.
    case .real(let number)? where attribute.type == .decimal || attribute.type == .date:
      return Int64(exactly: number).map { .integer($0) } ?? .real(number)
    case let value?: return value
    case nil where literal == Self.none: return nil
    case nil: break
    }
    throw Refusal.badInput(
      "'\(attribute.name)' is of type \(attribute.type.name) and cannot be '\(text)'"
        + Self.dateForm(attribute, "a date")
    )
  }

  /// The accepted date formats, for a message about a wrong value; empty if the attribute is not a
  /// date.
  fileprivate static func dateForm(_ attribute: Attribute, _ date: String) -> String {
    guard attribute.type == .date else { return "" }
    return ": write \(date) as 2026-04-01, 2026-04-01T12:00:00Z or 2026-04-01T12:00:00+02:00"
  }

  fileprivate var spelling: String {
    switch self {
    case .integer(let value): String(value)
    case .real(let value): String(value)
    case .boolean(let value): value ? "TRUE" : "FALSE"
    case .text(let text): text
    case .date(let seconds): ReferenceDate.iso8601(seconds: seconds) ?? "\(seconds)"
    case .none: "nil"
    }
  }
}

extension Model {
  /// The property that a comparison reads from an object.
  fileprivate enum Property {
    case attribute(Attribute)
    case relationship(Relationship)
  }

  /// The last property of a key path.
  ///
  /// - Throws: ``Refusal`` if an entity on the way has no such property.
  fileprivate func property(at path: String, of entity: Entity) throws -> Property {
    let (owner, name) = try end(of: path, from: entity)
    if let found = relationships(of: owner).first(where: { $0.name == name }) {
      return .relationship(found)
    }
    return .attribute(try storedAttribute(name, of: owner))
  }

  /// The entity that a key path's to-one relationships lead to, and the name of the last property.
  ///
  /// - Throws: ``Refusal`` if an entity on the way has no such to-one relationship.
  fileprivate func end(
    of path: String,
    from entity: Entity
  ) throws -> (entity: Entity, name: String) {
    guard !path.contains("@") else {
      throw Refusal.badInput("'\(path)' is not read here: only '@count' is, against one number")
    }
    return try end(of: path, from: entity) { isFirst in
      isFirst
        ? "begin the comparison with ANY"
        : "ANY searches only a to-many of '\(entity.name)' itself"
    }
  }

  /// The entity that a key path's to-one relationships lead to, and the name of the last property.
  ///
  /// If the path contains a to-many relationship, the error includes the advice that `remedy`
  /// returns.
  ///
  /// - Throws: ``Refusal`` if an entity on the way has no such to-one relationship.
  func end(
    of path: String,
    from entity: Entity,
    remedy: (_ isFirst: Bool) -> String
  ) throws -> (entity: Entity, name: String) {
    var owner = entity
    var names = path.pathNames
    let last = names.removeLast()
    for (index, name) in names.enumerated() {
      let relationship = try storedRelationship(name, of: owner)
      guard !relationship.isToMany else {
        throw Refusal.badInput(
          "'\(path)' leads through '\(name)' of '\(owner.name)', which is a to-many: "
            + remedy(index == 0)
        )
      }
      owner = try knownEntity(relationship.destination)
    }
    return (owner, last)
  }

  /// The maximum number of relationships in a key path that is followed or prefetched.
  private static let longestPath = 32

  /// The relationships of a key path, such as `folder` and `owner` of `folder.owner`.
  ///
  /// - Throws: ``Refusal`` if an entity on the way has no such stored relationship.
  func storedRelationships(at path: String, of entity: Entity) throws -> [Relationship] {
    let names = path.pathNames
    guard names.count <= Self.longestPath else {
      throw Refusal.badInput(
        "a path of \(names.count) relationships is too long: write at most \(Self.longestPath)"
      )
    }
    var owner = entity
    var relationships: [Relationship] = []
    for (index, name) in names.enumerated() {
      let isEnd = index > 0 && index == names.count - 1
      if isEnd, attributes(of: owner).contains(where: { $0.name == name }) {
        throw Refusal.badInput(
          "'\(path)' ends with an attribute of '\(owner.name)': write "
            + "'\(names.dropLast().joined(separator: "."))', which loads all of its attributes"
        )
      }
      let relationship = try storedRelationship(name, of: owner)
      relationships.append(relationship)
      owner = try knownEntity(relationship.destination)
    }
    return relationships
  }

  fileprivate func checkText(_ path: String, of entity: Entity, comparedWith text: String) throws {
    let (owner, name) = try end(of: path, from: entity)
    let attribute = try storedAttribute(name, of: owner)
    guard attribute.type == .string else { throw Refusal.wrongValue(text, of: attribute) }
  }

  fileprivate func checkToMany(_ name: String, of entity: Entity) throws {
    guard try !storedRelationship(name, of: entity).isToMany else { return }
    throw Refusal.notToMany(name, entity: entity.name)
  }

  /// An entity's stored attribute, which may be inherited.
  ///
  /// - Throws: ``Refusal`` if the entity has no such attribute.
  func storedAttribute(_ name: String, of entity: Entity) throws -> Attribute {
    let stored = attributes(of: entity).filter { !$0.isTransient }
    if let attribute = stored.first(where: { $0.name == name }) { return attribute }
    throw Refusal.notStored("attribute", name, of: entity, stored.map(\.name))
  }

  /// An entity's stored relationship, which may be inherited.
  ///
  /// - Throws: ``Refusal`` if the entity has no such relationship.
  func storedRelationship(_ name: String, of entity: Entity) throws -> Relationship {
    let stored = relationships(of: entity).filter { !$0.isTransient }
    if let relationship = stored.first(where: { $0.name == name }) { return relationship }
    throw Refusal.notStored("relationship", name, of: entity, stored.map(\.name))
  }
}

extension Refusal {
  fileprivate static func notStored(
    _ sort: String,
    _ name: String,
    of entity: Entity,
    _ stored: [String]
  ) -> Refusal {
    badInput(
      "the entity '\(entity.name)' has no stored \(sort) '\(name)'" + nameHint(name, among: stored)
    )
  }

  /// The error for a value in a predicate that does not have the attribute's type.
  fileprivate static func wrongValue(_ value: String, of attribute: Attribute) -> Refusal {
    let form = Condition.Literal.dateForm(attribute, "a date without quotes,")
    return wrongValue(value, of: attribute.name, type: attribute.type.name, form)
  }

  fileprivate static func wrongValue(
    _ value: String,
    of name: String,
    type: String,
    _ form: String = ""
  ) -> Refusal {
    badInput("'\(name)' is of type \(type) and cannot be compared with '\(value)'" + form)
  }

  static func notToMany(_ name: String, entity: String) -> Refusal {
    badInput("'\(name)' of '\(entity)' is a to-one, which has no count: compare it with nil")
  }
}

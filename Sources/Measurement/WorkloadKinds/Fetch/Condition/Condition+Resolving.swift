import DataModel
import PersistentStore

import struct Foundation.UUID

extension Condition {
  /// The condition on an entity's objects, its names looked up and its values in storage form.
  ///
  /// - Throws: ``FetchError`` for a name that the entity has not or a value of another type.
  func predicate(on entity: Entity, of model: Model) throws -> Predicate {
    switch self {
    case .comparison(let name, let comparison, let literal):
      if let toOne = model.relationships(of: entity).first(where: { $0.name == name }) {
        return try Self.comparison(ofToOne: toOne, comparison, literal)
      }
      let attribute = try model.storedAttribute(name, of: entity)
      guard let value = try literal.value(for: attribute) else {
        return comparison == .equal ? .isNull(name) : .not(.isNull(name))
      }
      return .comparison(name, comparison, value)
    case .beginsWith(let name, let prefix):
      let attribute = try model.storedAttribute(name, of: entity)
      guard attribute.type == .string else {
        throw FetchError.wrongValue(attribute: name, type: attribute.type.name, value: prefix)
      }
      return .beginsWith(name, prefix)
    case .count(let name, let comparison, let number):
      guard try model.storedRelationship(name, of: entity).isToMany else {
        throw FetchError.notToMany(name, entity: entity.name)
      }
      return .count(name, comparison, number)
    case .not(let inner): return .not(try inner.predicate(on: entity, of: model))
    case .and(let parts): return .and(try parts.map { try $0.predicate(on: entity, of: model) })
    case .or(let parts): return .or(try parts.map { try $0.predicate(on: entity, of: model) })
    }
  }

  private static func comparison(
    ofToOne toOne: Relationship,
    _ comparison: Predicate.Operator,
    _ literal: Literal
  ) throws -> Predicate {
    guard !toOne.isToMany else { throw FetchError.toManyCompared(toOne.name) }
    switch literal {
    case .none: return comparison == .equal ? .isNull(toOne.name) : .not(.isNull(toOne.name))
    case .integer(let key): return .comparison(toOne.name, comparison, .integer(key))
    case .real, .boolean, .text, .date:
      throw FetchError.wrongValue(attribute: toOne.name, type: "key", value: literal.spelling)
    }
  }
}

extension Condition.Literal {
  /// The value in the storage form of an attribute's type; `nil` for none.
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
    throw FetchError.wrongValue(
      attribute: attribute.name,
      type: attribute.type.name,
      value: spelling
    )
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
  /// An entity's attribute that has a column, its own or an inherited one.
  ///
  /// - Throws: ``FetchError/unknownAttribute(_:entity:candidates:)``.
  func storedAttribute(_ name: String, of entity: Entity) throws -> Attribute {
    let stored = attributes(of: entity).filter { !$0.isTransient }
    if let attribute = stored.first(where: { $0.name == name }) { return attribute }
    throw FetchError.unknownAttribute(name, entity: entity.name, candidates: stored.map(\.name))
  }

  /// An entity's relationship that the store keeps, its own or an inherited one.
  ///
  /// - Throws: ``FetchError/unknownRelationship(_:entity:candidates:)``.
  func storedRelationship(_ name: String, of entity: Entity) throws -> Relationship {
    let stored = relationships(of: entity).filter { !$0.isTransient }
    if let relationship = stored.first(where: { $0.name == name }) { return relationship }
    throw FetchError.unknownRelationship(
      name,
      entity: entity.name,
      candidates: stored.map(\.name)
    )
  }
}

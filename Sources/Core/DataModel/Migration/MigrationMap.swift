import Basics

/// The mapping of one model's objects to another model, from a map file or an app's mapping model
/// (`NSMappingModel`).
///
/// Its names are not yet resolved in the two models.
package struct MigrationMap: Hashable, Sendable {
  package var entities: [EntityMap]
  /// The source entities whose objects are dropped intentionally.
  package var dropped: Set<String>
  /// Whether entities that the map does not name are mapped as in a lightweight migration, or left
  /// out.
  package var infersTheRest: Bool
  /// Remarks from reading the map, one sentence each.
  package var remarks: [String]
  /// The places of the names in the map's file, by keys such as `0.attributes.title`, which begin
  /// with the index of the entity.
  var places: [String: Place] = [:]

  package init(
    entities: [EntityMap],
    dropped: Set<String> = [],
    infersTheRest: Bool = true,
    remarks: [String] = []
  ) {
    self.remarks = remarks
    self.entities = entities
    self.dropped = dropped
    self.infersTheRest = infersTheRest
  }

  /// The parts of the map that need the app's code (policies, filters and functions), as text.
  package var appCode: [String] {
    entities.flatMap { entity -> [String] in
      let policy = entity.policy.map { ["\(entity.name): the policy '\($0)'"] } ?? []
      let filter = entity.filter.map { ["\(entity.name): the filter '\($0)'"] } ?? []
      let attributes = entity.attributes.sorted { $0.key < $1.key }.compactMap { name, expression in
        expression.function.map { "\(entity.name).\(name): \($0)" }
      }
      let relationships = entity.relationships.sorted { $0.key < $1.key }.compactMap {
        name,
        expression in
        if case .function(let text) = expression { "\(entity.name).\(name): \(text)" } else { nil }
      }
      return policy + filter + attributes + relationships
    }
  }

  /// The map without the parts that need the app's code: attributes get their defaults,
  /// relationships stay empty, and no object is filtered out.
  package var withoutAppCode: MigrationMap {
    var map = self
    map.entities = entities.map { entity in
      var entity = entity
      (entity.policy, entity.filter) = (nil, nil)
      entity.attributes = entity.attributes.filter { $0.value.function == nil }
      for case (let name, .function) in entity.relationships {
        entity.relationships[name] = RelationshipExpression.none
      }
      return entity
    }
    return map
  }
}

/// The mapping of one entity's objects (`NSEntityMapping`).
///
/// Several mappings with the same source split its objects; several with the same destination merge
/// objects.
package struct EntityMap: Hashable, Sendable {
  /// The mapping's name, to which relationships refer.
  package var name: String
  /// The source entity; `nil` if the destination entity gets no objects.
  package var source: String?
  /// The destination entity; `nil` if the source's objects are left out.
  package var destination: String?
  /// The conditions for mapping an object, all of which must hold.
  package var conditions: [Condition]
  /// A mapping model's predicate that cannot be expressed as conditions.
  package var filter: String?
  /// The class name of the app's `NSEntityMigrationPolicy`.
  package var policy: String?
  /// The expressions for attributes, by name in the destination.
  package var attributes: [String: ValueExpression]
  /// The expressions for relationships, by name in the destination.
  package var relationships: [String: RelationshipExpression]
  /// Whether properties that the mapping does not name are mapped as in a lightweight migration.
  package var infersProperties: Bool

  package init(
    name: String? = nil,
    source: String?,
    destination: String?,
    conditions: [Condition] = [],
    filter: String? = nil,
    policy: String? = nil,
    attributes: [String: ValueExpression] = [:],
    relationships: [String: RelationshipExpression] = [:],
    infersProperties: Bool = true
  ) {
    self.name = name ?? [source, destination].compactMap(\.self).joined(separator: "To")
    self.source = source
    self.destination = destination
    self.conditions = conditions
    self.filter = filter
    self.policy = policy
    self.attributes = attributes
    self.relationships = relationships
    self.infersProperties = infersProperties
  }

  /// A condition that a source attribute has, or does not have, one of several values; `.null` is a
  /// missing value.
  package struct Condition: Hashable, Sendable {
    package var attribute: String
    package var values: [Value]
    package var isNegated: Bool

    package init(_ attribute: String, in values: [Value], isNegated: Bool = false) {
      self.attribute = attribute
      self.values = values
      self.isNegated = isNegated
    }

    /// Whether an object with this value of the attribute satisfies the condition.
    package func holds(for value: Value) -> Bool { values.contains(value) != isNegated }
  }
}

/// The expression for an attribute's value (`NSPropertyMapping.valueExpression`).
package indirect enum ValueExpression: Hashable, Sendable {
  /// An attribute reached along to-one relationships: `$source.a.b`.
  case source([String])
  case constant(Value)
  case now
  case converted(ValueExpression, ValueConversion)
  /// Values joined as text with a separator; missing values are skipped, and the result is missing
  /// if all are.
  case joined([ValueExpression], separator: String)
  /// Replaces some values; other values become `otherwise` or, without it, stay unchanged.
  case replaced(ValueExpression, [Replacement], otherwise: ValueExpression?)
  /// The first value that is not missing.
  case firstOf([ValueExpression])
  /// A UUID derived from the object's entity and key: different for each object, but the same in
  /// every run.
  case identifier
  /// The text of an expression that cannot be evaluated, such as `FUNCTION(...)`.
  case function(String)

  package struct Replacement: Hashable, Sendable {
    package var value: Value
    package var by: Value

    package init(_ value: Value, by replacement: Value) {
      self.value = value
      by = replacement
    }
  }

  /// The text of a function in the expression that cannot be evaluated, if any.
  package var function: String? {
    switch self {
    case .function(let text): text
    case .source, .constant, .now, .identifier: nil
    case .converted(let value, _): value.function
    case .joined(let values, _), .firstOf(let values): values.lazy.compactMap(\.function).first
    case .replaced(let value, _, let otherwise): value.function ?? otherwise?.function
    }
  }

  /// The key paths of the source that the expression reads.
  package var paths: [[String]] {
    switch self {
    case .source(let path): [path]
    case .constant, .now, .identifier, .function: []
    case .converted(let value, _): value.paths
    case .joined(let values, _), .firstOf(let values): values.flatMap(\.paths)
    case .replaced(let value, _, let otherwise): value.paths + (otherwise?.paths ?? [])
    }
  }

  var constants: [Value] {
    switch self {
    case .constant(let value): [value]
    case .firstOf(let values): values.flatMap(\.constants)
    case .replaced(_, let replacements, let otherwise):
      replacements.map(\.by) + (otherwise?.constants ?? [])
    case .source, .now, .identifier, .converted, .joined, .function: []
    }
  }

  /// The UUID of an object, derived from its name in the source, such as `Task/p12`.
  package static func identifier(of object: String) -> [UInt8] {
    var bytes = Array(SHA256.hash(data: Array(object.utf8)).prefix(16))
    // UUID version 8 (RFC 9562): a UUID with a custom hash.
    bytes[6] = bytes[6] & 0x0f | 0x80
    bytes[8] = bytes[8] & 0x3f | 0x80
    return bytes
  }

  /// Evaluates the expression for an object.
  ///
  /// `read` returns the value at a key path, or `.null` if it is missing; for an empty path, it
  /// returns the object's name, such as `Task/p12`.
  package func value(now: Double, read: ([String]) throws -> Value) rethrows -> Value {
    switch self {
    case .source(let path): return try read(path)
    case .constant(let value): return value
    case .now: return .real(now)
    case .identifier:
      return try read([]).asText.map { .blob(Self.identifier(of: $0)) } ?? .null
    case .converted(let inner, let conversion):
      return conversion(try inner.value(now: now, read: read))
    case .joined(let values, let separator):
      let texts = try values.map { try $0.value(now: now, read: read) }.compactMap(\.asText)
      return texts.isEmpty ? .null : .text(texts.joined(separator: separator))
    case .replaced(let inner, let replacements, let otherwise):
      let value = try inner.value(now: now, read: read)
      if let found = replacements.first(where: { $0.value == value }) { return found.by }
      return try otherwise?.value(now: now, read: read) ?? value
    case .firstOf(let values):
      for expression in values {
        let value = try expression.value(now: now, read: read)
        if value != .null { return value }
      }
      return .null
    case .function: return .null
    }
  }
}

extension Value {
  var asText: String? {
    switch self {
    case .null, .blob: nil
    case .integer(let value): String(value)
    case .real(let value): ValueConversion.text(of: value)
    case .text(let text): text
    }
  }
}

/// The expression for a relationship's objects.
package enum RelationshipExpression: Hashable, Sendable {
  case source(String)
  /// The objects of a source relationship, limited to those created by the named mapping.
  case mapped(String, by: String)
  /// The object that another mapping created from the same source object, for entities that are
  /// split.
  case sameSource(by: String?)
  case none
  case function(String)

  /// The source relationship that the expression follows, if any.
  package var relationship: String? {
    switch self {
    case .source(let name), .mapped(let name, _): name
    case .sameSource, .none, .function: nil
    }
  }
}

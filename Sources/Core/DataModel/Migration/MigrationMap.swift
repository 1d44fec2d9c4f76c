import Basics

/// Which objects of one model become which of another, as a person's map file or an app's mapping
/// model (`NSMappingModel`) says it: by names, before two models give the names a meaning.
package struct MigrationMap: Hashable, Sendable {
  package var entities: [EntityMap]
  /// Entities of the source whose objects are left out on purpose.
  package var dropped: Set<String>
  /// Whether entities that the map does not name are mapped as a lightweight migration infers it;
  /// otherwise they are left out.
  package var infersTheRest: Bool
  /// What was noticed while the map was read, in sentences.
  package var remarks: [String]

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

  /// What of the map only an app's own code can do, in words: policies, functions, predicates.
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

  /// The map without it: such attributes get their defaults, such relationships stay empty, and no
  /// object is filtered out.
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

/// What becomes of the objects of one entity (`NSEntityMapping`).
///
/// Several of one source split its objects, several of one destination bring objects together.
package struct EntityMap: Hashable, Sendable {
  /// The mapping's own name, by which relationships name it.
  package var name: String
  /// `nil` where the destination's entity gets no objects.
  package var source: String?
  /// `nil` where the source's objects are left out.
  package var destination: String?
  /// All of them must hold for an object to be mapped.
  package var conditions: [Condition]
  /// A predicate of a mapping model that is no list of conditions.
  package var filter: String?
  /// The class of an app's own `NSEntityMigrationPolicy`.
  package var policy: String?
  /// By the destination's names.
  package var attributes: [String: ValueExpression]
  /// By the destination's names.
  package var relationships: [String: RelationshipExpression]
  /// Whether properties that are not named are mapped as a lightweight migration infers it.
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

  /// Whether an attribute of the source has, or has not, one of some values; `.null` is no value.
  package struct Condition: Hashable, Sendable {
    package var attribute: String
    package var values: [Value]
    package var isNegated: Bool

    package init(_ attribute: String, in values: [Value], isNegated: Bool = false) {
      self.attribute = attribute
      self.values = values
      self.isNegated = isNegated
    }

    /// Whether an object with this value of the attribute is meant.
    package func holds(for value: Value) -> Bool { values.contains(value) != isNegated }
  }
}

/// What the value of an attribute is made of (`NSPropertyMapping.valueExpression`).
package indirect enum ValueExpression: Hashable, Sendable {
  /// `$source.a.b`: an attribute, reached along to-one relationships.
  case source([String])
  case constant(Value)
  /// The time of the migration.
  case now
  case converted(ValueExpression, ValueConversion)
  /// Texts with a separator between them; missing ones are left out, and nothing but missing ones
  /// is missing.
  case joined([ValueExpression], separator: String)
  /// Another value for each of some; without `otherwise` any other value stays.
  case replaced(ValueExpression, [Replacement], otherwise: ValueExpression?)
  /// The first that is not missing.
  case firstOf([ValueExpression])
  /// A UUID that the object's entity and key decide: another one for each object, the same one in
  /// every run.
  case identifier
  /// The text of what cannot be evaluated, such as `FUNCTION(...)`.
  case function(String)

  package struct Replacement: Hashable, Sendable {
    package var value: Value
    package var by: Value

    package init(_ value: Value, by replacement: Value) {
      self.value = value
      by = replacement
    }
  }

  /// The text of a function in it that cannot be evaluated; `nil` where there is none.
  package var function: String? {
    switch self {
    case .function(let text): text
    case .source, .constant, .now, .identifier: nil
    case .converted(let value, _): value.function
    case .joined(let values, _), .firstOf(let values): values.lazy.compactMap(\.function).first
    case .replaced(let value, _, let otherwise): value.function ?? otherwise?.function
    }
  }

  /// The key paths of the source that it reads.
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

  /// The UUID of an object, by its name in the source such as `Task/p12`.
  package static func identifier(of object: String) -> [UInt8] {
    var bytes = Array(SHA256.hash(data: Array(object.utf8)).prefix(16))
    // Version 8 of RFC 9562: a hash of the maker's choice.
    bytes[6] = bytes[6] & 0x0f | 0x80
    bytes[8] = bytes[8] & 0x3f | 0x80
    return bytes
  }

  /// The value for an object; `read` gives what a key path leads to, `.null` for nothing, and of an
  /// empty one the object's name such as `Task/p12`.
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
  /// The value as a text is joined of; `nil` for a missing one and for bytes.
  var asText: String? {
    switch self {
    case .null, .blob: nil
    case .integer(let value): String(value)
    case .real(let value): ValueConversion.text(of: value)
    case .text(let text): text
    }
  }
}

/// Where the objects of a relationship come from.
package enum RelationshipExpression: Hashable, Sendable {
  /// The objects of a relationship of the source.
  case source(String)
  /// The same, but only the objects that the mapping of this name made.
  case mapped(String, by: String)
  /// The object that another mapping made of the same source object: where one is split.
  case sameSource(by: String?)
  /// No objects.
  case none
  /// The text of what cannot be evaluated.
  case function(String)

  /// The relationship of the source that it follows.
  package var relationship: String? {
    switch self {
    case .source(let name), .mapped(let name, _): name
    case .sameSource, .none, .function: nil
    }
  }
}

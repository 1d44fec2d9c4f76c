import Basics
import DataModel
import PersistentStore

/// Explains why a condition matches no object, by the matches of each part and the values that
/// occur.
struct EmptyMatch {
  /// One comparison of the condition.
  private struct Part {
    let predicate: Predicate
    var matches = 0
    /// The number of occurrences of each value of the property, up to a maximum number of distinct
    /// values.
    var values: [Value: Int] = [:]

    mutating func add(_ object: some PredicateRecord) throws {
      let predicate = predicate
      if try predicate.isMet(by: object) == true { matches += 1 }
      try predicate.forEachValue(in: object) { value in
        guard values.count < EmptyMatch.mostValues || values[value] != nil else { return }
        values[value, default: 0] += 1
      }
    }
  }

  /// The maximum number of distinct values that are counted per column.
  private static let mostValues = 10_000

  private let entity: Entity
  private let model: Model
  private var parts: [Part]
  private var objects = 0

  init(_ predicate: Predicate, of entity: Entity, in model: Model) {
    (self.entity, self.model) = (entity, model)
    parts = predicate.comparisons.map { Part(predicate: $0) }
  }

  /// Counts a stored object, the conditions that it meets, and its values.
  mutating func add(_ object: some PredicateRecord) throws {
    objects += 1
    for index in parts.indices { try parts[index].add(object) }
  }

  /// The sentence for a case that was not measured because its condition matches nothing.
  var text: String {
    let found = parts.map { part in
      let count = part.matches == 0 ? "none" : "\(part.matches)"
      return "'\(words(of: part.predicate))' matches \(count)"
        + (part.matches == 0 ? nearest(part) : "")
    }
    let none = "not measured: the condition matches none of \(objects) objects of '\(entity.name)'"
    return ([none] + found).joined(separator: "; ") + ". If that is meant, set 'matches: 0'"
  }

  private func nearest(_ part: Part) -> String {
    guard let property = part.predicate.property else { return "" }
    let occurring = part.values.filter { $0.key != .null }.map { $0 }
    guard !occurring.isEmpty else { return ": no object has a value" }
    let sorted: [(key: Value, value: Int)]
    if let wanted = part.predicate.wanted?.number {
      let distance = { (value: Value) in value.number.map { abs($0 - wanted) } ?? .infinity }
      sorted = occurring.sorted {
        (distance($0.key), $1.value, $0.key.spelling) < (
          distance($1.key), $0.value, $1.key.spelling
        )
      }
    } else {
      sorted = occurring.sorted { ($1.value, $0.key.spelling) < ($0.value, $1.key.spelling) }
    }
    let name = part.predicate.wanted?.number == nil ? "most frequent" : "nearest"
    let shown = sorted.prefix(3).map { self.text($0.key, of: property) }
    return " (\(name): \(shown.joined(separator: ", ")))"
  }

  /// The predicate as written in a condition; each property has the prefix `relationship`.
  private func words(of predicate: Predicate, after relationship: String = "") -> String {
    func list(_ parts: [Predicate], _ separator: String) -> String {
      "(\(parts.map { words(of: $0, after: relationship) }.joined(separator: separator)))"
    }
    switch predicate {
    case .comparison(let path, let comparison, let value):
      let name = relationship + path
      let word = comparison == .equal ? "==" : comparison.rawValue
      return "\(name) \(word) \(text(value, of: name))"
    case .isNull(let path): return "\(relationship)\(path) == nil"
    case .beginsWith(let path, let prefix):
      return "\(relationship)\(path) BEGINSWITH '\(prefix)'"
    case .text(let path, let match):
      return "\(relationship)\(path) \(match.name) '\(match.text)'"
    case .has(let name, let key): return "ANY \(relationship)\(name) == \(key)"
    case .any(let name, let inner):
      return "ANY \(words(of: inner, after: "\(relationship)\(name)."))"
    case .count(let path, let comparison, let number):
      let word = comparison == .equal ? "==" : comparison.rawValue
      return "\(relationship)\(path).@count \(word) \(number)"
    case .not(let inner): return "NOT \(words(of: inner, after: relationship))"
    case .isIn(let path, let values):
      let name = relationship + path
      return "\(name) IN {\(values.map { text($0, of: name) }.joined(separator: ", "))}"
    case .keys: return ""
    case .and(let parts): return list(parts, " AND ")
    case .or(let parts): return list(parts, " OR ")
    }
  }

  /// A value in the form used in conditions, shortened if it is long.
  private func text(_ value: Value, of path: String) -> String {
    guard model.attribute(at: path, of: entity)?.type == .date,
      let seconds = value.number.flatMap({ Int64(exactly: $0.rounded(.down)) })
    else { return value.spelling }
    return ReferenceDate.iso8601(seconds: seconds) ?? value.spelling
  }
}

extension Model {
  /// The attribute at the end of a key path, which may contain to-many relationships.
  fileprivate func attribute(at path: String, of entity: Entity) -> Attribute? {
    var (entity, names) = (entity, path.split(separator: ".").map { String($0) })
    let last = names.popLast()
    for name in names {
      guard let found = relationships(of: entity).first(where: { $0.name == name }),
        let target = self.entity(named: found.destination)
      else { return nil }
      entity = target
    }
    return attributes(of: entity).first { $0.name == last }
  }
}

extension Predicate {
  /// The comparisons in the predicate; a negation is not split.
  fileprivate var comparisons: [Predicate] {
    switch self {
    case .and(let parts), .or(let parts): parts.flatMap(\.comparisons)
    default: [self]
    }
  }

  /// The key path whose values explain a comparison; `nil` for other kinds of comparisons.
  fileprivate var property: String? {
    switch self {
    case .comparison(let path, _, _), .beginsWith(let path, _), .text(let path, _): path
    case .isIn(let path, _): path
    case .any(let relationship, let inner): inner.property.map { "\(relationship).\($0)" }
    case .not(let inner): inner.property
    case .isNull, .has, .count, .keys, .and, .or: nil
    }
  }

  /// Calls `body` with each value of an object at the key path that explains the comparison.
  fileprivate func forEachValue(
    in object: some PredicateRecord,
    _ body: (Value) -> Void
  ) throws {
    switch self {
    case .any(let relationship, let inner):
      _ = try object.hasTarget(of: relationship) { target in
        try inner.forEachValue(in: target, body)
        return false
      }
    case .not(let inner): try inner.forEachValue(in: object, body)
    default: if let property { body(try object.value(at: property)) }
    }
  }

  /// The value that a comparison looks for.
  fileprivate var wanted: Value? {
    switch self {
    case .comparison(_, _, let value): value
    case .not(let inner), .any(_, let inner): inner.wanted
    default: nil
    }
  }
}

extension Value {
  fileprivate var spelling: String {
    switch self {
    case .null: "nil"
    case .integer(let value): "\(value)"
    case .real(let value): value.shortest
    case .text(let text): "'\(text.prefix(40))\(text.count > 40 ? "…" : "")'"
    case .blob(let bytes): "\(bytes.count) bytes"
    }
  }
}

import Basics
import DataModel
import PersistentStore

/// Explains why a condition matches no object: how many objects match each part, and which values
/// occur instead.
struct EmptyMatch {
  /// One comparison of the condition.
  private struct Part {
    let predicate: Predicate
    var matches = 0
    /// The number of occurrences of each value of the property, up to a maximum number of distinct
    /// values.
    var values: [Value: Int] = [:]
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
    for index in parts.indices {
      if try parts[index].predicate.isMet(by: object) == true { parts[index].matches += 1 }
      guard let property = parts[index].predicate.property else { continue }
      let value = try object.stored(property)
      if parts[index].values.count < Self.mostValues || parts[index].values[value] != nil {
        parts[index].values[value, default: 0] += 1
      }
    }
  }

  /// The sentence for a case that was not measured because its condition matches nothing.
  var text: String {
    let found = parts.map { part in
      let count = part.matches == 0 ? "none" : "\(part.matches)"
      return "'\(words(of: part.predicate))' matches \(count)"
        + (part.matches == 0 ? nearest(part) : "")
    }
    return "not measured: the condition matches none of \(objects) objects of '\(entity.name)'; "
      + found.joined(separator: "; ") + ". If that is meant, set 'matches: 0'"
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

  private func words(of predicate: Predicate) -> String {
    switch predicate {
    case .comparison(let name, let comparison, let value):
      "\(name) \(comparison == .equal ? "==" : comparison.rawValue) \(text(value, of: name))"
    case .isNull(let name): "\(name) == nil"
    case .beginsWith(let name, let prefix): "\(name) BEGINSWITH '\(prefix)'"
    case .contains(let name, let searched): "\(name) CONTAINS[cd] '\(searched)'"
    case .has(let name, let key): "ANY \(name) == \(key)"
    case .count(let name, let comparison, let number):
      "\(name).@count \(comparison == .equal ? "==" : comparison.rawValue) \(number)"
    case .not(let inner): "NOT \(words(of: inner))"
    case .isIn(let name, let values):
      "\(name) IN {\(values.map { text($0, of: name) }.joined(separator: ", "))}"
    case .keys, .and, .or: ""
    }
  }

  /// A value in the form used in conditions, shortened if it is long.
  private func text(_ value: Value, of property: String) -> String {
    let type = model.attributes(of: entity).first { $0.name == property }?.type
    guard type == .date, let seconds = value.number.flatMap({ Int64(exactly: $0.rounded(.down)) })
    else { return value.spelling }
    return ReferenceDate.iso8601(seconds: seconds) ?? value.spelling
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

  /// The attribute or to-one relationship whose values explain a comparison; `nil` for other kinds
  /// of comparisons.
  fileprivate var property: String? {
    switch self {
    case .comparison(let name, _, _), .beginsWith(let name, _), .contains(let name, _): name
    case .isIn(let name, _): name
    case .not(let inner): inner.property
    case .isNull, .has, .count, .keys, .and, .or: nil
    }
  }

  /// The value that a comparison looks for.
  fileprivate var wanted: Value? {
    switch self {
    case .comparison(_, _, let value): value
    case .not(let inner): inner.wanted
    default: nil
    }
  }
}

extension Value {
  var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    case .null, .text, .blob: nil
    }
  }

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

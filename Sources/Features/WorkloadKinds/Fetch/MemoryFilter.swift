import DataModel
import PersistentStore

extension Predicate {
  /// Whether an object meets the condition, as an app checks it in memory; `nil` where SQL would say
  /// NULL, so that the answer is that of a statement.
  func isMet(by object: ManagedObject) throws -> Bool? {
    switch self {
    case .comparison(let property, let comparison, let value):
      return comparison.holds(try object.stored(property), value)
    case .isNull(let property): return try object.stored(property) == .null
    case .beginsWith(let property, let prefix):
      guard case .text(let text) = try object.stored(property) else { return nil }
      return text.utf8.starts(with: prefix.utf8)
    case .contains(let property, let searched):
      // The store's function finds nothing in a text that is missing.
      guard case .text(let text) = try object.stored(property) else { return false }
      return FrameworkFunctions.isFound(searched, in: text)
    case .has(let relationship, let key):
      return try object.targets(of: relationship).contains { $0.key == key }
    case .count(let relationship, let comparison, let number):
      let count = try object.targets(of: relationship).count
      return comparison.holds(.integer(Int64(count)), .integer(Int64(number)))
    case .isIn(let property, let values):
      let value = try object.stored(property)
      return value == .null ? nil : values.contains(value)
    case .keys(let keys): return keys.contains(object.key)
    case .not(let inner): return try inner.isMet(by: object).map { !$0 }
    case .and(let parts): return try Self.first(false, of: parts, object)
    case .or(let parts): return try Self.first(true, of: parts, object)
    }
  }

  /// The deciding value where a part has it; otherwise its opposite, or `nil` where a part is `nil`.
  private static func first(
    _ deciding: Bool,
    of parts: [Predicate],
    _ object: ManagedObject
  ) throws -> Bool? {
    var result: Bool? = !deciding
    for part in parts {
      let value = try part.isMet(by: object)
      if value == deciding { return deciding }
      if value == nil { result = nil }
    }
    return result
  }
}

extension ManagedObject {
  /// The value of an attribute, or the key of a to-one's target.
  func stored(_ property: String) throws -> Value {
    guard let toOne = description.toOne(property) else { return try value(of: property) }
    return try targetKey(of: toOne).map { .integer($0) } ?? .null
  }
}

extension Predicate.Operator {
  /// Whether one value stands so to another; `nil` where one of them is NULL or of another sort.
  fileprivate func holds(_ left: Value, _ right: Value) -> Bool? {
    switch (left, right) {
    case (.null, _), (_, .null): nil
    case (.text(let left), .text(let right)): holds(Array(left.utf8), Array(right.utf8))
    case (.blob(let left), .blob(let right)): holds(left, right)
    case (.integer(let left), .integer(let right)): holds(left, right)
    default: Self.number(left).flatMap { left in Self.number(right).map { holds(left, $0) } }
    }
  }

  private static func number(_ value: Value) -> Double? {
    switch value {
    case .integer(let integer): Double(integer)
    case .real(let real): real
    case .null, .text, .blob: nil
    }
  }

  private func holds(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    holds(left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1, 0)
  }

  private func holds<Number: Comparable>(_ left: Number, _ right: Number) -> Bool {
    switch self {
    case .equal: left == right
    case .notEqual: left != right
    case .less: left < right
    case .lessOrEqual: left <= right
    case .greater: left > right
    case .greaterOrEqual: left >= right
    }
  }
}

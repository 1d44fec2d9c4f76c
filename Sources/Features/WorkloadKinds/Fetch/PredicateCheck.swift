import DataModel
import PersistentStore

/// An object or row for which a predicate can be evaluated.
protocol PredicateRecord {
  var key: Int64 { get }
  /// The value of an attribute, or the key that a to-one relationship refers to.
  func stored(_ property: String) throws -> Value
  /// The keys of the objects in a to-many relationship.
  func targetKeys(of relationship: String) throws -> [Int64]
  /// Whether a target of the relationship meets the condition; stops at the first such target.
  func hasTarget(
    of relationship: String,
    where isWanted: (any PredicateRecord) throws -> Bool
  ) throws -> Bool
}

extension PredicateRecord {
  /// The value at a key path, such as `folder.name`; NULL if a relationship on it has no target.
  func value(at path: String) throws -> Value {
    try atEnd(of: path, ifMissing: .null) { try $0.stored($1) }
  }

  /// The keys of the objects in the to-many relationship at the end of a key path.
  fileprivate func targetKeys(at path: String) throws -> [Int64] {
    try atEnd(of: path, ifMissing: []) { try $0.targetKeys(of: $1) }
  }

  /// Follows the to-one relationships of a key path, and reads its last property.
  private func atEnd<Result>(
    of path: String,
    ifMissing missing: Result,
    _ read: (any PredicateRecord, String) throws -> Result
  ) throws -> Result {
    guard let dot = path.utf8.firstIndex(of: UInt8(ascii: ".")) else {
      return try read(self, path)
    }
    var result = missing
    _ = try hasTarget(of: String(path[..<dot])) { target in
      let rest = String(path[path.utf8.index(after: dot)...])
      result = try target.atEnd(of: rest, ifMissing: missing, read)
      return true
    }
    return result
  }
}

extension Predicate {
  /// Whether an object meets the condition, evaluated in memory as in an app.
  ///
  /// The result equals that of an SQL condition, with `nil` for NULL.
  func isMet(by object: some PredicateRecord) throws -> Bool? {
    switch self {
    case .comparison(let path, let comparison, let value):
      return try object.value(at: path).meets(comparison, value)
    case .isNull(let path): return try object.value(at: path) == .null
    case .beginsWith(let path, let prefix):
      guard case .text(let text) = try object.value(at: path) else { return nil }
      return text.utf8.starts(with: prefix.utf8)
    case .text(let path, let match):
      // If the string is NULL, Core Data's search function returns false.
      guard case .text(let text) = try object.value(at: path) else { return false }
      return match.isMet(by: text)
    case .has(let relationship, let key):
      return try object.targetKeys(at: relationship).contains(key)
    case .any(let relationship, let inner):
      return try object.hasTarget(of: relationship) { try inner.isMet(by: $0) == true }
    case .count(let relationship, let comparison, let number):
      let count = try object.targetKeys(at: relationship).count
      return Value.integer(Int64(count)).meets(comparison, .integer(Int64(number)))
    case .isIn(let path, let values):
      let value = try object.value(at: path)
      return value == .null ? nil : values.contains { value.meets(.equal, $0) == true }
    case .keys(let keys): return keys.contains(object.key)
    case .not(let inner): return try inner.isMet(by: object).map { !$0 }
    case .and(let parts): return try Self.first(false, of: parts, object)
    case .or(let parts): return try Self.first(true, of: parts, object)
    }
  }

  /// Combines the parts of an AND or OR by SQL's three-valued logic.
  ///
  /// - Returns: The deciding value (false for AND, true for OR) if a part has it; otherwise `nil`
  ///   if a part is `nil`; otherwise the opposite value.
  private static func first(
    _ deciding: Bool,
    of parts: [Predicate],
    _ object: some PredicateRecord
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

extension ManagedObject: PredicateRecord {
  func stored(_ property: String) throws -> Value {
    guard let toOne = description.toOne(property) else { return try value(of: property) }
    return try targetKey(of: toOne).map { .integer($0) } ?? .null
  }

  func targetKeys(of relationship: String) throws -> [Int64] {
    try targets(of: relationship).map(\.key)
  }

  func hasTarget(
    of relationship: String,
    where isWanted: (any PredicateRecord) throws -> Bool
  ) throws -> Bool {
    guard let toOne = description.toOne(relationship) else {
      return try targets(of: relationship).contains { try isWanted($0) }
    }
    return try target(of: toOne).map { try isWanted($0) } ?? false
  }
}

extension Value {
  /// Compares two values by SQL's rules; `nil` if one of them is NULL.
  func meets(_ comparison: Predicate.Operator, _ other: Value) -> Bool? {
    guard let order = order(to: other) else { return nil }
    return switch comparison {
    case .equal: order == 0
    case .notEqual: order != 0
    case .less: order < 0
    case .lessOrEqual: order <= 0
    case .greater: order > 0
    case .greaterOrEqual: order >= 0
    }
  }

  /// Compares two values by SQLite's sort order, in which NULL comes first; returns a negative
  /// number, zero or a positive number.
  ///
  /// Strings are compared by a collation.
  func rank(
    beside other: Value,
    _ collation: FrameworkFunctions.Collation = .binary
  ) -> Int {
    if case .text(let left) = self, case .text(let right) = other, collation != .binary {
      return collation.order(left, right)
    }
    return order(to: other) ?? rank - other.rank
  }

  /// Compares two values by SQLite's order of values: numbers, then strings, then blobs
  /// (https://www.sqlite.org/datatype3.html, section 4.1).
  ///
  /// Returns a negative number, zero or a positive number; `nil` if one of the values is NULL.
  private func order(to other: Value) -> Int? {
    switch (self, other) {
    case (.null, _), (_, .null): nil
    case (.integer(let left), .integer(let right)): left < right ? -1 : left == right ? 0 : 1
    case (.real(let left), .real(let right)): left < right ? -1 : left == right ? 0 : 1
    case (.integer(let left), .real(let right)): Self.order(left, right)
    case (.real(let left), .integer(let right)): -Self.order(right, left)
    case (.text(let left), .text(let right)): Self.order(Array(left.utf8), Array(right.utf8))
    case (.blob(let left), .blob(let right)): Self.order(left, right)
    default: rank < other.rank ? -1 : 1
    }
  }

  private var rank: Int {
    switch self {
    case .null: 0
    case .integer, .real: 1
    case .text: 2
    case .blob: 3
    }
  }

  private static func order(_ left: Int64, _ right: Double) -> Int {
    let rounded = Double(left)
    guard rounded == right else { return rounded < right ? -1 : 1 }
    // The integer and the floating-point number are equal up to rounding, so compare them exactly.
    // If `right` does not fit into 64 bits, it is 2^63, which exceeds every integer.
    guard let exact = Int64(exactly: right) else { return -1 }
    return left < exact ? -1 : left == exact ? 0 : 1
  }

  private static func order(_ left: [UInt8], _ right: [UInt8]) -> Int {
    left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
  }
}

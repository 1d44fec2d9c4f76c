import DataModel

/// A condition on the objects of a fetch (`NSPredicate`).
package indirect enum Predicate: Hashable, Sendable {
  package enum Operator: String, CaseIterable, Hashable, Sendable {
    case equal = "="
    case notEqual = "<>"
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
  }

  /// An attribute, or a to-one as the key of its target, against a value.
  case comparison(String, Operator, Value)
  case isNull(String)
  /// A string attribute that starts so, as a range that an index serves.
  case beginsWith(String, String)
  /// The number of objects in a to-many against a number.
  case count(String, Operator, Int)
  /// Objects with these keys.
  case keys([Int64])
  case not(Predicate)
  case and([Predicate])
  case or([Predicate])
}

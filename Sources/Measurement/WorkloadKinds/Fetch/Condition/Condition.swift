import PersistentStore

/// A condition as a workload file writes it, before the model says what its names mean.
///
///     isCompleted == 0 AND (estimatedMinutes >= 30 OR title BEGINSWITH 'Call')
///
/// Operators are those of `NSPredicate`: `==` or `=`, `!=` or `<>`, `<`, `<=`, `>`, `>=`,
/// `BEGINSWITH`, `AND`, `OR`, `NOT`; `tags.@count` is the number of objects in a to-many; `nil`
/// stands for no value, and dates are written `2026-04-01`.
indirect enum Condition: Hashable, Sendable {
  /// A value before the type of its attribute is known.
  enum Literal: Hashable, Sendable {
    case integer(Int64)
    case real(Double)
    case boolean(Bool)
    case text(String)
    /// Seconds of a date written without quotes.
    case date(Int64)
    case none
  }

  case comparison(String, Predicate.Operator, Literal)
  case beginsWith(String, String)
  case count(String, Predicate.Operator, Int)
  case not(Condition)
  case and([Condition])
  case or([Condition])

  static let deepestNesting = 32

  /// Reads a condition's text; `nil` for an empty one.
  ///
  /// - Throws: ``ConditionError`` that names the character.
  init?(_ text: String) throws {
    var reader = ConditionReader(tokens: try ConditionToken.tokens(of: text))
    guard let condition = try reader.read() else { return nil }
    self = condition
  }
}

/// Why a condition's text is none.
enum ConditionError: Error, Hashable, CustomStringConvertible {
  case unexpected(found: String, expected: String, position: Int)
  case openText(position: Int)
  case notANumber(String, position: Int)
  case tooDeep

  var description: String {
    switch self {
    case .unexpected(let found, let expected, let position):
      "the predicate has \(found) at character \(position) where \(expected) must be"
    case .openText(let position):
      "the predicate's text that begins at character \(position) has no closing quote"
    case .notANumber(let text, let position):
      "the predicate has '\(text)' at character \(position), which is no number"
    case .tooDeep: "the predicate has more than \(Condition.deepestNesting) brackets in each other"
    }
  }
}

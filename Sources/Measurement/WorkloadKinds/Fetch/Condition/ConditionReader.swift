import DataModel
import PersistentStore

/// Reads a condition word by word: OR binds weakest, then AND, then NOT.
struct ConditionReader {
  private let tokens: [ConditionToken]
  private var index = 0
  private var depth = 0

  init(tokens: [ConditionToken]) {
    self.tokens = tokens
  }

  private var token: ConditionToken { tokens[index] }

  mutating func read() throws -> Condition? {
    if token.kind == .end { return nil }
    let condition = try alternatives()
    guard token.kind == .end else { throw unexpected("AND, OR or the end") }
    return condition
  }

  private func unexpected(_ expected: String) -> ConditionError {
    .unexpected(found: token.spelling, expected: expected, position: token.position)
  }

  private mutating func take() -> ConditionToken {
    let taken = token
    if index < tokens.count - 1 { index += 1 }
    return taken
  }

  private mutating func skip(_ keyword: String) -> Bool {
    guard token.keyword == keyword else { return false }
    index += 1
    return true
  }

  private mutating func skip(symbol: String) -> Bool {
    guard token.kind == .symbol(symbol) else { return false }
    index += 1
    return true
  }

  private mutating func alternatives() throws -> Condition {
    var parts = [try conjunction()]
    while skip("OR") { parts.append(try conjunction()) }
    return parts.count == 1 ? parts[0] : .or(parts)
  }

  private mutating func conjunction() throws -> Condition {
    var parts = [try negation()]
    while skip("AND") { parts.append(try negation()) }
    return parts.count == 1 ? parts[0] : .and(parts)
  }

  private mutating func negation() throws -> Condition {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Condition.deepestNesting else { throw ConditionError.tooDeep }
    if skip("NOT") { return .not(try negation()) }
    guard skip(symbol: "(") else { return try comparison() }
    let inner = try alternatives()
    guard skip(symbol: ")") else { throw unexpected("')'") }
    return inner
  }

  private mutating func comparison() throws -> Condition {
    guard case .word(let name) = token.kind, !Self.keywords.contains(name.uppercased()) else {
      throw unexpected("a property's name")
    }
    index += 1
    if skip("BEGINSWITH") {
      guard case .text(let prefix) = token.kind else { throw unexpected("a quoted text") }
      index += 1
      return .beginsWith(name, prefix)
    }
    let comparison = try comparisonOperator()
    if let relationship = Self.counted(name) {
      let place = token
      guard case .integer(let number) = try literal(), let count = Int(exactly: number) else {
        throw ConditionError.notANumber(place.text, position: place.position)
      }
      return .count(relationship, comparison, count)
    }
    let place = token
    let value = try literal()
    guard value != .none || comparison == .equal || comparison == .notEqual else {
      throw ConditionError.unexpected(
        found: place.spelling,
        expected: "a value, since only == and != know nil,",
        position: place.position
      )
    }
    return .comparison(name, comparison, value)
  }

  private static let keywords: Set<String> = ["AND", "OR", "NOT", "BEGINSWITH", "NIL", "NULL"]

  /// The relationship of `NAME.@count`.
  private static func counted(_ name: String) -> String? {
    name.hasSuffix(".@count") ? String(name.dropLast(7)) : nil
  }

  private mutating func comparisonOperator() throws -> Predicate.Operator {
    guard case .symbol(let symbol) = token.kind else { throw unexpected("an operator such as ==") }
    let spelling = ["==": "=", "!=": "<>"][symbol] ?? symbol
    guard let found = Predicate.Operator(rawValue: spelling) else {
      throw unexpected("an operator such as ==")
    }
    index += 1
    return found
  }

  private mutating func literal() throws -> Condition.Literal {
    let place = take()
    switch place.kind {
    case .text(let text): return .text(text)
    case .number(let text):
      if let integer = Int64(text) { return .integer(integer) }
      guard let real = Double(text), real.isFinite else {
        throw ConditionError.notANumber(text, position: place.position)
      }
      return .real(real)
    case .word(let word):
      if let seconds = ReferenceDate.seconds(iso8601: word) { return .date(seconds) }
      if let constant = Self.constants[word.uppercased()] { return constant }
    case .symbol, .end: break
    }
    throw ConditionError.unexpected(
      found: place.spelling,
      expected: "a number, a quoted text, a date, TRUE, FALSE or nil",
      position: place.position
    )
  }

  private static let constants: [String: Condition.Literal] = [
    "TRUE": .boolean(true), "YES": .boolean(true), "FALSE": .boolean(false), "NO": .boolean(false),
    "NIL": Condition.Literal.none, "NULL": Condition.Literal.none,
  ]
}

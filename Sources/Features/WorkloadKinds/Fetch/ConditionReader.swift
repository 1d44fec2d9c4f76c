import Basics
import DataModel
import PersistentStore

/// Parses a condition.
///
/// OR has the lowest precedence, then AND, then NOT.
struct ConditionReader {
  private let tokens: [Token]
  private var index = 0
  private var depth = 0

  init(tokens: [Token]) {
    self.tokens = tokens
  }

  private var token: Token { tokens[index] }

  mutating func read() throws -> Condition? {
    if token.kind == .end { return nil }
    let condition = try alternatives()
    guard token.kind == .end else { throw unexpected("AND, OR or the end") }
    return condition
  }

  private func unexpected(_ expected: String) -> Refusal {
    .unexpected(token.spelling, at: token.position, expected: expected)
  }

  private mutating func take() -> Token {
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
    while skip("OR") || skip(symbol: "||") { parts.append(try conjunction()) }
    return parts.count == 1 ? parts[0] : .or(parts)
  }

  private mutating func conjunction() throws -> Condition {
    var parts = [try negation()]
    while skip("AND") || skip(symbol: "&&") { parts.append(try negation()) }
    return parts.count == 1 ? parts[0] : .and(parts)
  }

  private mutating func negation() throws -> Condition {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Condition.deepestNesting else { throw Self.tooDeep }
    if skip("NOT") || skip(symbol: "!") { return .not(try negation()) }
    guard skip(symbol: "(") else { return try comparison() }
    let inner = try alternatives()
    guard skip(symbol: ")") else { throw unexpected("')'") }
    return inner
  }

  private mutating func comparison() throws -> Condition {
    try refuseUnknown()
    if skip("TRUEPREDICATE") { return .and([]) }
    if skip("FALSEPREDICATE") { return .or([]) }
    if skip("ANY") || skip("SOME") { return try membership() }
    if skip("NONE") { return .not(try membership()) }
    return try comparison(of: name("a property's name"))
  }

  /// Reads a name or key path; a name that is also a keyword is written with a leading `#`.
  private mutating func name(_ expected: String) throws -> String {
    guard case .word(let name) = token.kind, !Self.keywords.contains(name.uppercased()) else {
      throw unexpected(expected)
    }
    index += 1
    return name.hasPrefix("#") ? String(name.dropFirst()) : name
  }

  /// Reads the operator and the value of a comparison.
  private mutating func comparison(of name: String) throws -> Condition {
    try refuseUnknown()
    if skip("BETWEEN") { return try range(of: name) }
    if skip("IN") { return .isIn(name, try list()) }
    if let word = token.keyword, let comparison = TextMatch.Operator(rawValue: word) {
      index += 1
      return try textComparison(of: name, comparison)
    }
    let comparison = try comparisonOperator()
    guard token.kind == .symbol("[") else { return try self.comparison(of: name, comparison) }
    switch comparison {
    case .equal: return try textComparison(of: name, .equal)
    case .notEqual:
      return .and([.comparison(name, .notEqual, .none), .not(try textComparison(of: name, .equal))])
    case .less, .lessOrEqual, .greater, .greaterOrEqual: throw unexpected("a value")
    }
  }

  /// Reads the value of a comparison by an operator without options.
  private mutating func comparison(
    of name: String,
    _ comparison: Predicate.Operator
  ) throws -> Condition {
    let place = token
    let value = try literal()
    if let relationship = Self.counted(name) {
      guard case .integer(let number) = value, let count = Int(exactly: number) else {
        throw Refusal.notANumber(place.text, at: place.position)
      }
      return .count(relationship, comparison, count)
    }
    guard value != .none || comparison == .equal || comparison == .notEqual else {
      throw Refusal.unexpected(
        place.spelling,
        at: place.position,
        expected: "a value, since only == and != know nil,"
      )
    }
    return .comparison(name, comparison, value)
  }

  /// Reads the options and the text of a comparison of texts, such as `[cd] 'call'`.
  private mutating func textComparison(
    of name: String,
    _ comparison: TextMatch.Operator
  ) throws -> Condition {
    var options = ""
    if skip(symbol: "[") {
      guard let letters = token.keyword, ["C", "D", "CD", "DC"].contains(letters) else {
        throw unexpected("one of the options c, d and cd")
      }
      index += 1
      guard skip(symbol: "]") else { throw unexpected("']'") }
      options = letters
    }
    guard case .text(let text) = token.kind else { throw unexpected("a quoted text") }
    index += 1
    if comparison == .beginsWith, options.isEmpty { return .beginsWith(name, text) }
    let match = TextMatch(
      comparison,
      text,
      ignoresCase: options.contains("C"),
      ignoresDiacritics: options.contains("D")
    )
    return .text(name, match)
  }

  /// Reads the two values after BETWEEN, such as `{1, 5}`.
  private mutating func range(of name: String) throws -> Condition {
    let end = try openList()
    let least = try comparison(of: name, .greaterOrEqual)
    guard skip(symbol: ",") else { throw unexpected("','") }
    let most = try comparison(of: name, .lessOrEqual)
    guard skip(symbol: end) else { throw unexpected("'\(end)'") }
    return .and([least, most])
  }

  /// Reads the list after IN, such as `{1, 2, 3}`.
  private mutating func list() throws -> [Condition.Literal] {
    let end = try openList()
    var values: [Condition.Literal] = []
    repeat {
      let place = token
      let value = try literal()
      guard value != .none else {
        throw Refusal.unexpected(place.spelling, at: place.position, expected: "a value")
      }
      values.append(value)
    } while skip(symbol: ",")
    guard skip(symbol: end) else { throw unexpected("',' or '\(end)'") }
    return values
  }

  /// Reads the opening bracket of a list; returns the matching closing bracket.
  private mutating func openList() throws -> String {
    for (start, end) in ["{": "}", "(": ")", "[": "]"] where skip(symbol: start) { return end }
    throw unexpected("a list such as {1, 2}")
  }

  /// The literal that a string contains; `nil` if the string is not a single literal.
  static func literal(_ text: String) -> Condition.Literal? {
    guard let tokens = try? Token.tokens(of: text), tokens.count == 2 else { return nil }
    var reader = ConditionReader(tokens: tokens)
    return try? reader.literal()
  }

  /// Reads the operand of ANY: a to-many relationship with the key of an object, or with a
  /// comparison of its objects.
  private mutating func membership() throws -> Condition {
    let name = try name("a relationship's name")
    if let dot = name.firstIndex(of: ".") {
      let inner = try comparison(of: String(name[name.index(after: dot)...]))
      return .any(String(name[..<dot]), inner)
    }
    if skip("IN") {
      let place = token
      return .or(
        try list().map { value -> Condition in
          guard case .integer(let key) = value else {
            throw Refusal.unexpected(place.spelling, at: place.position, expected: "a list of keys")
          }
          return .has(name, key)
        }
      )
    }
    guard skip(symbol: "==") || skip(symbol: "=") else { throw unexpected("==") }
    let place = token
    guard case .integer(let key) = try literal() else {
      throw Refusal.notANumber(place.text, at: place.position)
    }
    return .has(name, key)
  }

  /// Refuses keywords of `NSPredicate` that conditions do not support.
  private func refuseUnknown() throws {
    guard let keyword = token.keyword, let instead = Self.unknown[keyword] else { return }
    throw Refusal.badInput(
      "the predicate has '\(keyword)' at character \(token.position), which is not read here: "
        + "write \(instead)"
    )
  }

  private static let unknown = [
    "ALL": "NOT (ANY tags.name …) with the opposite comparison",
    "MATCHES": "LIKE with * and ?, BEGINSWITH, ENDSWITH or CONTAINS",
    "SUBQUERY": "ANY tags.name == 'x', or tags.@count > 2",
  ]
  private static let tooDeep = Refusal.badInput(
    "the predicate has more than \(Condition.deepestNesting) nested brackets"
  )
  private static let keywords: Set<String> = [
    "AND", "OR", "NOT", "ANY", "SOME", "NONE", "ALL", "IN", "BETWEEN", "BEGINSWITH", "ENDSWITH",
    "CONTAINS", "LIKE", "MATCHES", "SUBQUERY", "NIL", "NULL", "TRUEPREDICATE", "FALSEPREDICATE",
  ]

  /// The relationship in `NAME.@count`; `nil` for any other name.
  private static func counted(_ name: String) -> String? {
    name.hasSuffix(".@count") ? String(name.dropLast(7)) : nil
  }

  private mutating func comparisonOperator() throws -> Predicate.Operator {
    let known = "an operator such as ==, <, IN, BEGINSWITH or CONTAINS[cd]"
    guard case .symbol(let symbol) = token.kind else { throw unexpected(known) }
    let spelling = ["==": "=", "!=": "<>", "=>": ">=", "=<": "<="][symbol] ?? symbol
    guard let found = Predicate.Operator(rawValue: spelling) else {
      throw unexpected(known)
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
        throw Refusal.notANumber(text, at: place.position)
      }
      return .real(real)
    case .word(let word):
      if word.uppercased() == "CAST" { return try castDate() }
      if let seconds = ReferenceDate.seconds(iso8601: word) ?? Self.secondsWithOffset(word) {
        return .date(seconds)
      }
      if let constant = Self.constants[word.uppercased()] { return constant }
    case .symbol, .end: break
    }
    throw Refusal.unexpected(
      place.spelling,
      at: place.position,
      expected: "a number, a quoted text, a date such as 2026-04-01, TRUE, FALSE or nil"
    )
  }

  /// The seconds since 2001-01-01 of a time with an offset from UTC, such as
  /// `2026-04-01T12:00:00+02:00`; `nil` for any other string.
  private static func secondsWithOffset(_ word: String) -> Int64? {
    guard word.utf8.count == 25,
      let local = ReferenceDate.seconds(iso8601: "\(word.prefix(19))Z"),
      let offset = ReferenceDate.seconds(iso8601: "2001-01-01T\(word.suffix(5)):00Z")
    else { return nil }
    return switch word.dropFirst(19).first {
    case "+"?: local - offset
    case "-"?: local + offset
    default: nil
    }
  }

  /// Reads the rest of `CAST(700000000.5, 'NSDate')`, as `NSPredicate` prints a date.
  private mutating func castDate() throws -> Condition.Literal {
    guard skip(symbol: "(") else { throw unexpected("'('") }
    guard case .number = token.kind else { throw unexpected("a number of seconds") }
    let number = try literal()
    guard skip(symbol: ","), case .text("NSDate") = token.kind else {
      throw unexpected("a comma and 'NSDate'")
    }
    index += 1
    guard skip(symbol: ")") else { throw unexpected("')'") }
    switch number {
    case .integer(let seconds): return .date(seconds)
    case .real(let seconds): return Int64(exactly: seconds).map { .date($0) } ?? number
    case .boolean, .text, .date, .none: return number
    }
  }

  private static let constants: [String: Condition.Literal] = [
    "TRUE": .boolean(true), "YES": .boolean(true), "FALSE": .boolean(false), "NO": .boolean(false),
    "NIL": Condition.Literal.none, "NULL": Condition.Literal.none,
  ]
}

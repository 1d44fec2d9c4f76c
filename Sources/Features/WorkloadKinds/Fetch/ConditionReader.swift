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
    guard depth <= Condition.deepestNesting else { throw Self.tooDeep }
    if skip("NOT") { return .not(try negation()) }
    guard skip(symbol: "(") else { return try comparison() }
    let inner = try alternatives()
    guard skip(symbol: ")") else { throw unexpected("')'") }
    return inner
  }

  private mutating func comparison() throws -> Condition {
    if skip("ANY") { return try membership() }
    guard case .word(let name) = token.kind, !Self.keywords.contains(name.uppercased()) else {
      throw unexpected("a property's name")
    }
    index += 1
    if skip("BEGINSWITH") {
      guard case .text(let prefix) = token.kind else { throw unexpected("a quoted text") }
      index += 1
      return .beginsWith(name, prefix)
    }
    if skip("CONTAINS[CD]") {
      guard case .text(let text) = token.kind else { throw unexpected("a quoted text") }
      index += 1
      return .contains(name, text)
    }
    if skip("IN") { return .isIn(name, try list()) }
    let comparison = try comparisonOperator()
    if let relationship = Self.counted(name) {
      let place = token
      guard case .integer(let number) = try literal(), let count = Int(exactly: number) else {
        throw Refusal.notANumber(place.text, at: place.position)
      }
      return .count(relationship, comparison, count)
    }
    let place = token
    let value = try literal()
    guard value != .none || comparison == .equal || comparison == .notEqual else {
      throw Refusal.unexpected(
        place.spelling,
        at: place.position,
        expected: "a value, since only == and != know nil,"
      )
    }
    return .comparison(name, comparison, value)
  }

  /// Reads the list after IN, such as `{1, 2, 3}`.
  private mutating func list() throws -> [Condition.Literal] {
    guard skip(symbol: "{") else { throw unexpected("a list such as {1, 2}") }
    var values: [Condition.Literal] = []
    repeat {
      let place = token
      let value = try literal()
      guard value != .none else {
        throw Refusal.unexpected(place.spelling, at: place.position, expected: "a value")
      }
      values.append(value)
    } while skip(symbol: ",")
    guard skip(symbol: "}") else { throw unexpected("',' or '}'") }
    return values
  }

  /// The literal that a string contains; `nil` if the string is not a single literal.
  static func literal(_ text: String) -> Condition.Literal? {
    guard let tokens = try? Token.tokens(of: text), tokens.count == 2 else { return nil }
    var reader = ConditionReader(tokens: tokens)
    return try? reader.literal()
  }

  /// Reads the operand of ANY: a to-many relationship, `==`, and the key of an object.
  private mutating func membership() throws -> Condition {
    guard case .word(let name) = token.kind, !Self.keywords.contains(name.uppercased()) else {
      throw unexpected("a relationship's name")
    }
    index += 1
    guard skip(symbol: "==") || skip(symbol: "=") else { throw unexpected("==") }
    let place = token
    guard case .integer(let key) = try literal() else {
      throw Refusal.notANumber(place.text, at: place.position)
    }
    return .has(name, key)
  }

  private static let tooDeep = Refusal.badInput(
    "the predicate has more than \(Condition.deepestNesting) nested brackets"
  )
  private static let keywords: Set<String> = [
    "AND", "OR", "NOT", "ANY", "IN", "BEGINSWITH", "CONTAINS[CD]", "NIL", "NULL",
  ]

  /// The relationship in `NAME.@count`; `nil` for any other name.
  private static func counted(_ name: String) -> String? {
    name.hasSuffix(".@count") ? String(name.dropLast(7)) : nil
  }

  private mutating func comparisonOperator() throws -> Predicate.Operator {
    let known = "an operator such as ==, <, IN, BEGINSWITH or CONTAINS[cd]"
    guard case .symbol(let symbol) = token.kind else { throw unexpected(known) }
    let spelling = ["==": "=", "!=": "<>"][symbol] ?? symbol
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
      if let seconds = ReferenceDate.seconds(iso8601: word) { return .date(seconds) }
      if let constant = Self.constants[word.uppercased()] { return constant }
    case .symbol, .end: break
    }
    throw Refusal.unexpected(
      place.spelling,
      at: place.position,
      expected: "a number, a quoted text, a date, TRUE, FALSE or nil"
    )
  }

  private static let constants: [String: Condition.Literal] = [
    "TRUE": .boolean(true), "YES": .boolean(true), "FALSE": .boolean(false), "NO": .boolean(false),
    "NIL": Condition.Literal.none, "NULL": Condition.Literal.none,
  ]
}

extension ConditionReader {
  /// A token of a condition, with the position of its first character, counted from 1.
  struct Token: Hashable {
    enum Kind: Hashable {
      /// A name, a keyword or a date without quotes.
      case word(String)
      case number(String)
      /// A quoted string, stored without its quotes.
      case text(String)
      /// An operator, a comma or a bracket.
      case symbol(String)
      case end
    }

    let kind: Kind
    let position: Int

    /// The tokens of a string, followed by an end token.
    ///
    /// - Throws: ``Refusal`` for an unexpected character or a missing quote.
    static func tokens(of text: String) throws -> [Token] {
      var scanner = Scanner(text)
      var tokens: [Token] = []
      while let token = try scanner.next() { tokens.append(token) }
      tokens.append(Token(kind: .end, position: text.count + 1))
      return tokens
    }

    /// The token as written; a quoted string without its quotes.
    var text: String {
      switch kind {
      case .word(let text), .number(let text), .text(let text), .symbol(let text): text
      case .end: ""
      }
    }

    /// The token as quoted in a message.
    var spelling: String { kind == .end ? "the end" : "'\(text)'" }

    /// The word in upper case, for comparison with keywords; `nil` if the token is not a word.
    var keyword: String? {
      if case .word(let word) = kind { return word.uppercased() }
      return nil
    }
  }

  private struct Scanner {
    private static let symbols = [
      "==", "!=", "<>", "<=", ">=", "=", "<", ">", "(", ")", "{", "}", ",",
    ]

    private let characters: [Character]
    private var index = 0

    init(_ text: String) {
      characters = Array(text)
    }

    mutating func next() throws -> Token? {
      while index < characters.count, characters[index].isWhitespace { index += 1 }
      guard index < characters.count else { return nil }
      let position = index + 1
      let kind = try kind(startingWith: characters[index], at: position)
      return Token(kind: kind, position: position)
    }

    private mutating func kind(
      startingWith first: Character,
      at position: Int
    ) throws -> Token.Kind {
      if first == "'" || first == "\"" { return .text(try quoted(by: first, at: position)) }
      for symbol in Self.symbols where characters[index...].starts(with: symbol) {
        index += symbol.count
        return .symbol(symbol)
      }
      let isNumber = first.isASCII && (first.isNumber || first == "-" || first == ".")
      let word = take {
        $0.isLetter || $0.isNumber || "_.-@:[]".contains($0) || (isNumber && $0 == "+")
      }
      guard !word.isEmpty else {
        throw Refusal.unexpected("'\(first)'", at: position, expected: "a name")
      }
      // A date such as `2026-04-01` starts like a number, but contains dashes.
      let isDate = word.dropFirst().contains("-") && !word.lowercased().contains("e")
      return isNumber && !isDate ? .number(word) : .word(word)
    }

    private mutating func quoted(by quote: Character, at position: Int) throws -> String {
      index += 1
      let text = take { $0 != quote }
      guard index < characters.count else {
        throw Refusal.badInput(
          "the predicate's text that begins at character \(position) has no closing quote"
        )
      }
      index += 1
      return text
    }

    private mutating func take(while matches: (Character) -> Bool) -> String {
      let start = index
      while index < characters.count, matches(characters[index]) { index += 1 }
      return String(characters[start..<index])
    }
  }
}

extension Refusal {
  fileprivate static func unexpected(
    _ found: String,
    at position: Int,
    expected: String
  ) -> Refusal {
    badInput("the predicate has \(found) at character \(position) where \(expected) must be")
  }

  fileprivate static func notANumber(_ text: String, at position: Int) -> Refusal {
    badInput("the predicate has '\(text)' at character \(position), which is not a number")
  }
}

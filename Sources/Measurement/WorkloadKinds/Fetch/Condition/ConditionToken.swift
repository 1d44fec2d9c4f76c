/// A word of a condition's text, with the number of its first character, from 1.
struct ConditionToken: Hashable {
  enum Kind: Hashable {
    /// A name, a key word or a bare date.
    case word(String)
    case number(String)
    /// A text without its quotes.
    case text(String)
    /// An operator or a bracket.
    case symbol(String)
    case end
  }

  let kind: Kind
  let position: Int

  /// The words of a text, an end token last.
  ///
  /// - Throws: ``ConditionError``.
  static func tokens(of text: String) throws -> [ConditionToken] {
    var scanner = ConditionScanner(text)
    var tokens: [ConditionToken] = []
    while let token = try scanner.next() { tokens.append(token) }
    tokens.append(ConditionToken(kind: .end, position: text.count + 1))
    return tokens
  }

  /// The word as it was written, a text without its quotes.
  var text: String {
    switch kind {
    case .word(let text), .number(let text), .text(let text), .symbol(let text): text
    case .end: ""
    }
  }

  /// The word as a message quotes it.
  var spelling: String { kind == .end ? "the end" : "'\(text)'" }

  /// The key word it spells, in upper case; `nil` for anything else than a word.
  var keyword: String? {
    if case .word(let word) = kind { return word.uppercased() }
    return nil
  }
}

/// Cuts a condition's text into words.
private struct ConditionScanner {
  private static let symbols = ["==", "!=", "<>", "<=", ">=", "=", "<", ">", "(", ")"]

  private let characters: [Character]
  private var index = 0

  init(_ text: String) {
    characters = Array(text)
  }

  mutating func next() throws -> ConditionToken? {
    while index < characters.count, characters[index].isWhitespace { index += 1 }
    guard index < characters.count else { return nil }
    let position = index + 1
    let kind = try kind(startingWith: characters[index], at: position)
    return ConditionToken(kind: kind, position: position)
  }

  private mutating func kind(
    startingWith first: Character,
    at position: Int
  ) throws -> ConditionToken.Kind {
    if first == "'" || first == "\"" { return .text(try quoted(by: first, at: position)) }
    for symbol in Self.symbols where characters[index...].starts(with: symbol) {
      index += symbol.count
      return .symbol(symbol)
    }
    let isNumber = first.isASCII && (first.isNumber || first == "-" || first == ".")
    let word = take {
      $0.isLetter || $0.isNumber || "_.-@:".contains($0) || (isNumber && $0 == "+")
    }
    guard !word.isEmpty else {
      throw ConditionError.unexpected(found: "'\(first)'", expected: "a name", position: position)
    }
    // A date, 2026-04-01, starts as a number does and is told apart by its dashes.
    let isDate = word.dropFirst().contains("-") && !word.lowercased().contains("e")
    return isNumber && !isDate ? .number(word) : .word(word)
  }

  private mutating func quoted(by quote: Character, at position: Int) throws -> String {
    index += 1
    let text = take { $0 != quote }
    guard index < characters.count else { throw ConditionError.openText(position: position) }
    index += 1
    return text
  }

  private mutating func take(while matches: (Character) -> Bool) -> String {
    let start = index
    while index < characters.count, matches(characters[index]) { index += 1 }
    return String(characters[start..<index])
  }
}

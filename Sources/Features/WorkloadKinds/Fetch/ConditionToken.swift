import Basics

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

    /// The token as written, except that a quoted string has no quotes.
    var text: String {
      switch kind {
      case .word(let text), .number(let text), .text(let text), .symbol(let text): text
      case .end: ""
      }
    }

    /// The token in quotes for a message, or `the end`.
    var spelling: String { kind == .end ? "the end" : "'\(text)'" }

    /// The word in upper case, for comparison with keywords; `nil` if the token is not a word.
    var keyword: String? {
      if case .word(let word) = kind { return word.uppercased() }
      return nil
    }
  }

  private struct Scanner {
    private static let symbols = [
      "==", "!=", "<>", "<=", "=<", ">=", "=>", "&&", "||", "=", "<", ">", "!", "(", ")", "{", "}",
      "[", "]", ",",
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
        $0.isLetter || $0.isNumber || "_.-@:#$".contains($0) || (isNumber && $0 == "+")
      }
      guard !word.isEmpty else {
        throw Refusal.unexpected(
          "'\(first)'",
          at: position,
          expected: first == "%" ? "the value or name that it stands for" : "a name"
        )
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
  /// The error for a token that is not allowed at its position in a condition.
  static func unexpected(
    _ found: String,
    at position: Int,
    expected: String
  ) -> Refusal {
    badInput("the predicate has \(found) at character \(position) where \(expected) must be")
  }

  /// The error for a token where only a number is allowed.
  static func notANumber(_ text: String, at position: Int) -> Refusal {
    badInput("the predicate has '\(text)' at character \(position), which is not a number")
  }
}

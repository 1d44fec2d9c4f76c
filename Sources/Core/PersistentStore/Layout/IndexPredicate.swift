/// The predicate of a partial index: comparisons of properties with constants, joined by AND, OR
/// and NOT.
///
/// ```swift
/// IndexPredicate("kind == 2 OR kind == 4")?.condition { "Z" + $0.uppercased() }
/// // (ZKIND = 2 OR ZKIND = 4)
/// ```
///
/// The SQL text of comparisons and of OR is that of real stores (coredata-format.md, section 16);
/// the same form is assumed for AND and NOT.
struct IndexPredicate: Hashable {
  private indirect enum Node: Hashable {
    case comparison(property: String, operation: String, constant: String)
    case all([Node])
    case any([Node])
    case not(Node)
  }

  private let node: Node

  init?(_ text: String) {
    guard let tokens = Lexer.tokens(of: text) else { return nil }
    var parser = Parser(tokens: tokens[...])
    guard let node = parser.any(), parser.tokens.isEmpty else { return nil }
    self.node = node
  }

  func condition(column: (String) -> String?) -> String? { Self.text(of: node, column) }

  private static func text(of node: Node, _ column: (String) -> String?) -> String? {
    func joined(_ nodes: [Node], _ word: String) -> String? {
      let texts = nodes.compactMap { text(of: $0, column) }
      guard texts.count == nodes.count else { return nil }
      return "(\(texts.joined(separator: " \(word) ")))"
    }
    switch node {
    case .all(let nodes): return joined(nodes, "AND")
    case .any(let nodes): return joined(nodes, "OR")
    case .not(let node): return text(of: node, column).map { "NOT \($0)" }
    case .comparison(let property, let operation, let constant):
      guard let name = column(property) else { return nil }
      switch (operation, constant) {
      case ("=", "NULL"): return "\(name) IS NULL"
      case ("<>", "NULL"): return "\(name) IS NOT NULL"
      case (_, "NULL"): return nil
      default: return "\(name) \(operation) \(constant)"
      }
    }
  }

  private enum Token: Hashable {
    case word(String)
    case constant(String)
    case operation(String)
    case and, or, not, open, close
  }

  private enum Lexer {
    private static let operations = [
      "==": "=", "=": "=", "!=": "<>", "<>": "<>", ">=": ">=", "=>": ">=", "<=": "<=", "=<": "<=",
      "<": "<", ">": ">",
    ]
    private static let words: [String: Token] = [
      "AND": .and, "OR": .or, "NOT": .not, "NIL": .constant("NULL"), "NULL": .constant("NULL"),
      "YES": .constant("1"), "TRUE": .constant("1"), "NO": .constant("0"), "FALSE": .constant("0"),
    ]
    private static let mostBytes = 4096

    static func tokens(of text: String) -> [Token]? {
      var rest = text[...]
      guard text.utf8.count <= mostBytes else { return nil }
      var tokens: [Token] = []
      while let first = rest.first {
        if first.isWhitespace {
          rest.removeFirst()
        } else if let (token, length) = symbol(rest) {
          tokens.append(token)
          rest = rest.dropFirst(length)
        } else if first == "'" || first == "\"" {
          guard let end = rest.dropFirst().firstIndex(of: first) else { return nil }
          let content = rest[rest.index(after: rest.startIndex)..<end]
          guard !content.contains("\\") else { return nil }
          tokens.append(.constant("'\(content.replacing("'", with: "''"))'"))
          rest = rest[rest.index(after: end)...]
        } else {
          let word = rest.prefix { $0.isLetter || $0.isNumber || "_.-+#".contains($0) }
          guard !word.isEmpty else { return nil }
          tokens.append(token(of: String(word)))
          rest = rest.dropFirst(word.count)
        }
      }
      return tokens
    }

    private static func symbol(_ rest: Substring) -> (Token, Int)? {
      for length in [2, 1] {
        let text = String(rest.prefix(length))
        if let operation = operations[text] { return (.operation(operation), length) }
        switch text {
        case "&&": return (.and, 2)
        case "||": return (.or, 2)
        case "(": return (.open, 1)
        case ")": return (.close, 1)
        case "!" where length == 1: return (.not, 1)
        default: continue
        }
      }
      return nil
    }

    private static func token(of word: String) -> Token {
      if let known = words[word.uppercased()] { return known }
      // A reserved word with the prefix `#` is a property name.
      if let first = word.first, first.isNumber || "-+.".contains(first), Double(word) != nil {
        return .constant(word)
      }
      return .word(word.hasPrefix("#") ? String(word.dropFirst()) : word)
    }
  }

  private struct Parser {
    private static let deepest = 32

    var tokens: ArraySlice<Token>
    private var depth = 0

    init(tokens: ArraySlice<Token>) { self.tokens = tokens }

    mutating func any() -> Node? { list(.or, Node.any) { $0.all() } }

    private mutating func all() -> Node? { list(.and, Node.all) { $0.one() } }

    private mutating func list(
      _ separator: Token,
      _ make: ([Node]) -> Node,
      _ next: (inout Parser) -> Node?
    ) -> Node? {
      guard let first = next(&self) else { return nil }
      var nodes = [first]
      while take(separator) {
        guard let node = next(&self) else { return nil }
        nodes.append(node)
      }
      return nodes.count == 1 ? nodes[0] : make(nodes)
    }

    private mutating func one() -> Node? {
      guard depth < Self.deepest else { return nil }
      depth += 1
      defer { depth -= 1 }
      if take(.not) { return one().map(Node.not) }
      if take(.open) {
        let node = any()
        return take(.close) ? node : nil
      }
      return comparison()
    }

    private mutating func comparison() -> Node? {
      guard tokens.count >= 3 else { return nil }
      let three = Array(tokens.prefix(3))
      tokens = tokens.dropFirst(3)
      switch (three[0], three[1], three[2]) {
      case (.word(let property), .operation(let operation), .constant(let constant)):
        return .comparison(property: property, operation: operation, constant: constant)
      case (.constant(let constant), .operation(let operation), .word(let property)):
        let turned = operation.contains("<") && operation != "<>"
        let mirrored =
          operation == "=" || operation == "<>"
          ? operation : operation.replacing(turned ? "<" : ">", with: turned ? ">" : "<")
        return .comparison(property: property, operation: mirrored, constant: constant)
      default: return nil
      }
    }

    private mutating func take(_ token: Token) -> Bool {
      guard tokens.first == token else { return false }
      tokens = tokens.dropFirst()
      return true
    }
  }
}

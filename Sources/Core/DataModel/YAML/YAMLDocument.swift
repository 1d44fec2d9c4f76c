import Basics
import Yams

/// Reads YAML from untrusted files, with limits on file size, nesting depth and the expansion of
/// aliases.
package enum YAMLDocument {
  private static let largestFile = 1 << 20
  private static let deepest = 64
  /// The maximum nesting depth that a recursive parser can handle on the stack.
  private static let deepestParsed = 1000
  private static let mostValues = 100_000
  /// The maximum number of aliases, small enough that their expansion stays below the limit on
  /// values.
  private static let mostAliases = 16

  /// Reads the root value of a file; returns `nil` after reporting a problem.
  ///
  /// - Throws: ``Refusal`` if the file cannot be read.
  package static func read(path: String, into diagnostics: Diagnostics) throws -> YAMLValue? {
    parse(try InputFile.text(path: path, limit: largestFile), into: diagnostics)
  }

  /// Parses a string and returns its root value, or `nil` after reporting a problem.
  package static func parse(_ text: String, into diagnostics: Diagnostics) -> YAMLValue? {
    var text = text
    // Some editors begin a file with a byte order mark, which the parser would read as content.
    if text.unicodeScalars.first == "\u{feff}" { text.unicodeScalars.removeFirst() }
    guard text.utf8.count <= largestFile else {
      diagnostics.report("the file is larger than \(largestFile) bytes, the most allowed")
      return nil
    }
    // Count the aliases first: the parser already expands them to compare keys.
    guard aliasCount(of: text) <= mostAliases else {
      diagnostics.report("the file has more than \(mostAliases) aliases; write the values out")
      return nil
    }
    guard mostLevels(of: text) <= deepestParsed || parserLimitsLevels else {
      diagnostics.report(
        "the file may have more than \(deepestParsed) levels; write its lists and mappings without "
          + "brackets, or build with Yams 6, which counts levels"
      )
      return nil
    }
    do {
      guard let node = try Parser(yaml: text, resolver: .basic, encoding: .utf8).singleRoot() else {
        diagnostics.report("the file is empty")
        return nil
      }
      var budget = mostValues
      guard fits(node, depth: deepest, budget: &budget) else {
        diagnostics.report("the file has more than \(mostValues) values or \(deepest) levels")
        return nil
      }
      let repeated = repeatedKeys(in: node)
      guard repeated.isEmpty else {
        reportRepeated(
          repeated.map { $0.string ?? "<uncovertable>" },
          at: repeated[0].mark,
          to: diagnostics
        )
        return nil
      }
      return YAMLValue(node, name: "the file", diagnostics: diagnostics)
    } catch {
      report(error, of: text, to: diagnostics)
      return nil
    }
  }

  private static func fits(_ node: Node, depth: Int, budget: inout Int) -> Bool {
    budget -= 1
    guard budget >= 0, depth > 0 else { return false }
    return parts(of: node).allSatisfy { fits($0, depth: depth - 1, budget: &budget) }
  }

  private static func parts(of node: Node) -> [Node] {
    if let items = node.sequence { return Array(items) }
    return node.mapping?.flatMap { [$0.key, $0.value] } ?? []
  }

  /// The duplicate keys of the innermost mapping that has any.
  ///
  /// Yams 6 reports duplicates itself; Yams 5 accepts them.
  private static func repeatedKeys(in node: Node) -> [Node] {
    for part in parts(of: node) {
      let found = repeatedKeys(in: part)
      guard found.isEmpty else { return found }
    }
    let keys = node.mapping?.map(\.key) ?? []
    return Dictionary(grouping: keys) { $0 }.filter { $1.count > 1 }.keys.sorted()
  }

  /// An upper bound on the number of aliases: asterisks that precede a name character but do not
  /// follow one.
  private static func aliasCount(of text: String) -> Int {
    var (count, before, star): (Int, UInt8, Bool) = (0, 32, false)
    for byte in text.utf8 {
      if star, isNameByte(byte) { count += 1 }
      star = byte == 42 && !isNameByte(before)
      before = byte
    }
    return count
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
      || byte == 45 || byte == 95
  }

  /// An upper bound on the nesting depth.
  ///
  /// Each column of the deepest indentation counts as two levels, as does each indicator on a line;
  /// each bracket counts as one. A closing bracket ends a level only if no quote or comment is
  /// between it and the opening bracket: it could be part of a string.
  private static func mostLevels(of text: String) -> Int {
    var (spaces, deepestSpaces, indicators, mostIndicators) = (0, 0, 0, 0)
    var (ending, kept, mostBrackets): (Int, Int, Int) = (0, 0, 0)
    var before: UInt8 = 10
    for byte in text.utf8 {
      spaces = byte == UInt8(ascii: " ") ? spaces + 1 : 0
      deepestSpaces = max(deepestSpaces, spaces)
      switch byte {
      case UInt8(ascii: "["), UInt8(ascii: "{"): ending += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"): ending = max(ending - 1, 0)
      case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "#"):
        (kept, ending) = (kept + ending, 0)
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"): indicators = 0
      case UInt8(ascii: "-"), UInt8(ascii: "?"), UInt8(ascii: ":"):
        // An indicator (`-`, `?` or `:`) counts if it follows a blank or a Unicode line break.
        if before <= 32 || before >= 128 { indicators += 1 }
      default: break
      }
      mostIndicators = max(mostIndicators, indicators)
      mostBrackets = max(mostBrackets, kept + ending)
      before = byte
    }
    return 2 * (deepestSpaces + mostIndicators + 1) + mostBrackets
  }

  /// Whether the parser rejects nesting that would overflow the stack, as Yams 6 does; Yams 5
  /// crashes.
  private static let parserLimitsLevels: Bool = {
    let text =
      String(repeating: "[", count: deepestParsed + 1)
      + String(repeating: "]", count: deepestParsed + 1)
    return (try? Parser(yaml: text, resolver: .basic, encoding: .utf8).singleRoot()) == nil
  }()

  private static func report(_ error: any Error, of text: String, to diagnostics: Diagnostics) {
    switch error as? YamlError {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      diagnostics.report("not YAML: \(problem)", at: Place(mark))
    case .reader(let problem, let offset, _, _):
      let before = offset.map { text.prefix($0) } ?? ""
      let line = before.count { $0.isNewline } + 1
      diagnostics.report("not YAML: \(problem)", at: Place(line: line, column: 1))
    default:
      // Yams 5 lacks the case `duplicatedKeysInMapping`, so a pattern cannot name it.
      let value = Mirror(reflecting: error).children.first?.value
      if let (keys, context) = value as? (duplicates: [String], context: YamlError.Context) {
        reportRepeated(keys, at: context.mark, to: diagnostics)
      } else {
        diagnostics.report("not YAML: \(error)")
      }
    }
  }

  private static func reportRepeated(_ keys: [String], at mark: Mark?, to diagnostics: Diagnostics)
  {
    let names = keys.map { "'\($0)'" }.joined(separator: ", ")
    diagnostics.report("the same key twice: \(names)", at: mark.map { Place($0) })
  }
}

extension Place {
  init(_ mark: Mark) {
    self.init(line: mark.line, column: mark.column)
  }
}

/// A YAML value that reports problems at its own location in the file.
///
/// Every accessor returns `nil` after reporting a problem, and readers continue, so that all
/// problems of a file are reported together.
package struct YAMLValue {
  private let node: Node
  /// The value's name in messages, such as `'batchSize'`.
  package let name: String
  package let diagnostics: Diagnostics

  init(_ node: Node, name: String, diagnostics: Diagnostics) {
    self.node = node
    self.name = name
    self.diagnostics = diagnostics
  }

  package var place: Place? {
    node.mark.map { Place($0) }
  }

  /// Reports a problem at the value's location.
  package func report(_ message: String, severity: Diagnostic.Severity = .error) {
    diagnostics.report(message, at: place, severity: severity)
  }

  package var isSequence: Bool { node.sequence != nil }
  package var isMapping: Bool { node.mapping != nil }

  /// The scalar; `nil`, without reporting a problem, for a list or a mapping.
  package var scalar: YAMLScalar? {
    node.scalar.map { YAMLScalar($0) }
  }

  /// The content of a plain or quoted scalar, even if it looks like a number; an empty value is a
  /// problem.
  package func string() -> String? {
    guard let scalar = node.scalar, YAMLScalar(scalar) != .null else {
      return mismatch("a text")
    }
    return scalar.string
  }

  /// Reads an integer in the range; digits may be grouped as in `100_000`, and thousands and
  /// millions written as in `400k`, `1.5M` and `1e6`.
  package func integer(in range: ClosedRange<Int> = Int.min...Int.max) -> Int? {
    let number: Int? =
      switch scalar {
      case .integer(let value): Int(value)
      case .real(let value): Int(exactly: value)
      case .text(let text): Quantity.count(text, in: Int.min...Int.max)
      default: nil
      }
    guard let value = number else { return mismatch("a whole number") }
    guard range.contains(value) else {
      let bounds =
        range.upperBound == Int.max
        ? "at least \(range.lowerBound)"
        : "from \(range.lowerBound) to \(range.upperBound)"
      report("\(name) must be \(bounds), not \(value)")
      return nil
    }
    return value
  }

  /// A finite number, including integers.
  package func number() -> Double? {
    switch scalar {
    case .integer(let value): return Double(value)
    case .real(let value) where value.isFinite: return value
    default: return mismatch("a number")
    }
  }

  package func boolean() -> Bool? {
    guard case .boolean(let value)? = scalar else { return mismatch("true or false") }
    return value
  }

  /// Returns the value that belongs to the scalar's word; reports any word that is not in
  /// `choices`.
  package func choice<Choice>(of choices: [(word: String, value: Choice)]) -> Choice? {
    guard let word = string() else { return nil }
    if let match = choices.first(where: { $0.word == word }) { return match.value }
    let words = choices.map(\.word)
    let hint = didYouMean(word, among: words)
    let list = hint.isEmpty ? " (one of \(words.joined(separator: ", ")))" : hint
    report("\(name) cannot be '\(word)'\(list)")
    return nil
  }

  /// The items of a list; reports any other value.
  package func items() -> [YAMLValue]? {
    guard let sequence = node.sequence else { return mismatch("a list") }
    return sequence.enumerated().map { index, item in
      YAMLValue(item, name: "item \(index + 1) of \(name)", diagnostics: diagnostics)
    }
  }

  /// The items of a list, or a single value as a list with one item.
  package func itemsOrSelf() -> [YAMLValue] {
    isSequence ? items() ?? [] : [self]
  }

  /// A mapping with only the given keys; any other key is reported.
  package func mapping(knowing keys: [String]) -> YAMLMapping? {
    mapping().map { mapping in
      mapping.reportKeys(except: keys)
      return mapping
    }
  }

  /// A mapping with arbitrary keys, such as names of entities.
  package func mapping() -> YAMLMapping? {
    guard let mapping = node.mapping else { return mismatch("a mapping of keys to values") }
    return YAMLMapping(mapping, name: name, place: place, diagnostics: diagnostics)
  }

  private func mismatch<Result>(_ expected: String) -> Result? {
    let found = scalar?.description ?? (isSequence ? "a list" : "a mapping")
    report("\(name) must be \(expected), not \(found)")
    return nil
  }
}

/// A mapping of a YAML file, with its entries in file order.
///
/// Entries that it merges from other mappings (`<<: *base`) come last; its own entries override
/// them.
package struct YAMLMapping {
  /// An entry of a mapping, with the locations of its key and value.
  package struct Entry {
    package let key: String
    package let keyPlace: Place?
    package let value: YAMLValue
  }

  package let entries: [Entry]
  /// The mapping's name in messages.
  package let name: String
  package let place: Place?
  private let diagnostics: Diagnostics

  init(_ mapping: Node.Mapping, name: String, place: Place?, diagnostics: Diagnostics) {
    self.name = name
    self.place = place
    self.diagnostics = diagnostics
    entries = Self.pairs(of: mapping).compactMap { key, value in
      guard let scalar = key.scalar else {
        diagnostics.report("a key must be a word", at: key.mark.map { Place($0) })
        return nil
      }
      return Entry(
        key: scalar.string,
        keyPlace: key.mark.map { Place($0) },
        value: YAMLValue(value, name: "'\(scalar.string)'", diagnostics: diagnostics)
      )
    }
  }

  /// The mapping's own pairs, followed by merged pairs whose keys the mapping lacks.
  private static func pairs(of mapping: Node.Mapping) -> [(key: Node, value: Node)] {
    let own = mapping.filter { merged(by: $0.key, $0.value) == nil }
    let others = mapping.compactMap { merged(by: $0.key, $0.value) }.joined()
    var seen: Set<Node> = []
    return (own + others.flatMap { pairs(of: $0) }).filter { seen.insert($0.key).inserted }
  }

  /// The mappings that a merge key stands for; `nil` for any other key.
  private static func merged(by key: Node, _ value: Node) -> [Node.Mapping]? {
    guard let scalar = key.scalar, scalar.style == .plain, scalar.string == "<<" else { return nil }
    let nodes = value.sequence.map { Array($0) } ?? [value]
    let mappings = nodes.compactMap { $0.mapping }
    return mappings.count == nodes.count ? mappings : nil
  }

  /// The value of a key, or `nil` if the mapping lacks the key.
  package subscript(key: String) -> YAMLValue? {
    entries.first { $0.key == key }?.value
  }

  /// The value of a key; a missing key is reported.
  package func required(_ key: String) -> YAMLValue? {
    if let value = self[key] { return value }
    report("\(name) lacks the key '\(key)'")
    return nil
  }

  /// Reports a problem at the mapping's location.
  package func report(_ message: String, severity: Diagnostic.Severity = .error) {
    diagnostics.report(message, at: place, severity: severity)
  }

  /// Reports every unknown key, and suggests the known key that it probably means.
  package func reportKeys(except known: [String]) {
    for entry in entries where !known.contains(entry.key) {
      let hint = didYouMean(entry.key, among: known)
      let list = hint.isEmpty ? " (known: \(known.joined(separator: ", ")))" : hint
      diagnostics.report("unknown key '\(entry.key)' in \(name)\(list)", at: entry.keyPlace)
    }
  }
}

/// A scalar according to the core schema of YAML 1.2: only `true` and `false` are Booleans, and
/// quoted scalars are strings.
package enum YAMLScalar: Hashable, Sendable, CustomStringConvertible {
  case null
  case boolean(Bool)
  case integer(Int64)
  case real(Double)
  case text(String)

  init(_ scalar: Node.Scalar) {
    guard scalar.style == .plain || scalar.style == .any else {
      self = .text(scalar.string)
      return
    }
    self.init(plain: scalar.string)
  }

  /// Parses an unquoted scalar; digits may be grouped with `_`.
  package init(plain text: String) {
    switch text {
    case "", "~", "null": self = .null
    case "true": self = .boolean(true)
    case "false": self = .boolean(false)
    case ".inf": self = .real(.infinity)
    case "-.inf": self = .real(-.infinity)
    case ".nan": self = .real(.nan)
    default: self = YAMLScalar.number(text) ?? .text(text)
    }
  }

  private static func number(_ text: String) -> YAMLScalar? {
    guard let digits = Quantity.digits(text, groupedBy: "_") else { return nil }
    if let integer = Int64(digits) { return .integer(integer) }
    return Double(digits).map { .real($0) }
  }

  /// The scalar's description in messages, such as `text 'abc'`.
  package var description: String {
    switch self {
    case .null: "nothing"
    case .boolean(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    case .text(let text): "text '\(text.prefix(60))'"
    }
  }
}

import Basics
import Yams

/// Reads YAML from untrusted files: bounded in size, depth and what its aliases expand to.
package enum YAMLDocument {
  private static let largestFile = 1 << 20
  private static let deepest = 64
  private static let mostValues = 100_000
  /// Few enough that no arrangement of them expands beyond what can be counted.
  private static let mostAliases = 16

  /// The top value of a file, or `nil` after reporting why there is none.
  ///
  /// Throws a ``DataModelError`` where the file cannot be read at all.
  package static func read(path: String, into diagnostics: Diagnostics) throws -> YAMLValue? {
    parse(try InputFile.text(path: path, limit: largestFile), into: diagnostics)
  }

  /// The top value of a text, or `nil` after reporting why there is none.
  package static func parse(_ text: String, into diagnostics: Diagnostics) -> YAMLValue? {
    guard text.utf8.count <= largestFile else {
      diagnostics.report("the file is larger than \(largestFile) bytes, the most allowed")
      return nil
    }
    // Counted before parsing, since the parser already compares keys with aliases expanded.
    guard aliasCount(of: text) <= mostAliases else {
      diagnostics.report("the file has more than \(mostAliases) aliases; write the values out")
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
      return YAMLValue(node, name: "the file", diagnostics: diagnostics)
    } catch {
      report(error, of: text, to: diagnostics)
      return nil
    }
  }

  private static func fits(_ node: Node, depth: Int, budget: inout Int) -> Bool {
    budget -= 1
    guard budget >= 0, depth > 0 else { return false }
    switch node {
    case .scalar, .alias: return true
    case .sequence(let items):
      for item in items {
        guard fits(item, depth: depth - 1, budget: &budget) else { return false }
      }
    case .mapping(let pairs):
      for (key, value) in pairs {
        guard fits(key, depth: depth - 1, budget: &budget),
          fits(value, depth: depth - 1, budget: &budget)
        else { return false }
      }
    }
    return true
  }

  /// An upper bound: a star before a name character and not after one, wherever it stands.
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

  private static func report(_ error: any Error, of text: String, to diagnostics: Diagnostics) {
    switch error as? YamlError {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      diagnostics.report("not YAML: \(problem)", at: Place(mark))
    case .duplicatedKeysInMapping(let keys, let context):
      let names = keys.map { "'\($0)'" }.joined(separator: ", ")
      diagnostics.report("the same key twice: \(names)", at: Place(context.mark))
    case .reader(let problem, let offset, _, _):
      let before = offset.map { text.prefix($0) } ?? ""
      let line = before.count { $0.isNewline } + 1
      diagnostics.report("not YAML: \(problem)", at: Place(line: line, column: 1))
    default:
      diagnostics.report("not YAML: \(error)")
    }
  }
}

extension Place {
  init(_ mark: Mark) {
    self.init(line: mark.line, column: mark.column)
  }
}

import Foundation
import PersistentStore
import SQLite
import Testing

/// Tests the text search function against the published table of texts.
@Suite struct `The search of texts` {
  /// A row of the table in Evidence/docs/search.md.
  private struct Pair {
    let text: String
    let searched: String
    /// The expected results, by the search flags of the table's columns.
    let expected: [(flags: Int, isFound: Bool)]
  }

  private static let flags = [0, 1, 128, 129, 417]

  /// Texts for which Foundation on Linux differs, as listed in Evidence/docs/search.md.
  private static let differences: [String] = []

  private static func pairs() throws -> [Pair] {
    let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../Evidence/docs/search.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let table = try #require(text.firstRange(of: "<!-- pairs -->")).upperBound
    let end = try #require(text.firstRange(of: "<!-- /pairs -->")).lowerBound
    return text[table..<end].split(separator: "\n").dropFirst(2).compactMap { line in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == 8 else { return nil }
      return Pair(
        text: unescaped(cells[0]),
        searched: unescaped(cells[1]),
        expected: zip(flags, cells[2...6]).map { ($0, $1 == "yes") }
      )
    }
  }

  /// A cell's text without backquotes, with each `\u{…}` replaced by its character.
  private static func unescaped(_ cell: String) -> String {
    cell.trimmingCharacters(in: ["`"]).replacing(/\\u\{([0-9a-f]+)\}/) { match in
      UInt32(match.1, radix: 16).flatMap(Unicode.Scalar.init).map { String($0) } ?? ""
    }
  }

  @Test func `finds what Unicode's data and Apple's description say`() throws {
    let connection = try Connection(path: ":memory:", mode: .create, settings: nil)
    try FrameworkFunctions.register(on: connection)
    let pairs = try Self.pairs()
    #expect(pairs.count == 24)
    var differences: [String] = []
    for pair in pairs {
      for (flags, isFound) in pair.expected {
        let statement = try connection.prepare("SELECT NSCoreDataStringSearch(?, ?, \(flags), 0)")
        statement.bind(pair.text, at: 1)
        statement.bind(pair.searched, at: 2)
        #expect(try statement.step())
        guard (statement.integer(at: 0) == 1) != isFound else { continue }
        differences.append("\(pair.text) / \(pair.searched), \(flags): \(!isFound)")
      }
    }
    #expect(differences == Self.differences)
  }
}

import PersistentStore
import SQLite
import Testing

/// Tests functions and collations that the statements of stores use and SQLite lacks.
@Suite struct FrameworkFunctionsTests {
  private func connection() throws -> Connection {
    let connection = try Connection(path: ":memory:", mode: .create, settings: nil)
    try FrameworkFunctions.register(on: connection)
    return connection
  }

  @Test(arguments: [
    ("Café Maui", "maui", 417, 1), ("Café Maui", "CAFE", 417, 1), ("Café", "cafe", 1, 0),
    ("Café", "Caf", 0, 1), ("Café", "caf", 0, 0), ("name", "am", 8, 0), ("name", "na", 8, 1),
    ("name", "me", 12, 1), ("name", "am", 12, 0), ("", "a", 417, 0), ("100%", "%", 417, 1),
  ])
  func `searches texts by the options of a log`(
    text: String,
    searched: String,
    options: Int,
    found: Int
  ) throws {
    let search = try connection().prepare("SELECT NSCoreDataStringSearch(?, ?, ?, 1)")
    search.bind(text, at: 1)
    search.bind(searched, at: 2)
    search.bind(Int64(options), at: 3)
    #expect(try search.step())
    #expect(search.integer(at: 0) == found)
  }

  @Test(arguments: [
    ("Café Maui", "caf?*MAUI", true), ("abc", "a?c", true), ("ac", "a?c", false), ("", "*", true),
    ("", "?", false), ("aXbXc", "*x?", true), ("abcd", "abc", false), ("abc", "*b*", true),
    ("a\nd", "a*d", true), ("a*c", "a*c", true), ("任务", "??", true),
  ])
  func `compares texts with a pattern`(text: String, pattern: String, isMet: Bool) throws {
    let match = TextMatch(.like, pattern, ignoresCase: true, ignoresDiacritics: true)
    #expect(match.isMet(by: text) == isMet)
    let row = try connection().prepare("SELECT NSCoreDataStringSearch(?, ?, \(match.options), 0)")
    row.bind(text, at: 1)
    row.bind(pattern, at: 2)
    #expect(try row.step())
    #expect(row.integer(at: 0) == (isMet ? 1 : 0))
  }

  @Test func `compares whole texts and their ends by the options`() {
    let both = TextMatch(.equal, "CAFE", ignoresCase: true, ignoresDiacritics: true)
    #expect(both.name == "==[cd]")
    #expect(both.isMet(by: "Café"))
    #expect(!both.isMet(by: "Cafés"))
    #expect(!TextMatch(.equal, "CAFE", ignoresCase: true).isMet(by: "Café"))
    #expect(TextMatch(.endsWith, "fé").isMet(by: "Café"))
    #expect(!TextMatch(.endsWith, "FÉ").isMet(by: "Café"))
    #expect(TextMatch(.beginsWith, "ca", ignoresCase: true).isMet(by: "Café"))
  }

  @Test func `finds the same byte by byte`() throws {
    let (all, bytes) = (try connection(), try connection())
    try FrameworkFunctions.registerSearch(on: bytes, by: .bytes) { _ in }
    let texts = [
      "", "a", "A", "Call the plumber", "CALL", "call", "naïve call", "cafe\u{301}", "e\r\nf", "\r",
      "a.b*c", "ab", "aab", "ﬁle", "FILE", "Straße", "strasse", "İstanbul", "i", "\u{0}b",
    ]
    for options in [0, 1, 2, 8, 9, 64, 128, 129, 137, 256, 385, 393, 417, 425] {
      for text in texts {
        for searched in texts {
          let found = try [all, bytes].map { connection in
            let row = try connection.prepare("SELECT NSCoreDataStringSearch(?, ?, \(options), 1)")
            row.bind(text, at: 1)
            row.bind(searched, at: 2)
            #expect(try row.step())
            return row.integer(at: 0)
          }
          #expect(found[0] == found[1], "\(searched.debugDescription) in \(text.debugDescription)")
        }
      }
    }
  }

  @Test func `finds nothing in NULL`() throws {
    #expect(try connection().integer("SELECT NSCoreDataStringSearch(NULL, 'a', 417, 1)") == 0)
  }

  private func sorted(
    _ texts: [String],
    by collation: FrameworkFunctions.Collation
  ) throws -> [String] {
    let name = try #require(collation.name)
    let connection = try connection()
    try connection.execute("CREATE TABLE t (x TEXT)")
    for text in texts { try connection.execute("INSERT INTO t VALUES ('\(text)')") }
    let rows = try connection.prepare("SELECT x FROM t ORDER BY x COLLATE \(name)")
    var found: [String] = []
    while try rows.step() { found.append(rows.text(at: 0)) }
    return found
  }

  @Test func `orders texts as a list in the user's language does`() throws {
    let texts = ["Zebra", "apfel", "Äpfel", "file10", "file2", "File1", "éclair", "eclair"]
    #expect(
      try sorted(texts, by: .localized)
        == ["apfel", "Äpfel", "eclair", "éclair", "File1", "file10", "file2", "Zebra"]
    )
    #expect(
      try sorted(texts, by: .localizedStandard)
        == ["apfel", "Äpfel", "eclair", "éclair", "File1", "file2", "file10", "Zebra"]
    )
  }

  @Test func `NSCoreDataNow moves with each call`() throws {
    let connection = try connection()
    let first = try connection.integer("SELECT NSCoreDataNow() * 4")
    let second = try connection.integer("SELECT NSCoreDataNow() * 4")
    #expect(first.map { $0 + 1 } == second)
  }
}

import SQLite
import Testing

@testable import Generators

@Suite("Groups of a column's values")
struct ColumnGroupsTests {
  /// A group as SQLite computes it: its number of objects, and its number or text size.
  private struct Group: Equatable {
    let objects: Int
    let number: Double
  }

  private let connection: Connection

  init() throws {
    connection = try Connection(path: ":memory:", mode: .create, settings: nil)
    try connection.execute("CREATE TABLE t (number, text TEXT)")
  }

  private func insert(_ values: String) throws { try connection.execute("INSERT INTO t \(values)") }

  private func bySQLite(_ sql: String) throws -> [Group] {
    try connection.prepare(sql).map {
      Group(objects: Int($0.integer(at: 0)), number: $0.real(at: 1))
    }
  }

  private func groups(_ column: String, isText: Bool) throws -> ColumnGroups? {
    let rows = try connection.prepare("SELECT \(column) FROM t WHERE \(column) NOT NULL")
    return try ColumnGroups(rows, isText: isText)
  }

  @Test("Numbers have the groups of SQLite in its order, whole reals among the integers")
  func numbers() throws {
    try insert("VALUES (3, NULL), (3.0, NULL), (-1.5, NULL), (NULL, NULL), (0, NULL), ('x', NULL)")
    try insert(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) "
        + "SELECT i * 7919 % 1013 / 4.0, NULL FROM n"
    )
    let groups = try #require(try self.groups("number", isText: false))
    var found: [Group] = []
    groups.visit { found.append(Group(objects: $0, number: $1)) }
    #expect(
      try found
        == bySQLite(
          "SELECT count(*), number FROM t WHERE typeof(number) <> 'text' AND number NOT NULL GROUP BY number"
        )
    )
    #expect(groups.objects == 3005)
    #expect(groups.ofNumbers.map(\.number) == found.map(\.number))
  }

  @Test("Texts have the groups of SQLite in its order, empty ones and ones beyond ASCII among them")
  func texts() throws {
    try insert("VALUES (NULL, ''), (NULL, 'é'), (NULL, 'e'), (NULL, 'ee'), (NULL, 'é'), (NULL, '')")
    try insert(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) "
        + "SELECT NULL, 'text ' || (i * 7919 % 1013) FROM n"
    )
    let groups = try #require(try self.groups("text", isText: true))
    var found: [Group] = []
    groups.visit { found.append(Group(objects: $0, number: $1)) }
    #expect(
      try found
        == bySQLite("SELECT count(*), length(CAST(text AS BLOB)) FROM t GROUP BY text")
    )
    let commonest = try connection.prepare(
      "SELECT text, count(*) FROM t GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 20"
    ).map { KeptText(text: $0.text(at: 0), count: Int($0.integer(at: 1))) }
    #expect(groups.texts(most: 20) == commonest)
    #expect(groups.ofNumbers.reduce(0) { $0 + $1.count } == 3006)
  }

  @Test("Values that only SQLite compares as SQLite does are left to it")
  func leftToSQLite() throws {
    try insert("VALUES (9007199254740993, x'00')")
    #expect(try groups("number", isText: false) == nil)
    #expect(try groups("text", isText: true) == nil)
  }

  @Test("Numbers of a query can be read again, whether they are few enough to keep or not")
  func readAgain() throws {
    for values in [10, 65_536, 65_537, 70_000] {
      let counts = ValueCounts(
        try connection.prepare(
          "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(values)) "
            + "SELECT i, 2 FROM n"
        )
      )
      _ = try counts.next()
      for _ in 0..<3 {
        var numbers: [Double] = []
        try counts.visit { number, _ in numbers.append(number) }
        #expect(numbers == (1...values).map(Double.init))
        #expect(try counts.total() == 2 * values)
      }
    }
  }
}

import Foundation
import Testing

@testable import SQLLog

/// Tests that private values in unusual forms do not reach copies or reports.
@Suite struct LeakTests {
  private static let frame = """
    CoreData: sql: SELECT 0, t0.Z_PK FROM ZPERSON t0 WHERE  t0.ZNAME = ?
    CoreData: details: SQLite bind[0] = "b"
    CoreData: annotation: total fetch execution time: 0.0031s for 7 rows.
    """

  private func anonymous(_ text: String) throws -> String {
    let fixture = try LogFixture(text)
    let target = fixture.path(of: "shared.log")
    try Anonymizer(path: fixture.path).write(to: target)
    return String(decoding: try Data(contentsOf: URL(fileURLWithPath: target)), as: UTF8.self)
  }

  @Test(arguments: [
    "\"Secret\nsql: SELECT the Secret doctor\nSecret\"", "\"a\nannotation: Secret\nb\"",
    "\"a\nUPDATE ZOE has a Secret\nb\"", "(Secret)", "(Secret)12", "2020-03-18 Secret",
    "12Secret", "(timestamp)606339342.12 (2020-03-18 20:22:22 +0000 Secret)", "<Secret 0x12>",
    "<__NSConcreteUUID 0x600> 5A7D-Secret", "\"Secret", "@\"Secret\"",
  ])
  func `no bound value stays`(value: String) throws {
    let log =
      "\(Self.frame)\nCoreData: sql: SELECT 0, t0.Z_PK FROM ZPERSON t0 WHERE t0.ZA = ?\n"
      + "CoreData: details: SQLite bind[0] = \(value)\n\(Self.frame)"
    let shared = try anonymous(log)
    #expect(!shared.contains("Secret"), "\(shared)")
    let report = try LogFixture.analysis(log).report
    #expect(!report.unknown.keys.contains { $0.contains("Secret") })
    #expect(try LogFixture.read(log).statements.count == 3)
  }

  @Test(arguments: [
    "sql: SELECT the Secret of my life", "UPDATE ZOE HAS A SECRET",
    "SELECT your Secret FROM Zurich t0. now",
    "CoreData: sql: SELECT 0 FROM ZA t0 WHERE t0.ZN = \"Secret\" OR t0.ZN = [Secret]",
    "CoreData: sql: SELECT 0 FROM ZA t0 WHERE t0.ZN = Secret OR t0.ZN = $Secret",
    "CoreData: details: SQLite: EXPLAIN QUERY PLAN SELECT Secret\nSCAN Secret",
    "CoreData: annotation: Prefetching with key 'Secret says so'.  Got 5 rows.",
    "CoreData: annotation: PostSaveMaintenance: Secret",
    "CoreData: debug: WAL checkpoint: Secret was here",
    "CoreData: annotation: fault fulfilled from database for : 0xd0 <x-coredata://Secret/Item/p1>",
    "CoreData: sql: ATTACH DATABASE '/Users/Secret/x.db' AS Secret",
  ])
  func `no prose that starts like a message stays`(line: String) throws {
    let shared = try anonymous("\(Self.frame)\n\(line)\n\(Self.frame)")
    #expect(!shared.lowercased().contains("secret"), "\(shared)")
  }

  @Test func `names and words of SQL stay`() throws {
    let statements = [
      "SELECT DISTINCT t0.Z_PK, t1.ZNAME FROM ZTASK t0 LEFT OUTER JOIN Z_1TAGS t1 ON t0.Z_PK = "
        + "t1.Z_1TASKS WHERE NSCoreDataStringSearch( t0.ZTITLE, ?, 417, 1) ORDER BY t0.ZNAME "
        + "COLLATE NSCollateFinderlike",
      "SELECT t0.ZBIRTH, COUNT( t0.ZBIRTH) AS __var0 FROM ZITEM t0 GROUP BY  t0.ZBIRTH HAVING "
        + "__var0 > ?",
      "CREATE UNIQUE INDEX IF NOT EXISTS Z_CoreUser_UNIQUE_id ON ZCOREUSER (ZID COLLATE BINARY ASC)",
      "SELECT 0, t0.Z_PK FROM ANSCKRECORDMETADATA t0 WHERE  t0.ZENTITYID IN (SELECT * FROM "
        + "_Z_intarray0)",
      "INSERT INTO ATRANSACTION(Z_PK, Z_ENT, ZTIMESTAMP) VALUES(?, ?, ?)",
      "INSERT INTO ZQUAKE(Z_PK) VALUES(?) ON CONFLICT(ZCODE) DO UPDATE SET Z_OPT = Z_OPT+?",
      "pragma journal_mode=wal", "SELECT TBL_NAME FROM SQLITE_MASTER WHERE TBL_NAME = ?",
      "SELECT 0, t0.Z_PK FROM ZТОВАР t0 WHERE t0.ZЦЕНА = ?",
    ]
    let shared = try anonymous(statements.map { "CoreData: sql: \($0)\n" }.joined())
    #expect(shared == statements.map { "CoreData: sql: \($0)\n" }.joined())
  }

  @Test func `blobs keep their length and whether they are equal`() throws {
    let blobs = ["<12 bytes>", "{length = 4, bytes = 0x0a1b2c3d}", "<0a1b2c3d>", "<0a1b2c3e>"]
    let shared = try anonymous(
      blobs.map { "\(Self.frame)\nCoreData: details: SQLite bind[1] = \($0)\n" }.joined()
    )
    let images = shared.split(separator: "\n").compactMap { line in
      line.range(of: "bind[1] = ").map { String(line[$0.upperBound...]) }
    }
    #expect(images[0] == "<12 bytes>")
    #expect(images[1] == images[2] && images[2] != images[3])
    let lengths = try images.map { image in
      try #require(Array(image.utf8).withUnsafeBytes { LoggedValue.blobLength($0) })
    }
    #expect(lengths == [12, 4, 4, 4])
    #expect(!shared.contains("0a1b2c"))
  }

  @Test func `hidden values are no equal values`() throws {
    let fetch = Lines.fetch(
      "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZN FROM ZA t0 WHERE t0.ZN = ?",
      rows: 3,
      binds: ["<private>"]
    )
    let shown = fetch.replacing("<private>", with: "\"a\"")
    let hidden = try LogFixture.analysis(Array(repeating: fetch, count: 12).joined(separator: "\n"))
    let same = try LogFixture.analysis(Array(repeating: shown, count: 12).joined(separator: "\n"))
    // Twelve fetches in a row are a loop; if their values are hidden, they may be equal.
    #expect(hidden.findings.map(\.rule) == [.fetchesOneByOne])
    #expect(hidden.findings[0].doubt.contains("the log shows no values"))
    #expect(hidden.report.level == 1)
    #expect(same.findings.map(\.rule) == [.repeatedFetch])
  }
}

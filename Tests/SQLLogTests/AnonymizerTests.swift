import Basics
import Foundation
import Testing

@testable import SQLLog

@Suite struct AnonymizerTests {
  private func anonymous(_ text: String, name: String = "app.log") throws -> String {
    let fixture = try LogFixture(text, name: name)
    let target = fixture.path(of: "shared-\(name)")
    try Anonymizer(path: fixture.path).write(to: target)
    return String(decoding: try Data(contentsOf: URL(fileURLWithPath: target)), as: UTF8.self)
  }

  private func bind(_ value: String) -> String { "CoreData: details: SQLite bind[0] = \(value)" }

  private static let statement = "CoreData: sql: SELECT 0, t0.Z_PK FROM ZA t0 WHERE  t0.ZN = ? "

  /// The values of a log's bind lines, in order.
  private func values(_ log: String) -> [String] {
    log.split(separator: "\n").compactMap {
      $0.range(of: "SQLite bind[0] = ").map { range in
        String(log[range.upperBound...].prefix { $0 != "\n" })
      }
    }
  }

  @Test func `keeps equality, order and length of texts`() throws {
    let names = [
      "Anna", "anna", "Annabel", "Zoë", "Zoe", "", "Bob", "Anna", "日本語", "日本", "a b", "ünï",
      "Bobby",
    ]
    let log = names.map { "\(Self.statement)\n\(bind("\"\($0)\""))" }.joined(separator: "\n")
    let images = values(try anonymous(log)).map { $0.dropFirst().dropLast() }
    #expect(images.count == names.count)
    for (first, firstImage) in zip(names, images) {
      #expect(first.utf8.count == firstImage.utf8.count)
      if !first.isEmpty { #expect(first.count == firstImage.count) }
      for (second, secondImage) in zip(names, images) {
        #expect(
          first.utf8.lexicographicallyPrecedes(second.utf8)
            == firstImage.utf8.lexicographicallyPrecedes(secondImage.utf8),
          "\(first) \(second)"
        )
        #expect((first == second) == (firstImage == secondImage))
      }
    }
  }

  @Test func `keeps equality, order and length of numbers`() throws {
    let numbers = [
      "18", "3", "-7", "0", "1999", "606339342.12", "606339342.5", "-70", "18", "27", "0.25",
    ]
    let log = numbers.map { "\(Self.statement)\n\(bind($0))" }.joined(separator: "\n")
    let images = values(try anonymous(log))
    for (first, firstImage) in zip(numbers, images) {
      #expect(first.count == firstImage.count)
      for (second, secondImage) in zip(numbers, images) {
        let order = (Double(first) ?? 0) < (Double(second) ?? 0)
        #expect(
          order == ((Double(firstImage) ?? 0) < (Double(secondImage) ?? 0)),
          "\(first) \(second)"
        )
      }
    }
  }

  private static let personal = """
    user anna@example.com tapped Inbox
    2014-07-31 15:29:04.797 SecretApp[73416:2971038] CoreData: sql: SELECT 0, t0.Z_PK, t0.Z_OPT FROM \
    ZPERSON t0 WHERE  t0.ZNAME = ? AND t0.ZCITY = 'Zurich''s Kreis
    vier' AND t0.ZCODE IN ('K4711', 'K4712') AND t0.ZAGE > 4242 LIMIT 20
    2014-07-31 15:29:04.797 SecretApp[73416:2971038] CoreData: details: SQLite bind[0] = "Anna Meier"
    2014-07-31 15:29:04.822 SecretApp[73416:2971038] CoreData: annotation: sql connection fetch time: 0.0254s
    2014-07-31 15:29:04.822 SecretApp[73416:2971038] CoreData: annotation: fetch using \
    NSSQLiteStatement <0x60c0> on entity 'Person' with sql text 'SELECT 0 FROM ZPERSON t0 WHERE \
    t0.ZCITY = ''Zurich'' ' returned 2 rows with values: (
        "<Person: 0x604> (entity: Person; id: 0x1 <x-coredata://5AFE/Person/p981>; data: { name = Anna; })"
    )
    2014-07-31 15:29:04.822 SecretApp[73416:2971038] CoreData: annotation: total fetch execution \
    time: 0.0287s for 2 rows.
    Aug 16 11:38:01 Annas-iPhone SecretApp[93] <Warning>: Core Data: error: cannot save Anna Meier
    CoreData: sql: SELECT COUNT(*) FROM ZPERSON t0 WHERE  t0.ZNAME = ?
    CoreData: details: SQLite bind[0] = "Anna Meier"
    CoreData: annotation: count request <NSFetchRequest: 0x7fc6> (entity: Person; predicate: (name == \
    "Anna Meier"); sortDescriptors: ((null)); type: NSCountResultType;) returned 2
    CoreData: annotation: total count request execution time: 0.0254s for count of 2.
    CoreData: annotation: Connecting to sqlite database file at "/Users/anna/Secret/default.store"
    CoreData: annotation: brand new words about Zurich
    CoreData: sql: SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZPERSON t0 WHERE  t0.Z_PK = ?
    CoreData: annotation: sql connection fetch time: 0.0005s
    CoreData: annotation: total fetch execution time: 0.0008s for 1 rows.
    CoreData: annotation: fault fulfilled from database for : 0xd0 <x-coredata://DE6497F9/Person/p981>
    CoreData: sql: INSERT INTO ZPERSON(Z_PK, ZNAME) VALUES(?, ?)
    CoreData: details: SQLite bind[0] = (int64)981
    CoreData: details: SQLite bind[1] = (timestamp)606339342.12 (2020-03-18 20:22:22 +0000)
    """

  @Test func `leaves no text of a value`() throws {
    let shared = try anonymous(Self.personal)
    for text in [
      "nna", "Meier", "Zurich", "Kreis", "vier", "K471", "Inbox", "Secret", "5AFE", "DE6497",
      "brand",
      "2020-03", "iPhone",
    ] {
      #expect(!shared.contains(text), "\(text)")
    }
    for kept in [
      "LIMIT 20", "on entity 'Person'", "for 2 rows.", "2014-07-31 15:29:04.797 app[73416:2971038]",
    ] {
      #expect(shared.contains(kept), "\(kept)")
    }
  }

  @Test func `reads back to the same statements`() throws {
    let (before, after) = (
      try LogFixture.read(Self.personal), try LogFixture.read(try anonymous(Self.personal))
    )
    #expect(before.fingerprints == after.fingerprints)
    #expect(before.kinds == after.kinds)
    #expect(before.statements.map(\.time) == after.statements.map(\.time))
    #expect(before.statements.map(\.rows) == after.statements.map(\.rows))
    #expect(before.statements.map(\.valueCount) == after.statements.map(\.valueCount))
    #expect(before.statements.map(\.thread) == after.statements.map(\.thread))
    #expect(before.statements.map(\.clock) == after.statements.map(\.clock))
    #expect(before.report.level == after.report.level)
    #expect(before.report.foreign == after.report.foreign)
    #expect(after.report.orphans == before.report.orphans)
  }

  @Test func `keeps the time of day and the process of syslog and Console`() throws {
    let sql = "CoreData: sql: SELECT 0, t0.Z_PK FROM ZITEM t0"
    let shared = try anonymous(
      "Aug 16 11:38:01 Annas-iPhone SecretApp[93] <Warning>: \(sql)\n"
        + "default\t11:38:02.5+0200\tSecretApp\t\(sql)\n"
    )
    #expect(shared == "11:38:01 app[93] <Debug>: \(sql)\n11:38:02.5+0200 app[0] \(sql)\n")
  }

  @Test func `anonymizes statement logs`() throws {
    let log = """
      -- Main database is '/tmp/logs/sqllog_04711_00.db'
      INSERT INTO ZTASK(Z_PK, ZNAME, ZID) VALUES(12, 'it''s; a
      secret', x'00FFa1'); -- clock=1
      SELECT 0, t0.Z_PK FROM ZTASK t0 WHERE t0.Z_PK = 12 LIMIT 20; -- clock=3
      """
    let shared = try anonymous(log, name: "sqllog_1_1.sql")
    #expect(!shared.contains("secret") && !shared.contains("ff"))
    let reading = try LogFixture.read(shared, name: "sqllog_1_1.sql")
    #expect(
      reading.fingerprints == [
        "INSERT INTO ZTASK(Z_PK, ZNAME, ZID) VALUES(?, ?, ?)",
        "SELECT 0, t0.Z_PK FROM ZTASK t0 WHERE t0.Z_PK = ? LIMIT n",
      ]
    )
    // The insertion and the fetch must have the same key.
    let key = shared.split(separator: "VALUES(").last?.prefix { $0 != "," } ?? ""
    #expect(shared.contains("t0.Z_PK = \(key) LIMIT 20; -- clock=1"))
  }

  @Test func `finds the same causes in the copy`() throws {
    let faults = (1...30).map { Lines.fault("ZPROJECT", entity: "Project", key: $0) }
    let fetch = Lines.fetch("SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZTASK t0", rows: 40)
    let log = ([fetch] + faults).joined(separator: "\n")
    let (before, after) = (
      try LogFixture.analysis(log), try LogFixture.analysis(try anonymous(log))
    )
    #expect(before.findings.map(\.summary) == after.findings.map(\.summary))
    #expect(!before.findings.isEmpty)
  }

  @Test(arguments: GeneratedApp.Form.allCases, [1, 4])
  func `copies logs of each form and level`(form: GeneratedApp.Form, level: Int) throws {
    let app = GeneratedApp(seed: 77, planted: .faultsOneByOne, form: form, level: level)
    let (before, after) = (
      try LogFixture.analysis(app.text), try LogFixture.analysis(try anonymous(app.text))
    )
    #expect(before.report.statements == after.report.statements)
    #expect(before.report.duplicates == after.report.duplicates)
    #expect(before.report.level == after.report.level)
    #expect(before.digest.time == after.digest.time)
    #expect(before.digest.saves == after.digest.saves)
    #expect(before.findings.map(\.rule) == after.findings.map(\.rule))
    #expect(after.report.unknown.isEmpty)
  }

  @Test func `replaces no file`() throws {
    let fixture = try LogFixture("CoreData: sql: COMMIT\n")
    #expect(throws: Refusal(.cannotWrite, "'\(fixture.path)' exists already: choose another file"))
    {
      try Anonymizer(path: fixture.path).write(to: fixture.path)
    }
    #expect(throws: Refusal.self) {
      try Anonymizer(path: fixture.path).write(to: fixture.path(of: "no/such/folder.log"))
    }
  }
}

import Basics
import Reporting
import TestSupport
import Testing

@testable import SQLLog

/// Tests logs from the tests that `storebench observe --print-source --behaviors` prints.
struct BehaviourLogTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func log(_ lines: [String]) throws -> BehaviourLog {
    try folder.write(lines.joined(separator: "\n") + "\n", to: "app.log")
    return try BehaviourLog(of: [folder.file("app.log")])
  }

  private func section(_ name: String, _ statements: [String], printed: [String] = []) -> [String] {
    ["storebench behavior: \(name) begins"]
      + statements.map { "CoreData: sql: \($0)" }
      + printed.map { "storebench behavior: \(name) is \($0)" }
      + ["storebench behavior: \(name) ends"]
  }

  private func value(_ name: String, _ statements: [String], printed: [String] = []) throws
    -> String?
  {
    let other = "CoreData: sql: SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZNAME FROM ZFOLDER t0"
    let found = try log([other] + section(name, statements, printed: printed) + [other])
    return try #require(found.seen.first { $0.name == name }).value
  }

  /// Statements that show each value of a behavior.
  static let shown: [(name: String, value: String, statements: [String])] = [
    ("lightweightMigration", "inPlace", ["ALTER TABLE ZNOTE ADD COLUMN ZCOLOR VARCHAR"]),
    (
      "lightweightMigration", "rebuild",
      [
        "ALTER TABLE ZNOTE RENAME TO _T_ZNOTE",
        "CREATE TABLE ZNOTE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, ZCOLOR VARCHAR )",
        "INSERT INTO ZNOTE (Z_PK, Z_ENT)  SELECT Z_PK, Z_ENT FROM _T_ZNOTE",
      ]
    ),
    ("batchRetention", "all", batches(10)), ("batchRetention", "current", batches(20)),
    ("toManyFault", "keys", ["SELECT 0, t0.Z_PK FROM ZNOTE t0 WHERE t0.ZFOLDER = ?"]),
    (
      "toManyFault", "rows",
      ["SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZTITLE FROM ZNOTE t0 WHERE  t0.ZFOLDER = ?"]
    ),
    (
      "derivation", "statement",
      [
        "UPDATE ZFOLDER SET ZCOUNT = (SELECT IFNULL(COUNT(ZFOLDER), 0) FROM ZNOTE WHERE ZFOLDER = "
          + "ZFOLDER.Z_PK)"
      ]
    ),
    (
      "derivation", "triggers",
      [
        "CREATE TRIGGER IF NOT EXISTS Z_DA_ZNOTE_INSERT AFTER INSERT ON ZNOTE FOR EACH ROW BEGIN "
          + "UPDATE ZFOLDER SET ZCOUNT = 1 WHERE Z_PK = NEW.ZFOLDER; END"
      ]
    ),
    (
      "batchShape", "byLevel",
      [
        "BEGIN EXCLUSIVE", "DELETE FROM ZNOTE WHERE Z_PK IN (SELECT * FROM _Z_intarray0)",
        "DELETE FROM ZFOLDER WHERE Z_PK IN (SELECT * FROM _Z_intarray1)", "COMMIT",
      ]
    ),
    (
      "batchShape", "orphanCleanup",
      [
        "BEGIN EXCLUSIVE", "DELETE FROM ZFOLDER", "COMMIT", "BEGIN EXCLUSIVE",
        "DELETE FROM ZNOTE WHERE ZFOLDER NOT IN (SELECT Z_PK FROM ZFOLDER)", "COMMIT",
      ]
    ),
    ("batchVersions", "unchanged", ["UPDATE ZNOTE SET ZTITLE = ? WHERE ZNUMBER < ?"]),
    (
      "batchVersions", "raised",
      ["UPDATE ZNOTE SET ZTITLE = ?,  Z_OPT =  (Z_OPT + 1) WHERE ZNUMBER < ?"]
    ),
    ("batchSearch", "condition", ["UPDATE ZNOTE SET ZTITLE = ? WHERE ZNUMBER < ?"]),
    (
      "batchSearch", "keys",
      [
        "SELECT 0, t0.Z_PK FROM ZNOTE t0 WHERE t0.ZNUMBER < ?",
        "UPDATE ZNOTE SET ZTITLE = ? WHERE Z_PK IN (SELECT * FROM _Z_intarray0)",
      ]
    ),
    ("batchKeys", "request", [reservation] + insertions), ("batchKeys", "row", eachReserved),
    ("historyKeys", "beforeSave", [reservation, "COMMIT", "BEGIN EXCLUSIVE", change, transaction]),
    ("historyKeys", "inSave", ["COMMIT", "BEGIN EXCLUSIVE", change, reservation, transaction]),
    ("historyFetch", "together", changes(1)), ("historyFetch", "eachTransaction", changes(6)),
    ("historyPurge", "together", ["DELETE FROM ACHANGE WHERE ZTRANSACTIONID <= ?"]),
    (
      "historyPurge", "eachTransaction",
      Array(repeating: "DELETE FROM ACHANGE WHERE ZTRANSACTIONID = ?", count: 6)
    ),
  ]

  private static let reservation =
    "UPDATE OR FAIL Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ? AND Z_MAX = ?"
  private static let change = "INSERT INTO ZNOTE(Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES(?, ?, ?, ?)"
  private static let transaction = "INSERT INTO ATRANSACTION(Z_PK, Z_ENT, Z_OPT) VALUES(?, ?, ?)"
  private static let insertions = Array(repeating: change, count: 20)
  private static let eachReserved = insertions.flatMap { [reservation, $0] }

  private static func batches(_ count: Int) -> [String] {
    ["SELECT 0, t0.Z_PK FROM ZNOTE t0 ORDER BY t0.ZNUMBER"]
      + Array(
        repeating: "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZTITLE FROM ZNOTE t0 WHERE  t0.Z_PK IN  "
          + "(SELECT * FROM _Z_intarray0)  LIMIT 10",
        count: count
      )
  }

  private static func changes(_ count: Int) -> [String] {
    Array(
      repeating: "SELECT 0, t0.Z_PK, t0.Z_OPT FROM ACHANGE t0 WHERE t0.ZTRANSACTIONID = ?",
      count: count
    )
  }

  @Test(arguments: shown.indices)
  func `the statements of a section show the value`(index: Int) throws {
    let (name, expected, statements) = Self.shown[index]
    #expect(try value(name, statements) == expected)
    // The same statements outside the behavior's section have no effect.
    let outside = try log(
      statements.map { "CoreData: sql: \($0)" }
        + section(name, ["SELECT 0, t0.Z_PK FROM ZFOLDER t0"])
    )
    #expect(outside.seen.first { $0.name == name }?.value == nil)
  }

  @Test func `every value that statements can show is shown by some`() {
    for probe in BehaviourProbe.all {
      guard case .statements = probe.sign else { continue }
      let shown = Self.shown.filter { $0.name == probe.name }.map(\.value)
      #expect(shown.sorted() == probe.values.sorted(), "\(probe.name)")
    }
  }

  @Test func `what a test saw itself is what it printed, if it is a declared value`() throws {
    for probe in BehaviourProbe.all {
      guard case .printed = probe.sign else { continue }
      for expected in probe.values {
        #expect(try value(probe.name, [], printed: [expected]) == expected)
      }
      #expect(try value(probe.name, [], printed: ["sometimes"]) == nil)
      #expect(try value(probe.name, [], printed: probe.values) == nil)
    }
  }

  @Test func `contradicting statements show no value, and the reason is printed`() throws {
    let both = [
      "UPDATE ZNOTE SET ZTITLE = ? WHERE ZNUMBER < ?",
      "UPDATE ZNOTE SET ZTITLE = ?, Z_OPT = (Z_OPT + 1) WHERE ZNUMBER < ?",
    ]
    let found = try log(section("batchVersions", both))
    let seen = try #require(found.seen.first { $0.name == "batchVersions" })
    #expect(seen.value == nil && seen.reason == "its lines show none of the values")
    let text = found.report.text(width: 120)
    #expect(text.contains("0 of \(BehaviourProbe.all.count) assumed behaviors seen in the log"))
    #expect(text.contains("its test is not in the log"))
  }

  @Test func `a test that did not end shows nothing, and one that ran again counts once`() throws {
    let keys = ["SELECT 0, t0.Z_PK FROM ZNOTE t0 WHERE t0.ZFOLDER = ?"]
    let rows = ["SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZNOTE t0 WHERE t0.ZFOLDER = ?"]
    let cut = try log(Array(section("toManyFault", keys).dropLast()))
    let open = try #require(cut.seen.first { $0.name == "toManyFault" })
    #expect(open.value == nil && open.reason == "its test did not end")
    let again = try log(section("toManyFault", keys) + section("toManyFault", rows))
    let last = try #require(again.seen.first { $0.name == "toManyFault" })
    #expect(last.value == "rows" && last.lines == 4...6)
  }

  @Test func `the evidence is the log, with the system's version in plain text`() throws {
    let found = try log(
      ["storebench behavior: system Version 17.5 \u{1b}[31m(Build 21F79)"]
        + section("batchRules", ["DELETE FROM ZFOLDER"], printed: ["followed"])
    )
    #expect(found.system == "Version 17.5 [31m(Build 21F79)")
    let json = try found.jsonText()
    #expect(json.contains("\"evidence\" : \"log\"") && json.contains("\"value\" : \"followed\""))
    #expect(json.contains("Version 17.5"))
  }

  @Test func `a log without the tests' marks is refused`() throws {
    let refusal = #expect(throws: Refusal.self) {
      try log(["CoreData: sql: SELECT 0, t0.Z_PK FROM ZNOTE t0"])
    }
    #expect(refusal?.description.contains("observe --print-source --behaviors") == true)
  }
}

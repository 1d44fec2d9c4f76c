import StoreBench
import TestSupport
import Testing

@testable import Runner

/// Verification of a store beside the store that the work began with.
struct ExpectedRowsTests {
  private let folder: TemporaryFolder
  private let trial: Trial

  init() throws {
    folder = try TemporaryFolder()
    for name in ["start", "now"] {
      let database = try Database(path: try Self.empty(folder, name))
      try database.execute("CREATE TABLE t (k INTEGER PRIMARY KEY, a INT, b TEXT, c REAL, d BLOB)")
      try database.execute("CREATE TABLE u (x TEXT PRIMARY KEY, y INTEGER) WITHOUT ROWID")
      for key in 1...9 {
        try database.execute(
          "INSERT INTO t VALUES (?1, ?2, ?3, ?4, ?5)",
          key,
          key * 10,
          "text \(key)",
          Double(key) / 4,
          Database.Value.blob([UInt8(key)])
        )
        try database.execute("INSERT INTO u VALUES (?1, ?2)", "key \(key)", key)
      }
    }
    let now = StoreFile(path: folder.file("now"))
    let start = StoreFile(path: folder.file("start"))
    trial = Trial(
      store: now,
      start: start,
      original: start,
      folder: folder.path,
      workloadsFolder: folder.path
    )
  }

  private static func empty(_ folder: TemporaryFolder, _ name: String) throws -> String {
    try folder.write("", to: name)
  }

  private func change(_ sql: String) throws {
    try Database(path: trial.store.path).execute(sql)
  }

  private func findings(_ rows: [String: ExpectedRows] = [:]) -> [String] {
    do {
      _ = try trial.verification(expecting: rows)
      return []
    } catch let failure as VerificationFailure {
      return failure.findings
    } catch {
      return ["\(error)"]
    }
  }

  @Test func `two equal stores have no finding, and one digest whatever their pages`() throws {
    #expect(findings() == [])
    let digest = try trial.verification().digest
    #expect(digest.count == 64)
    try change("VACUUM")
    #expect(try trial.verification().digest == digest)
    try change("UPDATE t SET a = 11 WHERE k = 1")
    let changed = try trial.verification(expecting: ["t": .changing(["a": "11"], where: "k = 1")])
    #expect(changed.digest != digest)
  }

  @Test(arguments: [
    ("UPDATE t SET a = 7 WHERE k = 3", "'t', k = 3: a is '7', expected '30'"),
    ("UPDATE t SET b = NULL WHERE k = 3", "'t', k = 3: b is '', expected 'text 3'"),
    ("UPDATE t SET c = 0.5 WHERE k = 1", "'t', k = 1: c is '0.5', expected '0.25'"),
    ("UPDATE t SET d = x'0909' WHERE k = 9", "'t', k = 9: d is"),
    ("UPDATE t SET b = CAST(b AS BLOB) WHERE k = 2", "'t', k = 2: b is"),
    ("DELETE FROM t WHERE k = 9", "'t' has fewer rows than expected"),
    ("INSERT INTO t (a) VALUES (1)", "'t' has more rows than expected"),
    ("UPDATE u SET y = 0 WHERE x = 'key 4'", "'u', x = key 4: y is '0', expected '4'"),
    ("CREATE TABLE v (x)", "the starting store has no table 'v'"),
  ])
  func `each difference is found`(sql: String, finding: String) throws {
    try change(sql)
    #expect(findings().first?.hasPrefix(finding) == true, "\(findings())")
  }

  @Test func `changes and deletions that are expected are no findings`() throws {
    try change("UPDATE t SET a = a + 1, b = 'new' WHERE k > 5")
    let rows = ExpectedRows.changing(["a": "a + 1", "b": "'new'"], where: "k > 5")
    #expect(findings(["t": rows]) == [])
    #expect(findings(["t": .changing(["a": "a + 1"], where: "k > 5")]).count == 4)
    try change("DELETE FROM u WHERE y < 3")
    #expect(findings(["t": rows, "u": .deleting(where: "y < 3")]) == [])
    #expect(findings(["t": rows, "u": .deleting(where: "y < 2")]).count == 5)
    #expect(findings(["t": .checkedElsewhere, "u": .checkedElsewhere]) == [])
  }

  @Test func `a misspelled table or column is a finding`() {
    #expect(findings(["x": .checkedElsewhere]) == ["the starting store has no table 'x'"])
    #expect(findings(["t": .changing(["z": "1"])]) == ["'t' has no column 'z'"])
  }

  @Test func `a changed file of external storage is found`() throws {
    for name in [".start_SUPPORT/a", ".now_SUPPORT/a"] { try folder.write("bytes", to: name) }
    #expect(findings() == [])
    try folder.write("bites", to: ".now_SUPPORT/a")
    #expect(findings() == ["the external file 'a' has different bytes than before"])
    try folder.write("more", to: ".now_SUPPORT/b")
    #expect(findings() == ["external storage has different files than before"])
  }
}

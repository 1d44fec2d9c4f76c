import Foundation

@testable import SQLLog

/// A log in a file of its own, which is removed when the fixture is released.
final class LogFixture {
  let path: String
  private let folder: URL

  init(_ text: String, name: String = "app.log") throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("sqllog-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appendingPathComponent(name)
    try Data(text.utf8).write(to: file)
    path = file.path
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  func path(of name: String) -> String { folder.appendingPathComponent(name).path }

  /// The statements of a log and the parser's report.
  static func read(_ text: String, name: String = "app.log") throws -> Reading {
    let fixture = try LogFixture(text, name: name)
    var statements: [LoggedStatement] = []
    let parser = LogParser { statements.append($0) }
    try withExtendedLifetime(fixture) { try parser.read(fixture.path) }
    return Reading(statements: statements, parser: parser)
  }

  static func analysis(_ text: String, schema: LogSchema? = nil, name: String = "app.log") throws
    -> LogAnalysis
  {
    let fixture = try LogFixture(text, name: name)
    return try withExtendedLifetime(fixture) {
      try LogAnalysis(of: [fixture.path], schema: schema)
    }
  }
}

struct Reading {
  let statements: [LoggedStatement]
  let parser: LogParser

  var report: ParsingReport { parser.report }

  var fingerprints: [String] { statements.map { parser.statements[$0.entry].fingerprint } }

  var kinds: [StatementShape.Kind] { statements.map { parser.statements[$0.entry].shape.kind } }
}

/// Lines of SQLDebug in the forms of published samples.
enum Lines {
  static func fetch(_ sql: String, rows: Int, time: String = "0.0010", binds: [String] = [])
    -> String
  {
    (["CoreData: sql: \(sql)"]
      + binds.enumerated().map { "CoreData: details: SQLite bind[\($0)] = \($1)" }
      + [
        "CoreData: annotation: sql connection fetch time: \(time)s",
        "CoreData: annotation: total fetch execution time: \(time)s for \(rows) rows.",
      ]).joined(separator: "\n")
  }

  static func count(_ sql: String, _ count: Int, time: String = "0.0010") -> String {
    "CoreData: sql: \(sql)\n"
      + "CoreData: annotation: total count request execution time: \(time)s for count of \(count)."
  }

  static func fault(_ table: String, entity: String, key: Int, time: String = "0.0010") -> String {
    fetch(
      "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZNAME FROM \(table) t0 WHERE  t0.Z_PK = ? ",
      rows: 1,
      time: time
    ) + "\nCoreData: annotation: fault fulfilled from database for : 0xd000000000100002 "
      + "<x-coredata://DE6497F9-8B94-420D-81B7-E25B992E28C2/\(entity)/p\(key)>"
  }

  static func save(_ statements: [String]) -> String {
    (["CoreData: sql: BEGIN EXCLUSIVE"] + statements.map { "CoreData: sql: \($0)" }
      + ["CoreData: sql: COMMIT"]).joined(separator: "\n")
  }

  static func insert(_ table: String) -> String {
    "INSERT INTO \(table)(Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES(?, ?, ?, ?)"
  }
}

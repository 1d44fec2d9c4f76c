import Basics
import Foundation
import PersistentStore
import SQLite

/// What the work must have made of the rows of one table, stated beside the starting store.
public struct ExpectedRows: Sendable {
  private enum Rule {
    case changed([String: String], where: String)
    case deleted(where: String)
    case unchecked
  }

  private let rule: Rule

  /// Columns with other values in the rows of a condition: SQL expressions over the starting row.
  ///
  /// ```swift
  /// .changing(["ZISFLAGGED": "1", "Z_OPT": "Z_OPT + 1"], where: "Z_PK <= 100")
  /// ```
  public static func changing(
    _ columns: [String: String],
    where condition: String = "true"
  ) -> ExpectedRows {
    ExpectedRows(rule: .changed(columns, where: condition))
  }

  /// No row of a condition, an SQL expression over the starting row; the others as they were.
  public static func deleting(where condition: String) -> ExpectedRows {
    ExpectedRows(rule: .deleted(where: condition))
  }

  /// Any rows: the kind checks the table itself, as after an insertion.
  public static var checkedElsewhere: ExpectedRows { ExpectedRows(rule: .unchecked) }

  /// The statement over the starting store that gives the expected rows; `nil` for any rows.
  func statement(_ table: StoreTable) -> String? {
    switch rule {
    case .unchecked: nil
    case .deleted(let condition): table.statement(where: "NOT coalesce(\(condition), false)")
    case .changed(let columns, let condition):
      table.statement { name in
        let quoted = name.quotedName
        return columns[name].map { "CASE WHEN \(condition) THEN \($0) ELSE \(quoted) END" }
          ?? quoted
      }
    }
  }

  /// The columns that are named and that the table does not have.
  func unknownColumns(in table: StoreTable) -> [String] {
    guard case .changed(let columns, _) = rule else { return [] }
    return columns.keys.filter { !table.columns.contains($0) }.sorted()
  }
}

extension Trial {
  /// Compares the store with the starting store row by row: each table as it was, but for those
  /// that are named, and each file of external storage as it was.
  ///
  /// It reads both stores as streams, so that memory does not grow with them.
  ///
  /// ```swift
  /// try trial.verification(expecting: [
  ///   "ZTASK": .changing(["ZISFLAGGED": "1"], where: "Z_PK <= 100")
  /// ])
  /// ```
  ///
  /// - Returns: The SHA-256 of all rows, the same for the same content.
  /// - Throws: ``VerificationFailure`` with the first differences, and errors of SQLite.
  public func verification(expecting rows: [String: ExpectedRows] = [:]) throws -> Verification {
    let now = try Connection(path: store.path, mode: .readOnly, settings: nil)
    let before = try Connection(path: start.path, mode: .readOnly, settings: nil)
    let tables = try StoreTable.all(of: before)
    var findings: [String] = []
    let added = try StoreTable.all(of: now).map(\.name).filter { name in
      !tables.contains { $0.name == name }
    }
    let unknown = rows.keys.filter { name in !tables.contains { $0.name == name } } + added
    findings += unknown.sorted().map { "the starting store has no table '\($0)'" }
    var digest = SHA256()
    for table in tables {
      let expected = rows[table.name] ?? .changing([:])
      let missing = expected.unknownColumns(in: table)
      findings += missing.map { "'\(table.name)' has no column '\($0)'" }
      guard missing.isEmpty else { continue }
      digest.update(data: Array("\(table.name)\n".utf8))
      let comparison = try RowComparison(
        table: table,
        found: now.prepare(table.statement()),
        expected: expected.statement(table).map { try before.prepare($0) }
      )
      findings += try comparison.findings(atMost: 5 - findings.count, digest: &digest)
      if findings.count >= 5 { break }
    }
    if findings.isEmpty { findings = try changedFiles() }
    guard findings.isEmpty else { throw VerificationFailure(findings) }
    return Verification(digest: digest.finalize().hexadecimal)
  }

  /// Files of external storage that are not as they were.
  private func changedFiles() throws -> [String] {
    func files(_ store: StoreFile) -> [String] {
      let names = FileManager.default.subpaths(atPath: store.supportFolder) ?? []
      return names.sorted()
    }
    let (now, before) = (files(store), files(start))
    guard now == before else { return ["external storage has different files than before"] }
    return now.filter { name in
      let paths = [store, start].map { $0.supportFolder + "/" + name }
      return !FileManager.default.contentsEqual(atPath: paths[0], andPath: paths[1])
    }.prefix(5).map { "the external file '\($0)' has different bytes than before" }
  }
}

/// A table whose rows are read in the order of their keys.
struct StoreTable {
  let name: String
  let columns: [String]
  private let order: String

  /// The tables that hold data, in the order of their names.
  static func all(of connection: Connection) throws -> [StoreTable] {
    let list = try connection.prepare(
      "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' "
        + "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
    )
    var tables: [StoreTable] = []
    while try list.step() {
      let name = list.text(at: 0)
      let info = try connection.prepare("SELECT name FROM pragma_table_info(?1) ORDER BY cid")
      info.bind(name, at: 1)
      var columns: [String] = []
      while try info.step() { columns.append(info.text(at: 0)) }
      let numbers = columns.indices.map { "\($0 + 1)" }.joined(separator: ", ")
      let hasRowID = list.integer(at: 1) == 0
      tables.append(StoreTable(name: name, columns: columns, order: hasRowID ? "rowid" : numbers))
    }
    return tables
  }

  /// Reads the rows of a condition, each column by an expression.
  func statement(
    where condition: String = "true",
    column: (String) -> String = { $0.quotedName }
  ) -> String {
    let list = columns.map(column).joined(separator: ", ")
    return "SELECT \(list) FROM \(name.quotedName) WHERE \(condition) ORDER BY \(order)"
  }
}

/// Reads the rows that are there beside those that must be.
private struct RowComparison {
  let table: StoreTable
  let found: Statement
  /// `nil` where any rows are right.
  let expected: Statement?

  /// The first differences; every row that is there is added to the digest.
  func findings(atMost limit: Int, digest: inout SHA256) throws -> [String] {
    var findings: [String] = []
    var bytes: [UInt8] = []
    while true {
      let (isFound, isExpected) = (try found.step(), try expected?.step())
      guard isFound || isExpected == true else { return findings }
      if isFound {
        bytes.removeAll(keepingCapacity: true)
        for column in table.columns.indices { append(found.cell(at: column), to: &bytes) }
        digest.update(data: bytes)
      }
      guard let isExpected else { continue }
      if isFound != isExpected {
        findings.append("'\(table.name)' has \(isFound ? "more" : "fewer") rows than expected")
        return findings
      }
      if let expected, let difference = difference(from: expected) { findings.append(difference) }
      if findings.count >= limit { return findings }
    }
  }

  private func difference(from expected: Statement) -> String? {
    for (place, column) in table.columns.enumerated() {
      var (here, there): ([UInt8], [UInt8]) = ([], [])
      append(found.cell(at: place), to: &here)
      append(expected.cell(at: place), to: &there)
      guard here != there else { continue }
      let key = table.columns.first.map { "\($0) = \(found.text(at: 0))" } ?? ""
      let (value, wanted) = (found.text(at: place), expected.text(at: place))
      return "'\(table.name)', \(key): \(column) is '\(value.prefix(60))', "
        + "expected '\(wanted.prefix(60))'"
    }
    return nil
  }

  /// A value with its type, so that no two values have the same bytes.
  private func append(_ cell: Cell, to bytes: inout [UInt8]) {
    let type = cell.typeCode
    bytes.append(UInt8(truncatingIfNeeded: type))
    switch Statement.StorageClass(rawValue: type) {
    case .integer:
      withUnsafeBytes(of: cell.integer.littleEndian) { bytes.append(contentsOf: $0) }
    case .real:
      withUnsafeBytes(of: cell.real.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    case .text, .blob:
      let value = cell.bytes
      withUnsafeBytes(of: UInt64(value.count).littleEndian) { bytes.append(contentsOf: $0) }
      bytes.append(contentsOf: value)
    case .null, nil: break
    }
  }
}

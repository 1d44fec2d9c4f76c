import Basics
import Foundation

/// A CSV file that grows by whole lines only.
///
/// A killed bench loses no finished record, and the next run continues with it.
struct Ledger<Record: LedgerRecord> {
  let path: String

  private var header: String { Record.columns.map(\.name).joined(separator: ",") }

  /// Reads all records; returns an empty array if the file does not exist yet.
  ///
  /// - Throws: ``TruthError/otherLedger(path:)`` or ``TruthError/brokenLedger(path:line:)``.
  func records() throws -> [Record] {
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    let text = try String(contentsOfFile: path, encoding: .utf8)
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    // The text after the last newline is empty or an incomplete line.
    lines.removeLast()
    guard let first = lines.first else { return [] }
    guard first == header else { throw TruthError.otherLedger(path: path) }
    return try lines.enumerated().dropFirst().map { index, line in
      guard let record = Record(fields: CSVRows.fields(of: line)) else {
        throw TruthError.brokenLedger(path: path, line: index + 1)
      }
      return record
    }
  }

  func seconds() throws -> Double { try records().reduce(0) { $0 + $1.seconds } }

  func create() throws { try write(nil) }

  /// Adds a record in one write and syncs the file; an incomplete last line is removed first.
  func append(_ record: Record) throws { try write(record) }

  private func write(_ record: Record?) throws {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw TruthError.cannotWrite(path: path) }
    defer { close(descriptor) }
    // Two benches can add records at the same time; closing the descriptor releases the lock.
    guard flock(descriptor, LOCK_EX) == 0 else { throw TruthError.cannotWrite(path: path) }
    let whole = try Self.wholeLines(path)
    let fields = record?.fields.map { $0.contains(",") ? "\"\($0)\"" : $0 }
    let line = fields.map { $0.joined(separator: ",") + "\n" } ?? ""
    let bytes = Array(((whole == 0 ? header + "\n" : "") + line).utf8)
    guard ftruncate(descriptor, off_t(whole)) == 0,
      bytes.withUnsafeBytes({ System.writeAll(descriptor, $0) }), fsync(descriptor) == 0
    else { throw TruthError.cannotWrite(path: path) }
  }

  /// Returns the number of bytes up to and including the last newline.
  private static func wholeLines(_ path: String) throws -> Int {
    guard FileManager.default.fileExists(atPath: path) else { return 0 }
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    return data.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
  }
}

protocol LedgerRecord: Equatable {
  static var columns: [LedgerColumn<Self>] { get }
  /// The duration of the recorded measurement, in seconds.
  var seconds: Double { get }

  init()
}

extension LedgerRecord {
  /// The record's fields, one per column; no field has quotation marks or newlines.
  var fields: [String] { Self.columns.map { $0.field(self) } }

  init?(fields: [String]) {
    self.init()
    let columns = Self.columns
    guard fields.count == columns.count else { return nil }
    for (column, field) in zip(columns, fields) {
      guard column.read(&self, field) else { return nil }
    }
  }

  /// Returns the ID of a case as a field, with semicolons instead of commas.
  static func field(_ id: String) -> String {
    id.split(separator: ",", omittingEmptySubsequences: false).joined(separator: ";")
  }
}

struct LedgerColumn<Record> {
  let name: String
  let field: (Record) -> String
  let read: (inout Record, String) -> Bool

  static func value<Value: LosslessStringConvertible>(
    _ name: String,
    _ path: WritableKeyPath<Record, Value>,
    text: @escaping (Value) -> String = { $0.description }
  ) -> LedgerColumn {
    LedgerColumn(name: name) {
      text($0[keyPath: path])
    } read: { record, field in
      guard let value = Value(field) else { return false }
      record[keyPath: path] = value
      return true
    }
  }

  static func number(
    _ name: String,
    _ path: WritableKeyPath<Record, Double>,
    decimals: Int
  ) -> LedgerColumn {
    value(name, path) { Figures.plain($0, decimals: decimals) }
  }

  static func flag(
    _ name: String,
    _ path: WritableKeyPath<Record, Bool>,
    yes: String = "yes",
    no: String = "no"
  ) -> LedgerColumn {
    LedgerColumn(name: name) {
      $0[keyPath: path] ? yes : no
    } read: { record, field in
      record[keyPath: path] = field == yes
      return [yes, no].contains(field)
    }
  }
}

struct TruthLedgers {
  let product: Ledger<ProductRecord>
  let nulls: Ledger<NullRecord>
  let power: Ledger<PowerRecord>
  let counters: Ledger<CounterRecord>
  let traces: Ledger<TraceRecord>

  init(folder: String) {
    product = Ledger(path: folder + "/product.csv")
    nulls = Ledger(path: folder + "/nulls.csv")
    power = Ledger(path: folder + "/power.csv")
    counters = Ledger(path: folder + "/counters.csv")
    traces = Ledger(path: folder + "/traces.csv")
  }

  /// Returns, for each revision in the ledgers, how many lines of measured code have changed since.
  ///
  /// Files that only moved do not count as changes. If a change affects the measurement, close the
  /// ledger and start a new one in another folder.
  func changesSince() throws -> [String] {
    let rows =
      try product.records().map(\.circumstances) + nulls.records().map(\.circumstances)
      + power.records().map(\.circumstances)
    return Set(rows.map(\.revision)).sorted().map { revision in
      let commit = String(revision.prefix { $0 != "+" })
      let measured = ["Sources", "Evidence/Workloads/truth", "Workloads/truth"]
      let git = Process()
      let output = Pipe()
      git.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      git.arguments = ["git", "diff", "-M", "--shortstat", commit, "--"] + measured
      (git.standardOutput, git.standardError) = (output, FileHandle.nullDevice)
      guard (try? git.run()) != nil else { return "rows of \(revision)" }
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      git.waitUntilExit()
      let change = text.trimmingCharacters(in: .whitespacesAndNewlines)
      guard git.terminationStatus == 0 else { return "rows of \(revision), not in this repository" }
      return "rows of \(revision); since then: \(change.isEmpty ? "no change" : change)"
    }
  }
}

enum TruthError: Error, Equatable, CustomStringConvertible {
  case otherLedger(path: String)
  case brokenLedger(path: String, line: Int)
  case cannotWrite(path: String)
  case failed(id: String, cause: String)
  case noProgram(path: String)
  case unusableTime(String)

  var description: String {
    switch self {
    case .otherLedger(let path):
      "'\(path)' has different columns than this build writes: name another folder with '--results'"
    case .brokenLedger(let path, let line): "line \(line) of '\(path)' is not a record: remove it"
    case .cannotWrite(let path): "cannot write to '\(path)'"
    case .failed(let id, let cause): "'\(id)' failed, so its times cannot be compared: \(cause)"
    case .noProgram(let path): "there is no program at '\(path)': build storebench first"
    case .unusableTime(let text): "'\(text)' is not a time above 0"
    }
  }
}

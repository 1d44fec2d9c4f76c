import Basics
import Foundation

/// A CSV file that only grows, a whole line at a time: a bench that is killed loses nothing of what
/// it has finished, and the next one goes on from there.
struct Ledger<Record: LedgerRecord> {
  let path: String

  private var header: String { Record.columns.map(\.name).joined(separator: ",") }

  /// The records so far; none where there is no file yet.
  ///
  /// - Throws: ``TruthError/otherLedger(path:)`` and ``TruthError/brokenLedger(path:line:)``
  func records() throws -> [Record] {
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    let text = try String(contentsOfFile: path, encoding: .utf8)
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    // Behind the last end of line is nothing, or a line that was cut short.
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

  /// Seconds that all records so far took.
  func seconds() throws -> Double { try records().reduce(0) { $0 + $1.seconds } }

  /// Makes the file without any record, unless it is there.
  func create() throws { try write(nil) }

  /// Adds a record in one write, synced; a line cut short before it goes.
  func append(_ record: Record) throws { try write(record) }

  private func write(_ record: Record?) throws {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw TruthError.cannotWrite(path: path) }
    defer { close(descriptor) }
    // Two benches may add to it at a time; the lock goes with the descriptor.
    guard flock(descriptor, LOCK_EX) == 0 else { throw TruthError.cannotWrite(path: path) }
    let whole = try Self.wholeLines(path)
    let fields = record?.fields.map { $0.contains(",") ? "\"\($0)\"" : $0 }
    let line = fields.map { $0.joined(separator: ",") + "\n" } ?? ""
    let bytes = Array(((whole == 0 ? header + "\n" : "") + line).utf8)
    guard ftruncate(descriptor, off_t(whole)) == 0,
      bytes.withUnsafeBytes({ System.writeAll(descriptor, $0) }), fsync(descriptor) == 0
    else { throw TruthError.cannotWrite(path: path) }
  }

  /// The bytes up to the last end of line.
  private static func wholeLines(_ path: String) throws -> Int {
    guard FileManager.default.fileExists(atPath: path) else { return 0 }
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    return data.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
  }
}

/// One line of a ledger.
protocol LedgerRecord: Equatable {
  static var columns: [LedgerColumn<Self>] { get }
  /// What taking it took.
  var seconds: Double { get }

  /// A record to read fields into.
  init()
}

extension LedgerRecord {
  /// As many as there are columns; none holds a quotation mark or the end of a line.
  var fields: [String] { Self.columns.map { $0.field(self) } }

  /// Reads what ``fields`` gave; `nil` for anything else.
  init?(fields: [String]) {
    self.init()
    let columns = Self.columns
    guard fields.count == columns.count else { return nil }
    for (column, field) in zip(columns, fields) {
      guard column.read(&self, field) else { return nil }
    }
  }

  /// A case's ID as a field, its commas replaced.
  static func field(_ id: String) -> String {
    id.split(separator: ",", omittingEmptySubsequences: false).joined(separator: ";")
  }
}

/// A column of a ledger: its name, and how its fields are written and read.
struct LedgerColumn<Record> {
  let name: String
  let field: (Record) -> String
  /// Whether the field was one of the column's.
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

/// Where outcomes are kept.
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

  /// For each revision of the kept rows, how much has changed since in what is measured.
  ///
  /// Moved code counts as unchanged. Whether a change is one of the measurement is for people to
  /// decide: then the ledger is closed, and a new one begins in another folder.
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

/// What can go wrong with the bench of the comparison itself.
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

import Basics
import Foundation

/// A CSV file that only grows, a whole line at a time: a bench that is killed loses nothing of what
/// it has finished, and the next one goes on from there.
struct Ledger<Record: LedgerRecord> {
  let path: String

  private var header: String { Record.columns.joined(separator: ",") }

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
      let fields = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      guard fields.count == Record.columns.count, let record = Record(fields: fields) else {
        throw TruthError.brokenLedger(path: path, line: index + 1)
      }
      return record
    }
  }

  /// Seconds that all records so far took.
  func seconds() throws -> Double { try records().reduce(0) { $0 + $1.seconds } }

  /// Adds a record in one write, synced; a line cut short before it goes.
  func append(_ record: Record) throws {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let whole = try Self.wholeLines(path)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw TruthError.cannotWrite(path: path) }
    defer { close(descriptor) }
    let line = record.fields.joined(separator: ",") + "\n"
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
  static var columns: [String] { get }
  /// What taking it took.
  var seconds: Double { get }
  /// As many as there are columns; none holds a comma or the end of a line.
  var fields: [String] { get }
  /// Reads what ``fields`` gave; `nil` for anything else.
  init?(fields: [String])
}

extension LedgerRecord {
  /// A case's ID as a field, its commas replaced.
  static func field(_ id: String) -> String {
    id.split(separator: ",", omittingEmptySubsequences: false).joined(separator: ";")
  }
}

/// Where outcomes are kept.
struct TruthLedgers {
  let suites: Ledger<SuiteRecord>
  let tries: Ledger<TryRecord>
  let counters: Ledger<CounterRecord>
  let traces: Ledger<TraceRecord>

  init(folder: String) {
    suites = Ledger(path: folder + "/suites.csv")
    tries = Ledger(path: folder + "/tries.csv")
    counters = Ledger(path: folder + "/counters.csv")
    traces = Ledger(path: folder + "/traces.csv")
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
      "'\(path)' has other columns than this build writes: give '--results' another folder"
    case .brokenLedger(let path, let line): "line \(line) of '\(path)' is no record: remove it"
    case .cannotWrite(let path): "cannot write to '\(path)'"
    case .failed(let id, let cause): "'\(id)' failed, so nothing can be said of times: \(cause)"
    case .noProgram(let path): "there is no program at '\(path)': build storebench first"
    case .unusableTime(let text): "'\(text)' is no time: give more than 0"
    }
  }
}

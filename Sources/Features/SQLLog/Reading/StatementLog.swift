import Basics
import Foundation

/// The files of SQLite's own statement log.
///
/// `sqllog_N.sql` contains the statements of one connection, `sqllog.idx` lists the databases, and
/// `sqllog_N.db` is a copy of a database in its initial state.
package enum StatementLog {
  /// Returns the logs of all connections if the path is a folder written by SQLITE_SQLLOG_DIR;
  /// otherwise returns the path itself.
  package static func logs(at path: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    let logs = names.filter { $0.hasPrefix("sqllog_") && $0.hasSuffix(".sql") }.sorted()
    guard !logs.isEmpty else { return [path] }
    return logs.map { (path.hasSuffix("/") ? path : path + "/") + $0 }
  }

  /// Returns the path of the copy of a log's database in its initial state; `nil` if the copy is
  /// not in the log's folder.
  ///
  /// - Throws: a ``Refusal`` if the log cannot be read.
  package static func startDatabase(of path: String) throws -> String? {
    var main: String?
    try LineReader(path: path).forFirstLines { line in
      if line.has("-- Main database is '"), let quote = line.lastPlace(of: "'"), quote > 21 {
        main = line.part(21..<quote).text.replacing("''", with: "'")
      }
      return false
    }
    guard let main else { return nil }
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    let name = URL(fileURLWithPath: main).lastPathComponent
    let beside = folder.appendingPathComponent(name).path
    return FileManager.default.fileExists(atPath: beside) ? beside : nil
  }
}

extension LogParser {
  /// Reads the statements of one connection; each statement ends with `; -- clock=N`.
  func readStatementLog(_ path: String) throws {
    var rest: [UInt8] = []
    var first = 0
    let head = LineHead(statementLog: ())
    try LineReader(path: path).forEachLine { line, ending in
      countLine(line.count, isCut: ending == .cut)
      if rest.isEmpty {
        first = report.lines
        // Most statements are on one line: read them without copying.
        if let end = Self.endOfStatement(line) {
          noteSequence(line, from: end)
          return read(line.part(0..<end), head, line: first, clock: -1)
        }
        if line.has("--") || line.allSatisfy({ $0 == 32 }) { return countComment(line) }
      }
      guard rest.count + line.count < LineReader.longestLine else {
        countUnfinished(first)
        rest = []
        return
      }
      rest.append(contentsOf: line)
      rest.append(10)
      guard let end = Self.endOfStatement(line) else { return }
      noteSequence(line, from: end)
      let count = rest.count - 1 - line.count + end
      rest.withUnsafeBytes { read($0.part(0..<count), head, line: first, clock: -1) }
      rest = []
    }
    guard !rest.isEmpty else { return }
    countUnfinished(first, isLast: true)
    rest.withUnsafeBytes { read($0, head, line: first, clock: -1) }
  }

  /// Records the number after `clock=`, which orders the statements of all connections of a
  /// process.
  private func noteSequence(_ line: UnsafeRawBufferPointer, from end: Int) {
    note(sequence: line.number(at: end + 11)?.value ?? -1)
  }

  /// Returns the index at which the statement ends; `nil` if it does not end in this line.
  private static func endOfStatement(_ line: UnsafeRawBufferPointer) -> Int? {
    guard let mark = line.lastPlace(of: "; -- clock=") else {
      // In logs written by other tools, statements end with a semicolon.
      return line.last == 59 ? line.count - 1 : nil
    }
    return line.number(at: mark + 11)?.end == line.count ? mark : nil
  }
}

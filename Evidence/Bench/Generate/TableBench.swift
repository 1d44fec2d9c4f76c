import ArgumentParser
import Basics
import Foundation
import Generators
import Runner
import SQLite

/// Writes the table of a published loader benchmark: `make -C Evidence table`.
///
/// The table has four columns and no index. Its contents follow
/// https://github.com/avinassh/fast-sqlite3-inserts: a key, a six-digit area in every second row,
/// an age with one of three values, and a flag. The original loaders draw age and flag once per
/// fifty rows; this bench draws them for each row.
struct TableBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "table",
    abstract: """
      Measure the rows per second of one table with four columns, next to published figures.
      """,
    discussion: """
      SQLite then opens the file: the number of rows, their sum and their strings must be right. From \
      a tenth of the rows, the time of all rows and that of a billion rows on 64 cores are computed.

      EXAMPLE: bench table --rows 1000000
      """
  )

  @Option(help: "Rows of the table.")
  var rows = 100_000_000

  @Option(help: "Number of files, written alternately with all cores and with one.")
  var rounds = 3

  @Option(help: "Folder for the file, which takes 20 bytes per row.")
  var folder = FileManager.default.temporaryDirectory.path

  /// Published times for 100 million rows of this table, in seconds.
  private static let published = [
    ("fast-sqlite3-inserts, Rust, threads", 23.07, "MacBook Pro 2019, i5 2.4 GHz"),
    ("fast-sqlite3-inserts, PyPy", 126.0, "the same"),
    ("fast-sqlite3-inserts, CPython", 210.0, "the same"),
  ]

  private static let table = TextTable(
    [.left("", 36), .right("", 8), .right("", 11), .right("", 6), .left("", 30)],
    overflow: .widen
  )

  func validate() throws {
    guard rows >= 10, rounds > 0 else { throw ValidationError("needs 10 rows and a round") }
  }

  func run() throws {
    let folder = try BenchFolder(in: folder)
    let cores = ProcessInfo.processInfo.activeProcessorCount
    let (part, _) = try measure(rows / 10, cores, folder)
    let (seconds, bytes) = try measure(rows, cores, folder)
    let environment = EnvironmentProbe.read(
      workFolder: folder.path,
      codeFolder: ".",
      startedAt: ""
    )
    print("\(rows.grouped) rows of id, area, age, active; no index; \(bytes >> 20) MB")
    print(Self.table.line(["", "s", "rows/s", "MB/s", ""]))
    for (threads, times) in seconds.sorted(by: { $0.key > $1.key }) {
      let name = "StoreBench, \(threads) thread\(threads == 1 ? "" : "s")"
      printLine(name, times.median, bytes, environment.machine)
    }
    if rows == 100_000_000 {
      for (name, seconds, machine) in Self.published { printLine(name, seconds, nil, machine) }
    }
    guard cores > 1, let one = part[1], let all = part[cores], let measured = seconds[cores],
      let scaling = ThreadScaling(rows: rows / 10, one: one.median, all: all.median, cores: cores)
    else { return }
    print("\nComputed from \((rows / 10).grouped) rows, which take \(scaling)")
    print(scaling.line(rows: rows, cores: cores, measured: measured.median))
    print(scaling.line(rows: 1_000_000_000, cores: 64, measured: nil))
    print("64 cores are assumed to share work as these \(cores) do, with a disk that keeps up.")
  }

  /// Writes files of the table alternately with all cores and with one thread.
  ///
  /// - Returns: The times in seconds, keyed by the number of threads, and the file size in bytes.
  private func measure(
    _ rows: Int,
    _ cores: Int,
    _ folder: BenchFolder
  ) throws -> (seconds: [Int: [Double]], bytes: Int64) {
    var seconds: [Int: [Double]] = [:]
    var bytes: Int64 = 0
    for _ in 0..<rounds {
      for threads in Set([cores, 1]).sorted(by: >) {
        let path = try folder.file("table.sqlite")
        let time = try Stopwatch.seconds { try write(rows, to: path, threads: threads) }
        seconds[threads, default: []].append(time)
        bytes = try check(path, rows)
      }
    }
    return (seconds, bytes)
  }

  private func printLine(_ name: String, _ seconds: Double, _ bytes: Int64?, _ machine: String) {
    print(
      Self.table.line([
        name, Figures.plain(seconds, decimals: 2), Int(Double(rows) / seconds).grouped,
        bytes.map { String(Int(Double($0) / seconds) >> 20) } ?? "–", machine,
      ])
    )
  }

  private func write(_ rows: Int, to path: String, threads: Int) throws {
    let source = PublishedRows(count: rows)
    let table = TablePlan(
      name: "user",
      sql: PublishedRows.sql,
      columns: [.integer, .text, .integer, .integer],
      rowidColumn: 0,
      source: source
    )
    try BulkWriter(
      plan: DatabasePlan(items: [.table(table)]),
      threads: threads,
      temporaryFolder: folder
    ).write(to: path)
  }

  struct Difference: Error, CustomStringConvertible {
    let description: String
  }

  private func check(_ path: String, _ rows: Int) throws -> Int64 {
    let connection = try Connection(path: path, mode: .readOnly, settings: nil)
    let row = try connection.prepare(
      "SELECT count(*), max(id), sum(age + active), count(area), sum(length(area)) FROM user"
    )
    guard try row.step() else { throw Difference(description: "'\(path)' has no rows") }
    let found = (0..<5).map { Int(row.integer(at: $0)) }
    let expected = PublishedRows(count: rows).sums
    guard found == expected else {
      throw Difference(description: "'\(path)' has \(found), expected \(expected)")
    }
    return Int64((try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0)
  }
}

/// The time of writing rows, divided into serial work and work that threads share (Amdahl's law).
struct ThreadScaling: CustomStringConvertible {
  /// The time of the serial work, in nanoseconds per row.
  let serial: Double
  /// The time that one thread takes for the shared work, in nanoseconds per row.
  let shared: Double

  /// Computes the parts from the seconds that one thread and all cores take for the same rows.
  ///
  /// Returns `nil` if threads save no time, for example because all rows fit in one chunk.
  init?(rows: Int, one: Double, all: Double, cores: Int) {
    let saved = (one - all) / Double(rows) * 1e9
    guard saved > 0 else { return nil }
    shared = min(saved / (1 - 1 / Double(cores)), one / Double(rows) * 1e9)
    serial = one / Double(rows) * 1e9 - shared
  }

  private var own: String { Figures.plain(serial, decimals: 1) }
  private var divided: String { Figures.plain(shared, decimals: 1) }

  var description: String {
    "\(own) ns per row by one thread at a time and \(divided) ns that threads share:"
  }

  func line(rows: Int, cores: Int, measured: Double?) -> String {
    let computed = Double(rows) * (serial + shared / Double(cores)) / 1e9
    let formula = "\(rows.grouped) rows × (\(own) + \(divided) / \(cores)) ns"
    let result = "\(formula) = \(Figures.plain(computed, decimals: 2)) s"
    guard let measured else { return result }
    let error = Figures.plain(100 * (computed / measured - 1), decimals: 1)
    return result + "; measured \(Figures.plain(measured, decimals: 2)) s, an error of \(error) %"
  }
}

/// The rows of the published table, each a pure function of its key.
private struct PublishedRows: RowSource {
  static let sql =
    "CREATE TABLE user (id INTEGER not null primary key, area CHAR(6), "
    + "age INTEGER not null, active INTEGER not null)"
  private static let chunk = 1 << 18

  let count: Int

  var chunkCount: Int { (count + Self.chunk - 1) / Self.chunk }

  func encode(chunk: Int, into rows: inout RowEncoder) throws {
    for index in (chunk * Self.chunk)..<min(count, (chunk + 1) * Self.chunk) {
      let values = Values(of: index)
      rows.append(Int64(index + 1))
      if let area = values.area {
        rows.appendText(capacity: 6) { text in
          var rest = area
          for place in (0..<6).reversed() {
            text[place] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
          }
          return 6
        }
      } else {
        rows.appendNull()
      }
      rows.append(values.age)
      rows.append(values.active)
      try rows.endRow(rowid: Int64(index + 1))
    }
  }

  /// A checksum: the number of rows, the last key, the sum of ages and flags, and the number and
  /// length of areas.
  var sums: [Int] {
    var (numbers, areas) = (0, 0)
    for index in 0..<count {
      let values = Values(of: index)
      numbers += Int(values.age + values.active)
      areas += values.area == nil ? 0 : 1
    }
    return [count, count, numbers, areas, 6 * areas]
  }

  private struct Values {
    let area: UInt32?
    let age: Int64
    let active: Int64

    init(of index: Int) {
      let word = SplitMix64.mix(UInt64(index) &* SplitMix64.increment)
      area = word & 1 == 0 ? nil : UInt32(truncatingIfNeeded: (word >> 32) % 1_000_000)
      age = 5 * (1 + Int64((word >> 2) & 0xFFFF) % 3)
      active = Int64(word >> 1 & 1)
    }
  }
}

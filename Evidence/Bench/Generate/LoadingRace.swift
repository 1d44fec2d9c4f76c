import Foundation
import Generators

/// Races the bulk writer against a plain loader, in turns on the same machine.
struct LoadingRace {
  struct Results {
    let twoThreads: Race.Result
    let oneThread: Race.Result
    let loader: Race.Result
    /// The speedup of two threads that share no data, measured on this machine in each round.
    let ceilings: [Double]
    let peakBytes: Int64
    let cachePages: Int

    var speedups: [Double] { zip(oneThread.seconds, twoThreads.seconds).map { $0 / $1 } }
  }

  let recipe: String
  let rows: MemoryRows
  let bytes: Int64
  let folder: BenchFolder

  func run(rounds: Int, syncs: Bool) throws -> Results {
    let cachePages = try fasterCache(syncs: syncs)
    var peakBytes: Int64 = 0
    var ceilings: [Double] = []
    var turns = 0
    func bulk(threads: Int) throws -> (seconds: Double, objects: Int) {
      let path = try folder.file("bulk.sqlite")
      let report = try GenerateBench.BulkRun.start(recipe, to: path, threads: threads, syncs: syncs)
      peakBytes = max(peakBytes, report.peakBytes)
      return (report.seconds, rows.rowCount)
    }
    // The loader comes first, because all ratios refer to its time.
    let race = Race(
      title: "",
      rounds: rounds,
      warmUps: 0,
      contestants: [
        .init("plain loader") {
          (try loadSeconds(cachePages: cachePages, syncs: syncs), rows.rowCount)
        },
        .init("2 threads") { try bulk(threads: 2) }, .init("1 thread") { try bulk(threads: 1) },
      ]
    )
    let results = try race.results { _, _ in
      turns += 1
      if !syncs, turns.isMultiple(of: 3) { ceilings.append(Ceiling.speedup(threads: 2)) }
    }
    return Results(
      twoThreads: results[1],
      oneThread: results[2],
      loader: results[0],
      ceilings: ceilings,
      peakBytes: peakBytes,
      cachePages: cachePages
    )
  }

  private func loadSeconds(cachePages: Int, syncs: Bool) throws -> Double {
    let path = try folder.file("loaded.sqlite")
    let loader = PlainLoader(rows: rows, cachePages: cachePages, syncs: syncs)
    return try Stopwatch.seconds { try loader.load(into: path) }
  }

  private func fasterCache(syncs: Bool) throws -> Int {
    let timed = try PlainLoader.cacheSizes.map {
      (pages: $0, seconds: try loadSeconds(cachePages: $0, syncs: syncs))
    }
    return timed.min { $0.seconds < $1.seconds }?.pages ?? PlainLoader.cacheSizes[0]
  }

  /// The time of `sqlite3 .import` in seconds; `nil` if `sqlite3` is not installed.
  func importSeconds() throws -> Double? {
    let shell = try ShellImport(rows: rows, folder: folder.path)
    let path = try folder.file("imported.sqlite")
    var works = true
    let time = try Stopwatch.seconds { works = try shell.run(into: path) }
    return works ? time : nil
  }

  /// Measures the speedup of several threads that share no data.
  ///
  /// The work is arithmetic and copying of memory, about half the time each.
  private enum Ceiling {
    private static let copiedBytes = 32 << 20
    private static let rounds = 12
    private static let numbersARound = 4_000_000

    static func speedup(threads: Int) -> Double {
      let one = time(threads: 1)
      return one / time(threads: threads) * Double(threads)
    }

    private static func time(threads: Int) -> Double {
      Stopwatch.seconds {
        DispatchQueue.concurrentPerform(iterations: threads) { _ in work() }
      }
    }

    private static func work() {
      let source = UnsafeMutableRawPointer.allocate(byteCount: copiedBytes, alignment: 4_096)
      let target = UnsafeMutableRawPointer.allocate(byteCount: copiedBytes, alignment: 4_096)
      defer {
        source.deallocate()
        target.deallocate()
      }
      memset(source, 1, copiedBytes)
      var number: UInt64 = 1
      for _ in 0..<rounds {
        for _ in 0..<numbersARound {
          number = (number ^ (number >> 29)) &* 0xBF58_476D_1CE4_E5B9 &+ 1
        }
        source.storeBytes(of: number, as: UInt64.self)
        target.copyMemory(from: source, byteCount: copiedBytes)
      }
    }
  }

  /// Imports the loader's rows with `sqlite3 .import` from CSV files; the loader must not be
  /// slower.
  ///
  /// CSV has no blobs and no NULLs: blobs are written as hexadecimal digits, NULLs as empty fields.
  private struct ShellImport {
    private let folder: String
    private let rows: MemoryRows

    init(rows: MemoryRows, folder: String) throws {
      self.rows = rows
      self.folder = folder
      try rows.withBytes { bytes in
        for table in rows.tables { try Self.write(table, bytes, to: "\(folder)/\(table.name).csv") }
      }
    }

    func run(into path: String) throws -> Bool {
      var commands = PlainLoader.settings + ["PRAGMA synchronous=OFF", "PRAGMA cache_size=65536"]
      commands += ["BEGIN"] + rows.tableStatements
      commands = commands.map { $0 + ";" }
      for table in rows.tables {
        commands.append(".import --csv \"\(folder)/\(table.name).csv\" \(table.name)")
      }
      commands += (rows.indexStatements + ["COMMIT"]).map { $0 + ";" }
      let script = folder + "/import.sql"
      try commands.joined(separator: "\n").write(toFile: script, atomically: false, encoding: .utf8)
      let shell = Process()
      shell.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      shell.arguments = ["sqlite3", "-bail", path, ".read \(script)"]
      shell.standardOutput = FileHandle.nullDevice
      try shell.run()
      shell.waitUntilExit()
      return shell.terminationStatus == 0
    }

    private static func write(
      _ table: MemoryRows.Table,
      _ bytes: UnsafeRawBufferPointer,
      to path: String
    ) throws {
      try Data().write(to: URL(fileURLWithPath: path))
      let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
      defer { try? file.close() }
      var line: [UInt8] = []
      for (place, value) in table.values.enumerated() {
        append(value, bytes, to: &line)
        line.append(place % table.columnCount == table.columnCount - 1 ? 10 : 44)
        guard line.count > 1 << 20 else { continue }
        try file.write(contentsOf: line)
        line.removeAll(keepingCapacity: true)
      }
      try file.write(contentsOf: line)
    }

    private static func append(
      _ value: MemoryRows.Value,
      _ bytes: UnsafeRawBufferPointer,
      to line: inout [UInt8]
    ) {
      let digits = Array("0123456789abcdef".utf8)
      switch value {
      case .null: break
      case .integer(let integer): line += Array("\(integer)".utf8)
      case .real(let real): line += Array("\(real)".utf8)
      case .text(let offset, let count):
        line.append(34)
        for byte in bytes[Int(offset)..<Int(offset + count)] {
          if byte == 34 { line.append(34) }
          line.append(byte)
        }
        line.append(34)
      case .blob(let offset, let count):
        for byte in bytes[Int(offset)..<Int(offset + count)] {
          line.append(digits[Int(byte >> 4)])
          line.append(digits[Int(byte & 15)])
        }
      }
    }
  }
}

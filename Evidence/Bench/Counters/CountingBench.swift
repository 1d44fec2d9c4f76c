import ArgumentParser
import Foundation
import SQLite

/// Measures the overhead of counting reads and writes.
///
/// The same statements run with the counting VFS and with the plain VFS in one process, in
/// alternating slices of some milliseconds. Separate trials would scatter far more than this
/// overhead (statistics.md).
struct CountingBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "counting",
    abstract: "Measure the cost of counting reads and writes.",
    discussion: """
      The same statements run alternately over the counting VFS and over the plain VFS. Each line \
      shows the median ratio of their times with its 95 % interval.

      EXAMPLE: bench counting --blocks 20
      """
  )

  @Option(help: "Number of blocks; each has its own files and connections.")
  var blocks = 10

  @Option(help: "Pairs of time slices in each block.")
  var pairs = 60

  func run() throws {
    let folder = try BenchFolder()
    print(
      "time with the counting VFS, relative to the plain VFS; \(blocks * pairs) pairs of time "
        + "slices\n"
    )
    for work in CountedWork.all {
      var ratios: [Double] = []
      var (seconds, calls): ([Double], Int64) = ([], 0)
      for block in 0..<blocks {
        let race = try CountingRace(work, folder, isPlainFirst: block.isMultiple(of: 2))
        for pair in -3..<pairs {
          let times = try race.pair(isPlainFirst: pair.isMultiple(of: 2))
          guard pair >= 0 else { continue }
          ratios.append(times.counting / times.plain)
          seconds.append(times.plain)
        }
        calls = race.callsInSlice
      }
      print(Self.line(work.name, ratios.sorted(), seconds.median, calls))
    }
  }

  /// Returns a line with the median ratio and its 95 % interval, from the ranks of the binomial
  /// distribution.
  private static func line(
    _ name: String,
    _ ratios: [Double],
    _ seconds: Double,
    _ calls: Int64
  ) -> String {
    let half = Int(0.98 * Double(ratios.count).squareRoot())
    let middle = ratios.count / 2
    let percent = { (ratio: Double) in String(format: "%+.2f %%", (ratio - 1) * 100) }
    let interval = "[\(percent(ratios[middle - half])), \(percent(ratios[middle + half]))]"
    let slice = String(format: "%.1f ms", seconds * 1000)
    return
      "\(name): \(percent(ratios[middle])) \(interval), slices of \(slice), \(calls) calls each"
  }

  /// Two connections, one with each VFS, that take turns with the same work on separate files.
  private final class CountingRace {
    private let work: CountedWork
    private let vfs: CountingVFS
    private let plain: Connection
    private let counting: Connection
    private var slices = 0
    private(set) var callsInSlice: Int64 = 0

    init(_ work: CountedWork, _ folder: BenchFolder, isPlainFirst: Bool) throws {
      self.work = work
      vfs = try CountingVFS(name: "bench-\(UUID().uuidString)")
      let open = { [vfs] (name: String, counts: Bool) in
        let path = try folder.file(name)
        let connection = try Connection(
          path: path,
          mode: .create,
          settings: work.settings,
          vfs: counts ? vfs : nil
        )
        try work.prepare(connection)
        return connection
      }
      // The order in which connections are opened determines where their memory lies.
      if isPlainFirst {
        plain = try open("plain.sqlite", false)
        counting = try open("counting.sqlite", true)
      } else {
        counting = try open("counting.sqlite", true)
        plain = try open("plain.sqlite", false)
      }
    }

    /// Measures one slice with each VFS, in seconds.
    func pair(isPlainFirst: Bool) throws -> (plain: Double, counting: Double) {
      defer { slices += 1 }
      let first = isPlainFirst ? try time(plain) : try timeCounted()
      let second = isPlainFirst ? try timeCounted() : try time(plain)
      return isPlainFirst ? (first, second) : (second, first)
    }

    private func timeCounted() throws -> Double {
      let before = vfs.reading.total
      let seconds = try time(counting)
      let work = vfs.reading.total - before
      callsInSlice = work.reads + work.writes
      return seconds
    }

    private func time(_ connection: Connection) throws -> Double {
      try Stopwatch.seconds { try work.slice(connection, slices) }
    }
  }

  /// Statements that use the VFS heavily, because the page cache is too small for the pages they
  /// need.
  private struct CountedWork: Sendable {
    let name: String
    let settings: ConnectionSettings
    let slice: @Sendable (Connection, Int) throws -> Void

    static let rows: Int64 = 40_000

    static let all = [
      CountedWork(name: "reading scattered rows", settings: ConnectionSettings(cachePages: 10)) {
        connection,
        number in
        let query = try connection.cached("SELECT length(name) FROM item WHERE id = ?1")
        for step in 0..<800 as Range<Int64> {
          // 7919 shares no factor with the number of rows, so the steps visit every row in
          // scattered order.
          query.bind((step + Int64(number) * 800) * 7919 % rows + 1, at: 1)
          try query.run()
        }
      },
      CountedWork(name: "reading all rows", settings: ConnectionSettings(cachePages: 10)) {
        connection,
        _ in
        let query = try connection.cached("SELECT count(*) FROM item WHERE name > 'z'")
        try query.run()
      },
      CountedWork(
        name: "writing in transactions",
        settings: ConnectionSettings(synchronous: .off, cachePages: 200, walAutocheckpoint: 200)
      ) { connection, number in
        try connection.transaction {
          let update = try connection.cached("UPDATE item SET name = ?2 WHERE id = ?1")
          for step in 0..<300 as Range<Int64> {
            update.bind((step + Int64(number) * 300) * 7919 % rows + 1, at: 1)
            update.bind("item \(step) changed in slice \(number) of them all", at: 2)
            try update.run()
          }
        }
      },
    ]

    func prepare(_ connection: Connection) throws {
      try connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT)")
      try connection.transaction {
        let insert = try connection.cached("INSERT INTO item (name) VALUES (?1)")
        for row in 0..<Self.rows {
          insert.bind("item \(row) as it was before there was any slice", at: 1)
          try insert.run()
        }
      }
      try connection.checkpoint()
    }
  }
}

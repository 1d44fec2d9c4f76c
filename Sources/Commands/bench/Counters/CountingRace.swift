import Foundation
import SQLite

/// Two connections that do the same work on files of their own, in turns.
final class CountingRace {
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
    // Where each one's memory lies depends on who came first.
    if isPlainFirst {
      plain = try open("plain.sqlite", false)
      counting = try open("counting.sqlite", true)
    } else {
      counting = try open("counting.sqlite", true)
      plain = try open("plain.sqlite", false)
    }
  }

  /// The seconds of one slice on each side.
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

import Foundation
import Generators

/// The bulk writer and the plain loader in turns, on one machine at one time.
struct LoadingRace {
  /// Seconds of each side, a round each.
  struct Results {
    var twoThreads: [Double] = []
    var oneThread: [Double] = []
    var loader: [Double] = []
    /// What two threads of the machine gave over one, beside each round.
    var ceilings: [Double] = []
    var peakBytes: Int64 = 0
    let cachePages: Int

    /// The loader's time divided by that of two threads, round by round.
    var ratios: [Double] { zip(loader, twoThreads).map { $0 / $1 } }
    var oneThreadRatios: [Double] { zip(loader, oneThread).map { $0 / $1 } }
    /// The time of one thread divided by that of two.
    var speedups: [Double] { zip(oneThread, twoThreads).map { $0 / $1 } }
  }

  let recipe: String
  let rows: MemoryRows
  let bytes: Int64
  let folder: BenchFolder

  func run(rounds: Int, syncs: Bool) throws -> Results {
    var results = Results(cachePages: try fasterCache(syncs: syncs))
    for round in 0..<rounds {
      // Whoever goes first changes from round to round.
      let turns = [bulk(threads: 2), bulk(threads: 1), load]
      for turn in 0..<turns.count {
        try turns[(turn + round) % turns.count](&results, syncs)
      }
      if !syncs { results.ceilings.append(Ceiling.speedup(threads: 2)) }
    }
    return results
  }

  private func bulk(threads: Int) -> (inout Results, Bool) throws -> Void {
    { results, syncs in
      let path = try folder.file("bulk.sqlite")
      let report = try BulkRun.start(recipe, to: path, threads: threads, syncs: syncs)
      if threads == 2 {
        results.twoThreads.append(report.seconds)
      } else {
        results.oneThread.append(report.seconds)
      }
      results.peakBytes = max(results.peakBytes, report.peakBytes)
    }
  }

  private func load(_ results: inout Results, syncs: Bool) throws {
    results.loader.append(try loadSeconds(cachePages: results.cachePages, syncs: syncs))
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

  /// The time of `sqlite3 .import`; `nil` where there is no such program.
  func importSeconds() throws -> Double? {
    let shell = try ShellImport(rows: rows, folder: folder.path)
    let path = try folder.file("imported.sqlite")
    var works = true
    let time = try Stopwatch.seconds { works = try shell.run(into: path) }
    return works ? time : nil
  }
}

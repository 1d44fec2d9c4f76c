import Basics
import Runner

/// Methods of doing the same work, timed in turns in one process.
///
/// Turns of some milliseconds distribute background load equally over all methods (statistics.md),
/// so the ratio of two times is more stable than the times themselves.
struct Race {
  struct Contestant {
    let name: String
    /// Does the work once; returns the seconds it took and the number of objects.
    let measure: () throws -> (seconds: Double, objects: Int)

    init(_ name: String, work: @escaping () throws -> Int) {
      self.init(name) {
        var objects = 0
        return (try Stopwatch.seconds { objects = try work() }, objects)
      }
    }

    /// Creates a contestant whose work measures its own time.
    init(_ name: String, measure: @escaping () throws -> (seconds: Double, objects: Int)) {
      self.name = name
      self.measure = measure
    }
  }

  struct Result {
    let name: String
    var objects = 0
    var seconds: [Double] = []
    /// The first contestant's time divided by this contestant's, for each round.
    var ratios: [Double] = []
  }

  let title: String
  let rounds: Int
  var warmUps = 1
  let contestants: [Contestant]

  /// Runs all rounds and returns the results in the order of the contestants.
  ///
  /// `after` is called with the contestant and the round after each turn.
  func results(after: (_ contestant: Int, _ round: Int) throws -> Void = { _, _ in }) throws
    -> [Result]
  {
    var results = contestants.map { Result(name: $0.name) }
    for round in -warmUps..<rounds {
      for turn in contestants.indices {
        // Each round begins with another contestant.
        let index = (turn + max(0, round)) % contestants.count
        let (seconds, objects) = try contestants[index].measure()
        results[index].objects = objects
        if round >= 0 { results[index].seconds.append(seconds) }
        try after(index, round)
      }
    }
    for index in results.indices {
      results[index].ratios = zip(results[0].seconds, results[index].seconds).map { $0 / $1 }
    }
    return results
  }

  // MARK: Table

  private static let table = TextTable(
    [.left("", 40), .right("", 11), .right("", 8), .right("", 7), .right("", 8)],
    overflow: .widen
  )

  func print() throws {
    print(try results())
  }

  func print(_ results: [Result]) {
    let isRace = results.count > 1
    let heads = isRace ? ["ratio", "spread"] : []
    Swift.print("\n" + Self.table.line([title, "a second", "spread"] + heads))
    for (index, result) in results.enumerated() {
      let cells = [
        "  " + result.name,
        Int((Double(result.objects) / result.seconds.median).rounded()).grouped,
        Figures.percent(result.seconds.spread, decimals: 1),
        isRace ? Figures.plain(result.ratios.median, decimals: 2) : "",
        index > 0 ? Figures.percent(result.ratios.spread, decimals: 1) : "",
      ]
      Swift.print(Self.table.line(cells))
    }
  }

  static func print(title: String, seconds: [Double]) {
    Swift.print("\n" + table.line([title, "seconds", "spread"]))
    let median = Figures.plain(seconds.median, decimals: 3)
    let spread = Figures.percent(seconds.spread, decimals: 1)
    Swift.print(table.line(["  median of \(seconds.count)", median, spread]))
  }
}

enum Stopwatch {
  static func seconds(_ work: () throws -> Void) rethrows -> Double {
    let start = MonotonicClock.now()
    try work()
    return Double(MonotonicClock.now() - start) / 1e9
  }
}

extension [Double] {
  /// The median as in ``trueMedian``; 0 for an empty array.
  var median: Double { isEmpty ? 0 : trueMedian }
  /// The interquartile range as a share of the median.
  var spread: Double {
    let sorted = sorted()
    return (sorted[(count * 3) / 4] - sorted[count / 4]) / median
  }
}

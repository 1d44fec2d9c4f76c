import Basics
import Runner

/// Ways of doing the same work, timed in turns in one process.
///
/// Turns of some milliseconds put whatever else the machine does on all of them alike
/// (statistics.md): their ratio is steadier than any of the times.
struct Race {
  /// One way of doing the work.
  struct Contestant {
    let name: String
    /// Does the work once.
    let measure: () throws -> (seconds: Double, objects: Int)

    /// Work whose whole time counts; it returns the number of objects.
    init(_ name: String, work: @escaping () throws -> Int) {
      self.init(name) {
        var objects = 0
        return (try Stopwatch.seconds { objects = try work() }, objects)
      }
    }

    /// Work that times itself.
    init(_ name: String, measure: @escaping () throws -> (seconds: Double, objects: Int)) {
      self.name = name
      self.measure = measure
    }
  }

  /// The times of one contestant, a round each.
  struct Result {
    let name: String
    var objects = 0
    var seconds: [Double] = []
    /// The first contestant's time divided by this one's, round by round.
    var ratios: [Double] = []
  }

  let title: String
  let rounds: Int
  var warmUps = 1
  let contestants: [Contestant]

  /// The results in the order of the contestants; the first one is what the others are held to.
  ///
  /// `after` is called with the contestant and the round after each turn.
  func results(after: (_ contestant: Int, _ round: Int) throws -> Void = { _, _ in }) throws
    -> [Result]
  {
    var results = contestants.map { Result(name: $0.name) }
    for round in -warmUps..<rounds {
      for turn in contestants.indices {
        // Whoever goes first changes from round to round.
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

  /// Runs the race and prints each contestant's objects per second, compared with the first one's.
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

  /// Prints how long one work took.
  static func print(title: String, seconds: [Double]) {
    Swift.print("\n" + table.line([title, "seconds", "spread"]))
    let median = Figures.plain(seconds.median, decimals: 3)
    let spread = Figures.percent(seconds.spread, decimals: 1)
    Swift.print(table.line(["  median of \(seconds.count)", median, spread]))
  }
}

/// What the benches time with.
enum Stopwatch {
  /// Seconds that some work takes.
  static func seconds(_ work: () throws -> Void) rethrows -> Double {
    let start = MonotonicClock.now()
    try work()
    return Double(MonotonicClock.now() - start) / 1e9
  }
}

extension [Double] {
  /// The middle value, the mean of the two where there are two; 0 of none.
  var median: Double { isEmpty ? 0 : trueMedian }
  /// The distance of the quartiles, as a share of the median.
  var spread: Double {
    let sorted = sorted()
    return (sorted[(count * 3) / 4] - sorted[count / 4]) / median
  }
}

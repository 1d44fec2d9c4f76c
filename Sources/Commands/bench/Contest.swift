import Measurement

/// Ways of doing the same work, timed in turns in one process.
///
/// Turns of some milliseconds put whatever else the machine does on all of them alike
/// (statistics.md): their ratio is steadier than any of the times.
struct Contest {
  /// One way of doing the work.
  struct Contestant {
    let name: String
    /// Does the work once and returns the number of objects.
    let work: () throws -> Int
  }

  /// The times of one contestant, a round each.
  struct Result {
    let name: String
    let objects: Int
    let seconds: [Double]
    /// The first contestant's time divided by this one's, round by round.
    let ratios: [Double]

    /// The first contestant's times are those of the same rounds.
    init(_ name: String, objects: Int, seconds: [Double], first: [Double]) {
      self.name = name
      self.objects = objects
      self.seconds = seconds
      ratios = zip(first, seconds).map { $0 / $1 }
    }
  }

  let title: String
  let rounds: Int
  let contestants: [Contestant]

  /// The results in the order of the contestants; the first one is what the others are held to.
  func results() throws -> [Result] {
    var seconds = Array(repeating: [Double](), count: contestants.count)
    var objects = Array(repeating: 0, count: contestants.count)
    for round in -1..<rounds {
      for turn in contestants.indices {
        // Whoever goes first changes from round to round.
        let index = (turn + max(0, round)) % contestants.count
        let time = try Stopwatch.seconds { objects[index] = try contestants[index].work() }
        if round >= 0 { seconds[index].append(time) }
      }
    }
    return contestants.indices.map { index in
      Result(
        contestants[index].name,
        objects: objects[index],
        seconds: seconds[index],
        first: seconds[0]
      )
    }
  }
}

extension [Double] {
  /// The middle value (nearest rank); 0 of none.
  var median: Double { Summary(of: self)?.p50 ?? 0 }
  /// The distance of the quartiles, as a share of the median.
  var spread: Double {
    let sorted = sorted()
    return (sorted[(count * 3) / 4] - sorted[count / 4]) / median
  }
}

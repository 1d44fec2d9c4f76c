import Foundation

/// A rung that was measured with a smaller page cache.
package struct Probe: Hashable, Sendable {
  package let rung: Rung
  package let cacheDivisor: Int

  /// The rung of the larger store that it imitates, its counters alone.
  package var imitation: Rung { rung.imitated(times: Double(cacheDivisor)) }
}

/// What a ladder has measured of one migration, by rungs.
package struct LadderData: Hashable, Sendable {
  /// The fewest sizes that anything is said from.
  package static let fewestRungs = 5

  /// By size, rising; runs of sizes that differ by less than a percent share one.
  package let rungs: [Rung]
  /// Runs with a smaller page cache.
  package let probes: [Probe]
  /// The relative scatter of single runs of one size, as a standard deviation.
  package let noise: Double
  package let drift: Drift

  /// Sums up observations, given in the order in which they were made.
  package init(_ observations: [Observation]) {
    let sound = observations.filter(\.isSound)
    drift = Drift(anchors: sound.filter(\.isAnchor).map(\.seconds))
    rungs = Self.rungs(of: sound.filter { $0.cacheDivisor == 1 })
    noise = Self.noise(of: rungs)
    let divisors = Set(sound.map(\.cacheDivisor)).subtracting([1]).sorted()
    probes = divisors.flatMap { divisor in
      Self.rungs(of: sound.filter { $0.cacheDivisor == divisor }).map {
        Probe(rung: $0, cacheDivisor: divisor)
      }
    }
  }

  private static func rungs(of observations: [Observation]) -> [Rung] {
    var groups: [[Observation]] = []
    for observation in observations.sorted(by: { $0.size < $1.size }) {
      if let last = groups.last?.first, observation.size <= last.size * 1.01 {
        groups[groups.count - 1].append(observation)
      } else {
        groups.append([observation])
      }
    }
    return groups.compactMap { Rung($0) }
  }

  /// The largest size that was measured.
  package var top: Double { rungs.last?.size ?? 0 }

  /// Pooled over the rungs from logarithms; a rung with one run tells nothing.
  private static func noise(of rungs: [Rung]) -> Double {
    var (squares, freedom) = (0.0, 0.0)
    for rung in rungs where rung.runs.count > 1 {
      let logs = rung.runs.map { log($0) }
      let middle = logs.reduce(0, +) / Double(logs.count)
      squares += logs.reduce(0) { $0 + ($1 - middle) * ($1 - middle) }
      freedom += Double(logs.count - 1)
    }
    return freedom > 0 ? (squares / freedom).squareRoot() : 0
  }
}

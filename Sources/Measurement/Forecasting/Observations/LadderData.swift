import Foundation

/// A rung that was measured with a smaller page cache.
package struct Probe: Hashable, Sendable {
  package let rung: Rung

  /// The rung of the larger store that it imitates, its counters alone.
  package var imitation: Rung { rung.imitated(times: Double(rung.cacheDivisor)) }
}

/// What a ladder has measured of one migration, by rungs.
package struct LadderData: Hashable, Sendable {
  /// The fewest sizes that anything is said from.
  package static let fewestRungs = 5

  /// By size, rising; runs of sizes that differ by less than a percent share one.
  package let rungs: [Rung]
  /// Runs with a smaller page cache.
  package let probes: [Probe]
  /// How runs of one size scatter at an even pace.
  package let scatter: Scatter
  package let drift: Drift
  package let pace: Pace

  /// Sums up observations, given in the order in which they were made.
  ///
  /// Their times are evened to the usual pace among them, or to one that is known already.
  package init(_ observations: [Observation], pace known: Pace? = nil) {
    let sound = observations.filter(\.isSound)
    let pace = known ?? Pace(sound)
    let evened = sound.map { pace.evened($0) }
    let rungs = Self.rungs(of: evened.filter { $0.cacheDivisor == 1 })
    let scatter = Scatter(rungs)
    func weighted(_ rung: Rung) -> Rung {
      var weighted = rung
      weighted.weight = scatter.weight(seconds: rung.seconds)
      return weighted
    }
    self.pace = pace
    self.scatter = scatter
    self.rungs = rungs.map(weighted)
    drift = Drift(anchors: evened.filter(\.isAnchor).map(\.seconds))
    let divisors = Set(sound.map(\.cacheDivisor)).subtracting([1]).sorted()
    probes = divisors.flatMap { divisor in
      Self.rungs(of: evened.filter { $0.cacheDivisor == divisor }).map {
        Probe(rung: weighted($0))
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
}

import Foundation

/// What a ladder has measured of one migration, by rungs.
package struct LadderData: Hashable, Sendable {
  /// The fewest sizes that anything is said from.
  package static let fewestRungs = 5

  /// By size, rising; runs of sizes that differ by less than a percent share one.
  package let rungs: [Rung]
  /// What smaller caches tell of larger stores, by the size that is imitated.
  package let imitations: [Rung]
  /// The relative scatter of single runs of one size, as a standard deviation.
  package let noise: Double
  package let drift: Drift

  /// Sums up observations, given in the order in which they were made.
  package init(_ observations: [Observation]) {
    let sound = observations.filter(\.isSound)
    drift = Drift(anchors: sound.filter(\.isAnchor).map(\.seconds))
    rungs = Self.rungs(of: sound.filter { $0.cacheDivisor == 1 })
    noise = Self.noise(of: rungs)
    let startUp = Self.startUp(of: rungs)
    let divisors = Set(sound.map(\.cacheDivisor)).subtracting([1]).sorted()
    imitations = divisors.flatMap { divisor in
      Self.rungs(of: sound.filter { $0.cacheDivisor == divisor }).map {
        Rung(imitating: $0, times: Double(divisor), startUp: startUp)
      }
    }.sorted { $0.size < $1.size }
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

  /// The seconds that come once, of each phase and of the whole.
  private static func startUp(of rungs: [Rung]) -> [String: Double] {
    let phases = Set(rungs.flatMap(\.phases.keys)).union([Rung.whole])
    let pairs = phases.map { name -> (String, Double) in
      let points = rungs.map { rung in
        let seconds = name == Rung.whole ? rung.seconds : rung.phases[name] ?? 0
        return CurveFit.Point(size: rung.size, value: seconds)
      }
      let curve = CurveFit(tolerance: 0.02).fit(points, [.constant, .objects])?.curve
      return (name, curve?.parts.first { $0.term == .constant }?.cost ?? 0)
    }
    return Dictionary(pairs) { $1 }
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

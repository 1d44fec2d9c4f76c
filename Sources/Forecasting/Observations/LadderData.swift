import Foundation

/// What a ladder has measured of one migration, by rungs.
package struct LadderData: Hashable, Sendable {
  /// The fewest sizes that anything is said from.
  package static let fewestRungs = 5

  /// By size, rising; runs of sizes that differ by less than a percent share one.
  package let rungs: [Rung]
  /// The relative scatter of single runs of one size, as a standard deviation.
  package let noise: Double
  package let drift: Drift

  /// Sums up observations, given in the order in which they were made.
  package init(_ observations: [Observation]) {
    let sound = observations.filter(\.isSound)
    drift = Drift(anchors: sound.filter(\.isAnchor).map(\.seconds))
    var groups: [[Observation]] = []
    for observation in sound.sorted(by: { $0.size < $1.size }) {
      if let last = groups.last?.first, observation.size <= last.size * 1.01 {
        groups[groups.count - 1].append(observation)
      } else {
        groups.append([observation])
      }
    }
    rungs = groups.compactMap { Rung($0) }
    noise = Self.noise(of: rungs)
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

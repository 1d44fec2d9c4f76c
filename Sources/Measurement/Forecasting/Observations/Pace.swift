import Foundation

/// How fast the machine was during each run, by a yardstick taken around it.
///
/// A processor whose core a neighbour shares runs at half its pace for seconds or minutes. Times are
/// evened to the ladder's usual pace before anything is learnt from them: as much as this migration
/// itself slows down with the yardstick, which one that waits for the disk does less.
package struct Pace: Hashable, Sendable {
  /// Seconds of the yardstick in the middle of all runs; `nil` where none was taken.
  package let usual: Double?
  /// By which power of the yardstick's time the migration's changes: 1 where it is all computing.
  package let sensitivity: Double
  /// How the usual pace scatters from run to run, as a deviation of the migration's logarithms.
  package let scatter: Double

  /// What is believed of the sensitivity before any run was seen, as squares of logarithms.
  private static let priorWeight = 0.02

  /// Learns the pace from runs of the same sizes.
  package init(_ observations: [Observation]) {
    let known = observations.filter { $0.yardstick != nil }
    usual = known.compactMap(\.yardstick).median
    guard let usual else {
      (sensitivity, scatter) = (0, 0)
      return
    }
    func paces(_ observations: [Observation]) -> [Double] {
      observations.compactMap { $0.yardstick.map { log($0 / usual) } }
    }
    // Only runs of one size tell what the pace does, and what the size.
    var (product, square) = (Self.priorWeight, Self.priorWeight)
    let groups = Dictionary(grouping: known) { [$0.size, Double($0.cacheDivisor)] }
    for (_, group) in groups.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      let (paces, times) = (paces(group), group.map { log($0.seconds) })
      let (pace, time) = (paces.mean, times.mean)
      for (own, seconds) in zip(paces, times) {
        product += (own - pace) * (seconds - time)
        square += (own - pace) * (own - pace)
      }
    }
    let sensitivity = min(max(product / square, 0), 1.2)
    self.sensitivity = sensitivity
    scatter = paces(known).map { sensitivity * $0 }.variance.squareRoot()
  }

  /// The run as it would have been at the usual pace.
  func evened(_ observation: Observation) -> Observation {
    guard let usual, let yardstick = observation.yardstick else { return observation }
    let factor = pow(usual / yardstick, sensitivity)
    var evened = observation
    evened.seconds *= factor
    evened.phases = observation.phases.mapValues { $0 * factor }
    return evened
  }
}

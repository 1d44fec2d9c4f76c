/// The runs of one size, summed up by their medians.
package struct Rung: Hashable, Sendable {
  /// Objects of all entities together.
  package let size: Double
  package let objects: [String: Int]
  package let seconds: Double
  package let phases: [String: Double]
  package let peakMemory: Double?
  package let peakDisk: Double?
  package let storeBytes: Double
  package let counters: [String: Double]
  /// The times of the single runs.
  package let runs: [Double]

  /// Sums up runs of one size; `nil` where there are none.
  package init?(_ observations: [Observation]) {
    guard let first = observations.first else { return nil }
    func medians(_ values: (Observation) -> [String: Double]) -> [String: Double] {
      let names = Set(observations.flatMap { values($0).keys })
      let pairs = names.map { name in
        (name, observations.map { values($0)[name] ?? 0 }.median ?? 0)
      }
      return Dictionary(pairs) { $1 }
    }
    size = first.size
    objects = first.objects
    runs = observations.map(\.seconds)
    seconds = runs.median ?? 0
    phases = medians(\.phases)
    counters = medians(\.counters)
    peakMemory = observations.compactMap(\.peakMemory).median
    peakDisk = observations.compactMap(\.peakDisk).median
    storeBytes = observations.map(\.storeBytes).median ?? 0
  }

  /// The time that no phase accounts for.
  var otherSeconds: Double { max(0, seconds - phases.values.sorted().reduce(0, +)) }
}

extension [Double] {
  /// The middle value, of an even number the mean of the two; `nil` of none.
  package var median: Double? {
    guard !isEmpty else { return nil }
    let sorted = sorted()
    let middle = count / 2
    return count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }
}

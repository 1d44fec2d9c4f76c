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
  /// By what the page cache was made smaller; 1 as a rule.
  package var cacheDivisor = 1
  /// How much its time counts beside that of a long run.
  package var weight = 1.0
}

extension Rung {
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
    let runs = observations.map(\.seconds)
    self.init(
      size: first.size,
      objects: first.objects,
      seconds: runs.median ?? 0,
      phases: medians(\.phases),
      peakMemory: observations.compactMap(\.peakMemory).median,
      peakDisk: observations.compactMap(\.peakDisk).median,
      storeBytes: observations.map(\.storeBytes).median ?? 0,
      counters: medians(\.counters),
      runs: runs,
      cacheDivisor: first.cacheDivisor
    )
  }
}

extension Rung {
  /// The counters of a store of so many times the size, with a cache as many times larger.
  ///
  /// What each object misses depends on the share of the indexes that the cache holds, which is the
  /// same for both.
  func imitated(times: Double) -> Rung {
    Rung(
      size: size * times,
      objects: objects,
      seconds: seconds,
      phases: phases,
      peakMemory: nil,
      peakDisk: nil,
      storeBytes: storeBytes,
      counters: counters.mapValues { $0 * times },
      runs: runs
    )
  }
}

import Forecasting

/// A counter that is shown with its law: what a migration costs on any machine.
struct CountedCost {
  /// In words: `pages written`.
  let name: String
  let law: CounterLaw

  private static let names = [
    ("sqlite.vmSteps", "SQLite's steps"), ("sqlite.cacheMisses", "pages read"),
    ("sqlite.cacheWrites", "pages written"), ("vfs.writeBytes", "bytes written"),
    ("vfs.syncs", "syncs"),
  ]

  /// The counters of a ladder that a law is known of.
  static func all(of forecast: Forecast) -> [CountedCost] {
    let rungs = forecast.data.rungs
    // Only pages are told by what a smaller cache imitates: the rest depends on the size alone.
    let imitated = (rungs + forecast.data.probes.map(\.imitation)).sorted { $0.size < $1.size }
    return names.compactMap { counter, name in
      CounterLaw(counter, on: counter.hasPrefix("sqlite.cache") ? imitated : rungs).map {
        CountedCost(name: name, law: $0)
      }
    }
  }
}

extension FigureColumn {
  /// How long somebody waited while the work was done: a main loop, a first screen afterwards,
  /// another process.
  ///
  /// The metrics are the kinds' own.
  static let waits: [(metric: String, title: String, meaning: String)] = [
    ("stalls.longest", "stall", "the longest time the main loop stood still"),
    ("firstFetch", "fetched", "time until the first fetch succeeded"),
    ("lag.p50", "lag", "median time until the other process saw a save"),
    ("lag.max", "longest", "the longest such lag"),
  ]
}

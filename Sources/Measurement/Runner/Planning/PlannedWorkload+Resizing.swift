import SQLite

extension PlannedWorkload {
  /// One case of the workload on a store of another size, measured once.
  ///
  /// A divisor makes the connection's page cache smaller.
  package func resized(
    _ planned: Case,
    store: StoreSource,
    cacheDivisor: Int = 1
  ) -> PlannedWorkload {
    var resized = file
    resized.store = store
    resized.recipe = nil
    resized.trials.trials = 1
    resized.trials.iterations = 1
    resized.trials.warmUps = 0
    let pages = file.settings.cachePages / max(cacheDivisor, 1)
    resized.settings.cachePages = max(pages, 10)
    // What is expected and allowed is of the store that the file names.
    resized.budget = [:]
    resized.claim = nil
    resized.expectations = []
    return PlannedWorkload(file: resized, cases: [planned], impossible: [])
  }
}

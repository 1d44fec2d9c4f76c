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
    var trials = file.trials
    trials.trials = 1
    trials.iterations = 1
    trials.warmUps = 0
    var settings = file.settings
    settings.cachePages = max(settings.cachePages / max(cacheDivisor, 1), 10)
    let resized = WorkloadFile(
      path: file.path,
      name: file.name,
      folder: file.folder,
      kind: file.kind,
      store: store,
      isOnGivenStore: file.isOnGivenStore,
      parameters: file.parameters,
      trials: trials,
      settings: settings,
      budget: [:],
      // What a claim expects is of the store that the file names.
      claim: nil,
      expectations: []
    )
    return PlannedWorkload(file: resized, cases: [planned], impossible: [])
  }
}

import Generators

/// What a plan needs: disk by what its kinds say, time by a guess.
package struct PlanEstimate: Hashable, Sendable {
  /// Bytes of stores that must be generated and then stay in the cache.
  package private(set) var newStoreBytes: Int64 = 0
  /// The most bytes that copies and what is made of them take at one time.
  package private(set) var workBytes: Int64 = 0
  /// A guess until the first case has been run.
  package private(set) var seconds = 0.0
  /// The processes that are started for trials.
  package private(set) var trialCount = 0

  package var bytes: Int64 { newStoreBytes + workBytes }

  /// Estimates a plan whose generated stores are kept in a cache folder.
  ///
  /// - Throws: ``GeneratorsError`` and ``DataModelError`` for recipes that cannot be read.
  package init(_ plan: Plan, cacheFolder: String) throws {
    var sizes: [StoreSource: Int64] = [:]
    for workload in plan.workloads {
      let source = workload.file.store
      let known = sizes[source]
      let store =
        try known.map { StoreSize(bytes: $0, isMade: true) }
        ?? StoreSize(of: workload.file, cacheFolder: cacheFolder)
      if known == nil, !store.isMade { newStoreBytes += store.bytes }
      if known == nil, case .file = source { newStoreBytes += store.bytes }
      sizes[source] = store.bytes
      add(workload, store)
    }
  }

  private mutating func add(_ workload: PlannedWorkload, _ store: StoreSize) {
    let policy = workload.file.trials
    var hasSharedCopy = false
    var largest: Int64 = 0
    // Measured with small stores on a two-core machine: a process, a copy, work of the copy's size.
    let secondsPerTrial = 0.05 + Double(store.bytes) / 40e6
    for planned in workload.cases {
      let traits = planned.traits
      hasSharedCopy = hasSharedCopy || traits.onlyReads
      let bytes = traits.diskBytes(from: store.bytes)
      // A reading case works on the shared copy, which is counted once.
      largest = max(largest, traits.onlyReads ? bytes - store.bytes : bytes)
      let runs =
        policy.trials * (policy.cache == .cold && traits.onlyReads ? policy.iterations : 1) + 1
      trialCount += runs
      seconds += Double(runs) * secondsPerTrial
    }
    workBytes = max(workBytes, max(largest, 0) + (hasSharedCopy ? store.bytes : 0))
    if !store.isMade { seconds += Double(store.bytes) / 20e6 }
  }

  /// Refuses a plan that the disk has no room for.
  ///
  /// - Throws: ``RunnerError/notEnoughDisk(folder:needed:free:)``
  package func checkDisk(cacheFolder: String, scratchFolder: String) throws {
    let isOneDisk = FreeDisk.device(of: cacheFolder) == FreeDisk.device(of: scratchFolder)
    let needs =
      isOneDisk
      ? [(scratchFolder, bytes)] : [(cacheFolder, newStoreBytes), (scratchFolder, workBytes)]
    for (folder, needed) in needs {
      guard let free = FreeDisk.bytes(at: folder), free < needed else { continue }
      throw RunnerError.notEnoughDisk(folder: folder, needed: needed, free: free)
    }
  }
}

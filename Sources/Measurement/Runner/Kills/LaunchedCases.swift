import PersistentStore

/// Goes through the cases of a plan whose launches can be killed, each with its starting store.
package struct LaunchedCases {
  let plan: Plan
  let stores: any StoreProvider
  let launcher: any Launcher
  let scratch: ScratchFolder
  let isStopped: @Sendable () -> Bool

  package init(
    plan: Plan,
    stores: any StoreProvider,
    launcher: any Launcher,
    scratch: ScratchFolder,
    isStopped: @escaping @Sendable () -> Bool = { false }
  ) {
    self.plan = plan
    self.stores = stores
    self.launcher = launcher
    self.scratch = scratch
    self.isStopped = isStopped
  }

  /// The cases that can be killed.
  var count: Int { plan.workloads.filter(\.isKillable).reduce(0) { $0 + $1.cases.count } }

  /// Calls the body with the index of each case, and the case or why its store cannot be made.
  ///
  /// - Throws: ``RunnerError/interrupted`` between two cases, what making a store throws, and what
  ///   the body throws.
  func visit(
    _ body: (Int, Result<LaunchedCase, KillFailure>, Case, WorkloadFile) throws -> Void
  ) throws {
    var index = 0
    for workload in plan.workloads where workload.isKillable {
      let original = try stores.store(for: workload.file, in: scratch)
      for planned in workload.cases {
        if isStopped() { throw RunnerError.interrupted }
        let launched = try launched(planned, of: workload.file, from: original)
        try body(index, launched, planned, workload.file)
        index += 1
      }
    }
  }

  private func launched(
    _ planned: Case,
    of file: WorkloadFile,
    from original: PreparedStore
  ) throws -> Result<LaunchedCase, KillFailure> {
    var start = original.store
    if planned.traits.startingStore != nil {
      let made = try StartingStore(scratch: scratch, folderName: "start").make(
        for: planned,
        of: file,
        from: original,
        executor: launcher
      )
      if let obstacle = made.obstacle { return .failure(.undisturbed(obstacle)) }
      start = made.store
    }
    return .success(
      LaunchedCase(
        planned: planned,
        file: file,
        original: original,
        start: start,
        launcher: launcher,
        scratch: scratch
      )
    )
  }
}

extension PlannedWorkload {
  /// Whether launches of its kind can be killed and begun again.
  package var isKillable: Bool { file.kind.isKillable }
}

import PersistentStore

/// Makes the store that a case starts from where it is not the workload's own.
struct StartingStore {
  let scratch: ScratchFolder
  /// The folder of the scratch folder that it is made in, in place of an earlier one.
  let folderName: String

  /// The store, and what kept it from being made.
  func make(
    for planned: Case,
    of file: WorkloadFile,
    from store: PreparedStore,
    executor: any TrialExecutor
  ) throws -> (store: StoreFile, obstacle: String?) {
    let copy = try StoreCopier.copy(store.store, into: try scratch.emptyFolder(folderName))
    let request = TrialRequest(
      task: .makeStartingStore,
      kind: file.kind.kind,
      parameters: planned.allParameters,
      trial: store.trial(
        on: copy,
        start: store.store,
        folder: try scratch.emptyFolder("work"),
        file: file
      )
    )
    let response = try executor.execute(request, within: TrialLimits(time: file.trials.timeLimit))
    if case .failed(let cause) = response.outcome { return (copy, cause) }
    return (copy, nil)
  }
}

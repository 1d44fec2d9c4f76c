import Runner

extension Plan {
  /// Runs all cases without profiled trials, and keeps all stores and work files in `folder`.
  package func result(
    in folder: TemporaryFolder,
    by executor: any TrialExecutor,
    environment: Environment = .example
  ) throws -> ResultDocument {
    let scratch = try ScratchFolder(in: folder.file("runs"))
    defer { scratch.remove() }
    return try Run(
      plan: self,
      environment: environment,
      stores: StoreLibrary(cacheFolder: folder.file("stores")),
      executor: executor,
      scratch: scratch,
      isProfiled: false
    ).perform()
  }
}

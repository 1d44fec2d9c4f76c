import Foundation

/// Makes both sides of a comparison from what the command line says.
package struct SideBuilder {
  package let paths: [String]
  package let kinds: [any Workload.Type]
  package let overrides: Overrides
  package let filter: String?
  /// This program.
  package let executable: String
  /// Where revisions are checked out and built, and libraries get the name the loader looks for.
  package let cacheFolder: String
  /// Told of what takes long, in a few words.
  package let progress: (String) -> Void

  package init(
    paths: [String],
    kinds: [any Workload.Type],
    overrides: Overrides = Overrides(),
    filter: String? = nil,
    executable: String,
    cacheFolder: String,
    progress: @escaping (String) -> Void = { _ in }
  ) {
    self.paths = paths
    self.kinds = kinds
    self.overrides = overrides
    self.filter = filter
    self.executable = executable
    self.cacheFolder = cacheFolder
    self.progress = progress
  }

  /// The workload files as they are, run by this program.
  ///
  /// - Throws: ``RunnerError`` for what cannot be planned.
  package func head() throws -> LiveSide {
    LiveSide(
      plan: try plan(paths, filter: filter),
      worker: LiveWorker(name: "these files", executable: executable)
    )
  }

  /// The side that they are compared with.
  ///
  /// - Throws: ``LiveError``, and ``RunnerError`` for what cannot be planned.
  package func base(_ side: SideText, named text: String) throws -> LiveSide {
    var worker = LiveWorker(name: text, executable: executable)
    switch side {
    case .workloads(let path):
      return LiveSide(plan: try plan([path]), worker: worker)
    case .pragmas(let pragmas):
      return LiveSide(plan: try plan(paths).with(pragmas, side: text), worker: worker)
    case .model(let path):
      return LiveSide(plan: try plan(paths).with(model: path, side: text), worker: worker)
    case .parameter(let parameter):
      return LiveSide(
        plan: try plan(paths, setting: parameter),
        worker: worker,
        ownParameters: [parameter.name]
      )
    case .binary(let path):
      worker.executable = try Self.program(at: path)
      return LiveSide(plan: try plan(paths), worker: worker)
    case .revision(let revision):
      let checkout = try RevisionCheckout(
        of: revision,
        holding: paths,
        cacheFolder: cacheFolder,
        progress: progress
      )
      worker.executable = try checkout.program() ?? executable
      return LiveSide(plan: try plan(checkout.paths), worker: worker)
    case .sqlite(let path):
      let library = try SQLiteLibraryFile(path: path)
      worker.variables = try library.loaderVariables(in: cacheFolder)
      worker.sqliteSourceID = library.sourceID
      return LiveSide(plan: try plan(paths), worker: worker)
    }
  }

  private func plan(
    _ paths: [String],
    setting parameter: Overrides.Parameter? = nil,
    filter: String? = nil
  ) throws -> Plan {
    var overrides = overrides
    if let parameter { overrides.parameters.append(parameter) }
    return try Plan(paths: paths, kinds: kinds, overrides: overrides, filter: filter)
  }

  private static func program(at path: String) throws -> String {
    let full = URL(fileURLWithPath: path).standardizedFileURL.path
    guard FileManager.default.fileExists(atPath: full) else {
      throw RunnerError.noSuchInput(path: path)
    }
    guard FileManager.default.isExecutableFile(atPath: full) else {
      throw LiveError.unusable(path, problem: "is no program that may be run")
    }
    return full
  }
}

extension Plan {
  fileprivate func with(_ pragmas: [SideText.Pragma], side: String) throws -> Plan {
    try changing { file in
      for pragma in pragmas {
        guard let problem = file.settings.set(pragma) else { continue }
        throw LiveError.invalidSide(side, problem: "cannot be: '\(pragma.name)' \(problem)")
      }
    }
  }

  fileprivate func with(model path: String, side: String) throws -> Plan {
    try changing { file in
      guard case .recipe(let name, var reference) = file.store else {
        throw LiveError.invalidSide(
          side,
          problem: "needs a store of a recipe, and '\(file.path)' has one made elsewhere"
        )
      }
      reference.model =
        FileManager.default.fileExists(atPath: path) ? path : file.folder + "/" + path
      file.recipe = try reference.read()
      file.store = .recipe(name: name, reference)
    }
  }

  private func changing(_ change: (inout WorkloadFile) throws -> Void) throws -> Plan {
    Plan(
      workloads: try workloads.map { workload in
        var file = workload.file
        try change(&file)
        return workload.with(file)
      },
      warnings: warnings
    )
  }
}

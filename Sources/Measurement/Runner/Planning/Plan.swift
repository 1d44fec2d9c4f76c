import DataModel

/// What a run does: the cases of each workload file, in order.
package struct Plan: Sendable {
  /// The most cases a plan may have.
  package static let mostCases = 10_000

  /// Those that have cases to run.
  package let workloads: [PlannedWorkload]
  /// What may not be meant so, but can be run.
  package let warnings: [Diagnostic]
  /// What the stores offer nothing for, and what to do about stores that are too small; lines that
  /// begin with blanks are to be typed.
  package let remarks: [String]

  /// A plan of workloads that were planned before; those without cases are left out.
  package init(workloads: [PlannedWorkload], warnings: [Diagnostic] = []) {
    self.workloads = workloads.filter { !$0.cases.isEmpty }
    self.warnings = warnings
    // A larger store that suits the smallest work suits them all.
    let hint = workloads.compactMap(\.hint).max { $0.scale < $1.scale }
    remarks =
      workloads.flatMap(\.leftOut).map { "\($0.file): \($0.message)" } + (hint?.advice ?? [])
  }

  package var caseCount: Int { workloads.reduce(0) { $0 + $1.cases.count } }

  /// Whether any case has several threads or processes at work at once.
  package var hasConcurrentCases: Bool {
    workloads.contains { $0.cases.contains(where: \.traits.isConcurrent) }
  }

  /// Plans workload files; everything wrong with any of them is reported at once.
  ///
  /// - Throws: ``RunnerError``
  package init(
    paths: [String],
    kinds: [any Workload.Type],
    overrides: Overrides = Overrides(),
    filter: String? = nil
  ) throws {
    var problems: [Diagnostic] = []
    var workloads: [PlannedWorkload] = []
    let offers = StoreOffers()
    let recipes = RecipeReader()
    for path in try WorkloadsFolder.files(at: paths) {
      let reader = WorkloadFileReader(
        path: path,
        kinds: kinds,
        overrides: overrides,
        recipes: recipes
      )
      do {
        if let file = try reader.read() {
          if let other = workloads.first(where: { $0.file.name == file.name })?.file.path {
            reader.diagnostics.report("has the same name as '\(other)': '\(file.name)'")
          }
          var fitter = try CaseFitter(file, offers, diagnostics: reader.diagnostics)
          workloads.append(
            try PlannedWorkload(file, fitter: &fitter, diagnostics: reader.diagnostics)
          )
          // What the command line names is wrong once, however many files it is set in.
          for problem in fitter.problems where !problems.contains(problem) {
            problems.append(problem)
          }
        }
      } catch let error as DataModelError {
        problems.append(Diagnostic(file: path, message: error.description))
      }
      problems += reader.diagnostics.all
    }
    guard !problems.contains(where: { $0.severity == .error }) else {
      throw RunnerError.invalid(problems)
    }
    self.init(workloads: try Self.chosen(workloads, by: filter), warnings: problems)
  }

  private static func chosen(
    _ workloads: [PlannedWorkload],
    by filter: String?
  ) throws -> [PlannedWorkload] {
    let count = workloads.reduce(0) { $0 + $1.cases.count }
    guard count <= mostCases else {
      throw RunnerError.tooManyCases(count: count, limit: mostCases)
    }
    var chosen = workloads
    if let filter {
      chosen = workloads.map { $0.filtered(by: Glob(filter)) }
        .filter { !$0.cases.isEmpty || !$0.leftOut.isEmpty }
      guard !chosen.isEmpty else {
        throw RunnerError.noCaseMatches(
          filter: filter,
          example: workloads.lazy.flatMap(\.cases).first?.id ?? ""
        )
      }
    }
    let leftOut = chosen.flatMap(\.leftOut)
    guard leftOut.isEmpty || chosen.contains(where: { !$0.cases.isEmpty }) else {
      throw RunnerError.invalid(leftOut)
    }
    return chosen
  }
}

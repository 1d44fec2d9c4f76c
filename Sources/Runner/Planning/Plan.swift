import DataModel

/// What a run does: the cases of each workload file, in order.
package struct Plan: Sendable {
  /// The most cases a plan may have.
  package static let mostCases = 10_000

  package let workloads: [PlannedWorkload]
  /// What may not be meant so, but can be run.
  package let warnings: [Diagnostic]

  package init(workloads: [PlannedWorkload], warnings: [Diagnostic] = []) {
    self.workloads = workloads
    self.warnings = warnings
  }

  package var caseCount: Int { workloads.reduce(0) { $0 + $1.cases.count } }

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
    for path in try WorkloadsFolder.files(at: paths) {
      let reader = WorkloadFileReader(path: path, kinds: kinds, overrides: overrides)
      do {
        if let file = try reader.read() {
          if let other = workloads.first(where: { $0.file.name == file.name })?.file.path {
            reader.diagnostics.report("has the same name as '\(other)': '\(file.name)'")
          }
          workloads.append(try PlannedWorkload(file, diagnostics: reader.diagnostics))
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
    guard let filter else { return workloads }
    let chosen = workloads.map { $0.filtered(by: Glob(filter)) }.filter { !$0.cases.isEmpty }
    guard chosen.isEmpty else { return chosen }
    throw RunnerError.noCaseMatches(
      filter: filter,
      example: workloads.lazy.flatMap(\.cases).first?.id ?? ""
    )
  }
}

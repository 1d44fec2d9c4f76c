import DataModel

/// The cases of one workload file, in the order of its axes, the last one changing fastest.
package struct PlannedWorkload: Sendable {
  /// A cell that cannot be run.
  package struct Impossible: Hashable, Sendable {
    package let parameters: ParameterValues
    package let reason: String
  }

  package let file: WorkloadFile
  package let cases: [Case]
  /// Cells left out, where other cells have the same values.
  package let impossible: [Impossible]

  init(file: WorkloadFile, cases: [Case], impossible: [Impossible]) {
    self.file = file
    self.cases = cases
    self.impossible = impossible
  }

  /// Crosses the axes of a file, reporting values and expectations that no case is left for.
  ///
  /// - Throws: ``RunnerError/tooManyCases(count:limit:)``
  init(_ file: WorkloadFile, diagnostics: Diagnostics) throws {
    var (cases, impossible): ([Case], [Impossible]) = ([], [])
    var known: Set<String> = []
    var possible: [String: Set<ParameterValue>] = [:]
    for cell in try file.cells() {
      if let reason = file.kind.impossibility(of: file.completed(cell)) {
        impossible.append(Impossible(parameters: ParameterValues(cell), reason: reason))
        continue
      }
      for (name, value) in cell { possible[name, default: []].insert(value) }
      let planned = file.makeCase(of: cell)
      if known.insert(planned.id).inserted { cases.append(planned) }
    }
    self.init(file: file, cases: cases, impossible: impossible)
    reportImpossible(but: possible, to: diagnostics)
    for expectation in file.expectations where !expectation.looksAtAny(of: cases) {
      diagnostics.report("no case of the plan fits what is expected", at: expectation.place)
    }
  }

  private func reportImpossible(
    but possible: [String: Set<ParameterValue>],
    to diagnostics: Diagnostics
  ) {
    guard let first = impossible.first else { return }
    guard !cases.isEmpty else {
      diagnostics.report("no case is possible: \(first.reason)")
      return
    }
    for parameter in file.parameters {
      let name = parameter.axis.name
      for value in parameter.values where possible[name]?.contains(value.value) != true {
        let cell = impossible.first { $0.parameters[name] == value.value } ?? first
        diagnostics.report("'\(name)' cannot be '\(value.value)': \(cell.reason)", at: value.place)
      }
    }
  }

  /// The same cases with another store, other settings or another policy.
  func with(_ file: WorkloadFile) -> PlannedWorkload {
    PlannedWorkload(file: file, cases: cases, impossible: impossible)
  }

  /// The same workload with the cases whose ID fits.
  package func filtered(by glob: Glob) -> PlannedWorkload {
    PlannedWorkload(
      file: file,
      cases: cases.filter { glob.matches($0.id) },
      impossible: impossible
    )
  }
}

extension WorkloadFile {
  /// The product of the file's parameters, the last one changing fastest.
  fileprivate func cells() throws -> [[String: ParameterValue]] {
    // Parameters that do not matter make cells equal, so more of them than cases may be allowed.
    let limit = Plan.mostCases * 10
    var cells: [[String: ParameterValue]] = [[:]]
    for parameter in parameters {
      // No overflow: there are at most `limit` cells, and a file of 1 MB has fewer values.
      let count = cells.count * parameter.values.count
      guard count <= limit else {
        throw RunnerError.tooManyCases(count: count, limit: Plan.mostCases)
      }
      cells = cells.flatMap { cell in
        parameter.values.map { cell.merging([parameter.axis.name: $0.value]) { $1 } }
      }
    }
    return cells
  }

  /// A cell with the defaults of the parameters that the file does not set.
  fileprivate func completed(_ cell: [String: ParameterValue]) -> ParameterValues {
    let defaults = kind.axes.map { ($0.name, $0.defaultValue) }
    return ParameterValues(Dictionary(defaults) { $1 }.merging(cell) { $1 })
  }

  fileprivate func makeCase(of cell: [String: ParameterValue]) -> Case {
    let all = completed(cell)
    let irrelevant = kind.irrelevantParameters(of: all)
    let shown = ParameterValues(cell).without(irrelevant)
    return Case(
      id: shown.values.isEmpty ? name : name + "/" + shown.canonical,
      shownParameters: shown,
      parameters: all.without(irrelevant),
      allParameters: completed(cell.filter { !irrelevant.contains($0.key) })
    )
  }
}

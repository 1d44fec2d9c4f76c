import DataModel

/// The cases of one workload file, in the order of its axes, the last one changing fastest.
package struct PlannedWorkload: Sendable {
  /// A cell that cannot be run.
  package struct Impossible: Hashable, Sendable {
    /// The ID that its case would have.
    package let id: String
    package let parameters: ParameterValues
    package let reason: String
    /// Whether it could be run on another store.
    package let isOfStore: Bool
  }

  package let file: WorkloadFile
  package let cases: [Case]
  /// Cells left out: where other cells have the same values, or the store offers nothing for them.
  package let impossible: [Impossible]
  /// What to do about a store that is too small, for the case that works on the least of it.
  let hint: ScaleHint?

  init(
    file: WorkloadFile,
    cases: [Case],
    impossible: [Impossible],
    hint: ScaleHint? = nil
  ) {
    self.file = file
    self.cases = cases
    self.impossible = impossible
    self.hint = hint
  }

  /// Crosses the axes of a file and fits the cells to its store, reporting values and expectations
  /// that no case is left for.
  ///
  /// - Throws: ``RunnerError/tooManyCases(count:limit:)``
  init(_ file: WorkloadFile, fitter: inout CaseFitter, diagnostics: Diagnostics) throws {
    var (cases, impossible): ([Case], [Impossible]) = ([], [])
    var (written, known): (Set<String>, Set<ParameterValues>) = ([], [])
    var planned: [Case] = []
    var possible: [String: Set<ParameterValue>] = [:]
    var hint: ScaleHint?
    for cell in try file.cells() {
      let asWritten = file.makeCase(of: cell)
      if let reason = file.kind.impossibility(of: file.completed(cell)) {
        impossible.append(Impossible(asWritten, cell, reason, isOfStore: false))
        continue
      }
      for (name, value) in cell { possible[name, default: []].insert(value) }
      // Cells that are equal as they are written are as equal in the store.
      guard written.insert(asWritten.id).inserted else { continue }
      planned.append(asWritten)
      guard let fitted = fitter.fit(cell),
        known.insert(fitted.planned.allParameters).inserted
      else { continue }
      if let obstacle = fitted.obstacle {
        impossible.append(Impossible(fitted.planned, cell, obstacle, isOfStore: true))
        continue
      }
      cases.append(fitted.planned)
      if let found = fitted.hint, found.scale > hint?.scale ?? 0 { hint = found }
    }
    self.init(file: file, cases: cases, impossible: impossible, hint: hint)
    if planned.isEmpty, let first = impossible.first {
      diagnostics.report("no case is possible: \(first.reason)")
    } else {
      reportImpossible(but: possible, to: diagnostics)
    }
    for expectation in file.expectations where !expectation.looksAtAny(of: planned) {
      diagnostics.report("no case of the plan fits what is expected", at: expectation.place)
    }
  }

  private func reportImpossible(
    but possible: [String: Set<ParameterValue>],
    to diagnostics: Diagnostics
  ) {
    let impossible = impossible.filter { !$0.isOfStore }
    guard let first = impossible.first else { return }
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
    PlannedWorkload(file: file, cases: cases, impossible: impossible, hint: hint)
  }

  /// The same workload with the cases whose ID fits.
  package func filtered(by glob: Glob) -> PlannedWorkload {
    PlannedWorkload(
      file: file,
      cases: cases.filter { glob.matches($0.id) },
      impossible: impossible.filter { !$0.isOfStore || glob.matches($0.id) },
      hint: hint
    )
  }
}

extension PlannedWorkload {
  /// Why cells were left out, and how many for each reason.
  package func reasons(ofStore isOfStore: Bool) -> [(reason: String, cells: Int)] {
    var reasons: [(reason: String, cells: Int)] = []
    for cell in impossible where cell.isOfStore == isOfStore {
      if let index = reasons.firstIndex(where: { $0.reason == cell.reason }) {
        reasons[index].cells += 1
      } else {
        reasons.append((cell.reason, 1))
      }
    }
    return reasons
  }

  /// What the store offers nothing for.
  var leftOut: [Diagnostic] {
    reasons(ofStore: true).map { reason, cells in
      Diagnostic(
        file: file.path,
        message: "not possible on this store, \(cells == 1 ? "1 case" : "\(cells) cases") left "
          + "out: \(reason)"
      )
    }
  }
}

extension PlannedWorkload.Impossible {
  fileprivate init(
    _ planned: Case,
    _ cell: [String: ParameterValue],
    _ reason: String,
    isOfStore: Bool
  ) {
    self.init(
      id: planned.id,
      parameters: ParameterValues(cell),
      reason: reason,
      isOfStore: isOfStore
    )
  }
}

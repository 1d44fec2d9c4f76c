import Basics

/// One cell of a plan: a workload file with one value for every parameter.
package struct Case: Hashable, Sendable {
  /// The workload's name and the parameters that the file sets, in name order.
  package let id: String
  /// The parameters of the ID.
  package let shownParameters: ParameterValues
  /// The parameters that matter in the cell, defaults included.
  package let parameters: ParameterValues
  /// Every parameter of the kind, with what it chose by the store; those that do not matter have
  /// their defaults.
  package private(set) var allParameters: ParameterValues
  /// What the kind chose by the store, and names of the file that the store does not have.
  package private(set) var notes: [String]
  /// What the kind says of the case; computed once, while planning.
  package private(set) var traits: CaseTraits

  package init(
    id: String,
    shownParameters: ParameterValues,
    parameters: ParameterValues,
    allParameters: ParameterValues,
    notes: [String] = [],
    traits: CaseTraits = CaseTraits(endState: "")
  ) {
    self.id = id
    self.shownParameters = shownParameters
    self.parameters = parameters
    self.allParameters = allParameters
    self.notes = notes
    self.traits = traits
  }

  /// The case as its kind fitted it to the store.
  func fitted(
    _ values: ParameterValues,
    by kind: any WorkloadKind.Type,
    notes: [String] = [],
    detour: String? = nil
  ) -> Case {
    var fitted = self
    (fitted.allParameters, fitted.notes) = (values, notes)
    fitted.traits = kind.traits(of: values)
    if let detour { fitted.traits.endState += ", " + detour }
    return fitted
  }

  /// The case with other values for some parameters, which its ID does not show.
  func setting(_ values: [String: ParameterValue]) -> Case {
    var changed = self
    changed.allParameters = ParameterValues(allParameters.values.merging(values) { $1 })
    return changed
  }
}

extension WorkloadFile {
  /// The product of the file's parameters, the last one changing fastest.
  func cells() throws -> [[String: ParameterValue]] {
    // Parameters that do not matter make cells equal, so more of them than cases may be allowed.
    let limit = Plan.mostCases * 10
    var cells: [[String: ParameterValue]] = [[:]]
    for parameter in parameters {
      // No overflow: there are at most `limit` cells, and a file of 1 MB has fewer values.
      let count = cells.count * parameter.values.count
      guard count <= limit else {
        throw Refusal.tooManyCases(count: count, limit: Plan.mostCases)
      }
      cells = cells.flatMap { cell in
        parameter.values.map { cell.merging([parameter.axis.name: $0.value]) { $1 } }
      }
    }
    return cells
  }

  /// A cell's case as the file writes it, before it is fitted to the store, and why it cannot be
  /// run.
  func makeCase(of cell: [String: ParameterValue]) -> (planned: Case, impossibility: String?) {
    let all = completed(cell)
    let (irrelevant, impossibility) = kind.judge(all)
    let shown = ParameterValues(cell).without(irrelevant)
    let planned = Case(
      id: shown.values.isEmpty ? name : name + "/" + shown.canonical,
      shownParameters: shown,
      parameters: all.without(irrelevant),
      allParameters: completed(cell.filter { !irrelevant.contains($0.key) })
    )
    return (planned, impossibility)
  }

  /// A cell with the defaults of the parameters that the file does not set.
  private func completed(_ cell: [String: ParameterValue]) -> ParameterValues {
    ParameterValues(defaults.merging(cell) { $1 })
  }
}

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
        throw RunnerError.tooManyCases(count: count, limit: Plan.mostCases)
      }
      cells = cells.flatMap { cell in
        parameter.values.map { cell.merging([parameter.axis.name: $0.value]) { $1 } }
      }
    }
    return cells
  }

  /// A cell with the defaults of the parameters that the file does not set.
  func completed(_ cell: [String: ParameterValue]) -> ParameterValues {
    ParameterValues(defaults.merging(cell) { $1 })
  }

  func makeCase(of cell: [String: ParameterValue]) -> Case {
    let all = completed(cell)
    let irrelevant = kind.irrelevantParameters(of: all)
    let shown = ParameterValues(cell).without(irrelevant)
    let relevant = completed(cell.filter { !irrelevant.contains($0.key) })
    return Case(
      id: shown.values.isEmpty ? name : name + "/" + shown.canonical,
      shownParameters: shown,
      parameters: all.without(irrelevant),
      allParameters: relevant,
      traits: kind.traits(of: relevant)
    )
  }
}

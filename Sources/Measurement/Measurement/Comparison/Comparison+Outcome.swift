extension Comparison {
  /// How many things ended how.
  package struct Tally: Hashable, Sendable {
    package var regressed = 0
    package var improved = 0
    package var withinBudget = 0
    package var unchanged = 0
    /// Costs whose values do not repeat, and those that one side lacks.
    package var undecided = 0
    package var failedCases = 0
    /// Cases that one side lacks, or that ended differently.
    package var undecidedCases = 0
    package var cases = 0

    /// How many costs were to be compared.
    package var costs: Int { regressed + improved + withinBudget + unchanged + undecided }
    /// Whether nothing can be said of something that was to be compared.
    package var isUndecided: Bool { undecided + undecidedCases > 0 }
  }

  /// What was found, counted.
  package var tally: Tally {
    var tally = Tally()
    for workload in workloads {
      let missing = workload.onlyInBaseline.count + workload.onlyInCandidate.count
      tally.cases += workload.cases.count + missing
      tally.undecidedCases += missing
      for result in workload.cases { tally.add(result) }
    }
    return tally
  }

  /// The exit status: 1 a case failed, 2 a cost rose, 3 cannot tell (where asked for), else 0.
  package func exitStatus(requiresVerdict: Bool = false) -> Int32 {
    let tally = tally
    if tally.failedCases > 0 { return 1 }
    if tally.regressed > 0 { return 2 }
    return requiresVerdict && tally.isUndecided ? 3 : 0
  }
}

extension Comparison.Tally {
  fileprivate mutating func add(_ result: CaseComparison) {
    switch result.finding {
    case .failed: failedCases += 1
    case .notCompared: undecidedCases += 1
    case .compared(let metrics):
      undecided += result.uncomparedCosts.count
      for case let verdict? in metrics.map(\.verdict) {
        switch verdict {
        case .regressed: regressed += 1
        case .improved: improved += 1
        case .withinBudget: withinBudget += 1
        case .unchanged: unchanged += 1
        case .cannotTell: undecided += 1
        }
      }
    }
  }
}

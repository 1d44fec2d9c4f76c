import Measurement

/// Holds the cases of a workload against each other: those of one end state have equal digests.
struct EndStates {
  private(set) var runs: [CaseRun] = []

  /// Adds a case's run, in any order.
  mutating func add(_ run: CaseRun) {
    runs.append(run)
  }

  /// The results; where the digests of an end state differ, all its cases have failed, since none
  /// of them is known to be right.
  var results: [CaseResult] {
    runs.map { run in
      guard let other = contradiction(of: run), let digest = run.digest else { return run.result }
      var result = run.result
      result.outcome = .failed(
        "its content is \(digest), but '\(other.result.id)', which must reach the same end state "
          + "'\(run.endState)', has \(other.digest ?? "none")"
      )
      result.samples = []
      return result
    }
  }

  /// The first case that must have reached the same content and has not.
  private func contradiction(of run: CaseRun) -> CaseRun? {
    guard let digest = run.digest else { return nil }
    return runs.first { other in
      guard let theirs = other.digest else { return false }
      return other.endState == run.endState && theirs != digest
    }
  }
}

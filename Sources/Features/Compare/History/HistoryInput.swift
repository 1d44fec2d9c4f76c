import Basics
import Runner

/// A model or recipe that workloads used at a commit.
///
/// A change in it can explain changed measurements.
package struct HistoryInput: Hashable, Sendable {
  package var commit: String
  /// The names of the workloads that used the model or recipe.
  package var workloads: [String]
  package var fact: InputFact

  package init(commit: String, workloads: [String], fact: InputFact) {
    (self.commit, self.workloads, self.fact) = (commit, workloads, fact)
  }

  static func inputs(of document: ResultDocument, commit: String) -> [HistoryInput] {
    var users: [InputFact: [String]] = [:]
    for workload in document.workloads {
      for fact in Set(workload.inputs) { users[fact, default: []].append(workload.workload) }
    }
    return users.map { HistoryInput(commit: commit, workloads: $0.value.sorted(), fact: $0.key) }
  }
}

extension History {
  /// The recorded changes in the models and recipes of a workload between two commits.
  package func causes(from old: String, to new: String, of workload: String) -> [Cause] {
    func facts(_ commit: String) -> [InputFact] {
      inputs.filter { $0.commit == commit && $0.workloads.contains(workload) }.map(\.fact)
    }
    return Cause.inputs(facts(new), against: facts(old), of: workload)
  }

  /// A suspected step in a case's times, with the commits before and after it.
  package struct Suspicion: Hashable, Sendable {
    package var series: Series
    package var before: String
    package var after: String
    package var ratio: Double
  }

  /// All suspected steps of the requested cases.
  package func suspicions(_ isIncluded: (Series) -> Bool = { _ in true }) -> [Suspicion] {
    times.filter { isIncluded($0.series) }.flatMap { found in
      found.verdicts.compactMap { verdict -> Suspicion? in
        guard case .suspected(let place, let ratio) = verdict else { return nil }
        return Suspicion(
          series: found.series,
          before: found.points[place - 1].commit,
          after: found.points[place].commit,
          ratio: ratio
        )
      }
    }
  }

  /// Whether a commit has values of every given workload, measured with the given build of SQLite
  /// and StoreBench.
  ///
  /// Without workloads, a value of any workload is sufficient.
  package func isMeasured(
    _ commit: String,
    of workloads: Set<String>,
    with environment: Environment
  ) -> Bool {
    let keys = [environment.counterKey, environment.timeKey]
    let measured = lines.filter { $0.commit == commit && keys.contains($0.series.environment) }
    return !measured.isEmpty && workloads.isSubset(of: measured.map(\.series.workload))
  }
}

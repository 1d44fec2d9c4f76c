/// Kills launches of a plan's cases at chosen points.
package struct KillRun {
  let cases: LaunchedCases
  let choice: KillChoice
  /// Told of the case and of how many kills are done, of how many.
  let progress: (_ id: String, _ done: Int, _ total: Int) -> Void

  package init(
    _ cases: LaunchedCases,
    choice: KillChoice,
    progress: @escaping (_ id: String, _ done: Int, _ total: Int) -> Void = { _, _, _ in }
  ) {
    self.cases = cases
    self.choice = choice
    self.progress = progress
  }

  private var total: Int {
    switch choice {
    case .count(let count, _): count
    case .point: cases.count
    }
  }

  /// Kills, case by case; what was tried is kept when it is told to stop.
  ///
  /// - Throws: what keeps a store from being made or copied.
  package func perform() throws -> (report: KillReport, isInterrupted: Bool) {
    var report = KillReport()
    do {
      try cases.visit { index, launched, planned, file in
        report.cases.append(KilledCase(id: planned.id, workload: file.name, path: file.path))
        switch launched {
        case .failure(let failure): report.cases[index].obstacle = failure.description
        case .success(let launched):
          do {
            try kill(launched, index: index, &report)
          } catch let failure as KillFailure {
            report.cases[index].obstacle = failure.description
          }
        }
      }
    } catch RunnerError.interrupted {
      return (report, true)
    }
    return (report, false)
  }

  private func kill(_ launched: LaunchedCase, index: Int, _ report: inout KillReport) throws {
    let id = launched.planned.id
    report.cases[index].isAtomic = launched.planned.traits.isAtomic
    progress(id, report.outcomes.count, total)
    let killer = CaseKiller(launched: launched)
    let undisturbed = try killer.runUndisturbed()
    let events = undisturbed.events
    report.cases[index].events = events
    for point in choice.points(of: id, index: index, among: cases.count, events: events) {
      if cases.isStopped() { throw RunnerError.interrupted }
      report.cases[index].outcomes.append(try killer.kill(at: point, beside: undisturbed))
      progress(id, report.outcomes.count, total)
    }
  }
}

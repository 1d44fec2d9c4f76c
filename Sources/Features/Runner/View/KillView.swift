import Basics
import Reporting
import SQLite

extension KillReport {
  /// Returns the report of a crash test: the states after the kills by case, event and ending,
  /// followed by the failures.
  ///
  /// The `seed` reproduces the kills.
  package func report(seed: UInt64) -> Report {
    let lost = outcomes.reduce(0) { $0 + ($1.remains?.lost ?? 0) }
    let doubled = outcomes.reduce(0) { $0 + ($1.remains?.doubled ?? 0) }
    let failed = outcomes.count { $0.failure != nil }
    var report = Report(
      kind: "crash test",
      title: """
        \(Figures.counted(outcomes.count, "kill")) in \(Figures.counted(cases.count, "case")), \
        seed \(seed): \(Figures.counted(lost, "object")) lost, \(doubled) doubled, \(failed) failed
        """,
      tone: hasFailed ? .bad : .good,
      source: "the kills"
    )
    let byEvent = FileEvent.Kind.allCases.map { kind in
      (kind.rawValue, outcomes.filter { $0.point.event.kind == kind })
    }
    let byEnding = ["SIGKILL", "loss of power", "full disk"].map { name in
      (name, outcomes.filter { $0.point.ending.name == name })
    }
    report.sections = [
      .init(
        "Kills",
        [
          .table(table("Case", cases.map { (name(of: $0), $0.outcomes) })),
          .table(table("Killed before", byEvent.filter { !$0.1.isEmpty })),
          .table(table("Killed by", byEnding.filter { !$0.1.isEmpty })),
          .note("state of the store after the kill: old as before, between, new as after"),
        ]
      )
    ]
    let failures = cases.flatMap(\.failures)
    if !failures.isEmpty {
      let more = failures.count - Self.mostFailures
      report.sections.append(
        .init(
          "Failures",
          failures.prefix(Self.mostFailures).flatMap(\.self)
            + (more > 0 ? [.sentence("… and \(more) more")] : [])
        )
      )
    }
    return report
  }

  private static var mostFailures: Int { 20 }

  private func table(_ head: String, _ rows: [(String, [KillOutcome])]) -> Report.Table {
    let states: [Remains.State] = [.old, .between, .new]
    return Report.Table(
      "",
      [.init(head)]
        + ["Kills", "Old", "Between", "New", "Failed"].map { .init($0, .number) },
      rows: rows.map { name, outcomes in
        [.text(name), .number(outcomes.count)]
          + states.map { state in .number(outcomes.count { $0.remains?.state == state }) }
          + [.number(outcomes.count { $0.failure != nil })]
      }
    )
  }

  /// Returns the workload file's name with the parameters that vary among its cases.
  private func name(of killed: KilledCase) -> String {
    let others = cases.filter { $0.workload == killed.workload }
    let own = killed.parameters.filter { name in !others.allSatisfy { $0.parameters.contains(name) }
    }
    return ([killed.workload] + own.map(String.init)).joined(separator: " ")
  }
}

extension KilledCase {
  /// The parameters in the case's ID.
  fileprivate var parameters: [Substring] {
    id.dropFirst(workload.count + 1).split(separator: ",")
  }

  fileprivate var failures: [[Report.Block]] {
    let head = Report.Text.strong(id)
    let kills = outcomes.compactMap { outcome in
      outcome.failure.map { cause -> [Report.Block] in
        [
          .sentence(head + ": \(outcome.point): \(cause)", .bad), .note("To repeat it:"),
          .command(
            "storebench crash-test \(ShellWord.quoted(path)) --filter \(ShellWord.quoted(id)) "
              + "--at \(outcome.point)"
          ),
        ]
      }
    }
    return (obstacle.map { [[.sentence(head + ": \($0)", .bad)]] } ?? []) + kills
  }
}

extension KillPoint.Ending {
  fileprivate var name: String {
    switch self {
    case .signal: "SIGKILL"
    case .powerLoss: "loss of power"
    case .fullDisk: "full disk"
    }
  }
}

extension [WatchedCase] {
  /// Returns the report of a watchdog test, which kills each launch after the given number of
  /// seconds.
  package func report(seconds: Double) -> Report {
    let stuck = count(where: { if case .neverFinishes = $0.ending { true } else { false } })
    let failed = count(where: \.hasFailed) - stuck
    var report = Report(
      kind: "watchdog test",
      title: Report.Text(title(stuck: stuck, failed: failed)),
      verdict: """
        launches killed after \(Figures.seconds(seconds)), \(WatchdogRun.relaunches) relaunches
        """,
      tone: stuck + failed == 0 ? .good : .bad,
      source: "the launches"
    )
    report.sections = [
      .init(
        "Cases",
        map { watched in
          .sentence(
            "\(strong: watched.id): \(watched.sentence(within: seconds))",
            watched.hasFailed ? .bad : .plain
          )
        }
          + (stuck > 0
            ? [
              .note(
                """
                The largest size is by proportion: the objects of the store, times the limit, \
                divided by the time of one undisturbed launch. 'storebench forecast --within' fits \
                a curve.
                """
              )
            ] : [])
      )
    ]
    return report
  }

  private func title(stuck: Int, failed: Int) -> String {
    let all = Figures.counted(count, "case")
    guard stuck > 0 else {
      return failed == 0
        ? "Every case finishes or makes progress in each launch" : "\(failed) of \(all) failed"
    }
    return "\(stuck) of \(all) never finish\(stuck == 1 ? "es" : "")"
      + (failed == 0 ? "" : ", \(failed) failed")
  }
}

extension WatchedCase {
  fileprivate func sentence(within seconds: Double) -> String {
    let time = undisturbed.map { "\(Figures.seconds($0)) undisturbed" } ?? "not timed"
    let ending =
      switch ending {
      case .finished(1): "finishes in the first launch"
      case .finished(let launch): "finishes in launch \(launch)"
      case .goesOn(let launches):
        "not finished after \(launches) launches, but each made progress"
      case .neverFinishes(let launches):
        "never finishes"
          + (objects(within: seconds).map { " above \($0.grouped) objects" } ?? "")
          + ": \(launches) launches made no lasting progress"
      case .failed(let cause): "failed: \(cause)"
      }
    return "\(objects.grouped) objects, \(time): \(ending)"
  }
}

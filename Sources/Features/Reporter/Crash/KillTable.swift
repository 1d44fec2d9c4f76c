import Basics
import Runner
import SQLite

/// What kills have left, as a person reads it: by case, by event, then each failure.
package struct KillTable {
  /// The most failures that are listed.
  private static let mostListed = 20

  private let report: KillReport
  private let seed: UInt64
  /// Columns of the terminal.
  private let width: Int

  package init(report: KillReport, seed: UInt64, width: Int) {
    self.report = report
    self.seed = seed
    self.width = width
  }

  package var text: String {
    let all = report.outcomes
    let lost = all.reduce(0) { $0 + ($1.remains?.lost ?? 0) }
    let doubled = all.reduce(0) { $0 + ($1.remains?.doubled ?? 0) }
    var lines = [
      "\(count(all.count, "kill")) in \(count(report.cases.count, "case")), seed \(seed): "
        + "\(lost) objects lost, \(doubled) doubled, \(all.count { $0.failure != nil }) failed",
      "",
      row("case", Self.columns),
    ]
    lines += caseRows
    lines += ["", row("killed before", Self.columns)]
    for kind in FileEvent.Kind.allCases {
      let own = all.filter { $0.point.event.kind == kind }
      if !own.isEmpty { lines.append(row(kind.rawValue, cells(of: own))) }
    }
    lines += ["", row("killed by", Self.columns)]
    for name in Self.endings {
      let own = all.filter { self.name(of: $0.point.ending) == name }
      if !own.isEmpty { lines.append(row(name, cells(of: own))) }
    }
    return (lines + failures + ["", Self.legend]).joined(separator: "\n")
  }

  /// The cases below their workload files, by the parameters in which they differ.
  private var caseRows: [String] {
    var lines: [String] = []
    var workload = ""
    for killed in report.cases {
      let own = report.cases.filter { $0.workload == killed.workload }
      guard own.count > 1 else {
        lines.append(row(killed.workload, cells(of: killed.outcomes)))
        continue
      }
      if killed.workload != workload { lines.append(killed.workload) }
      workload = killed.workload
      let shared = own.map { Set($0.parameters) }.reduce(Set(killed.parameters)) {
        $0.intersection($1)
      }
      let name = killed.parameters.filter { !shared.contains($0) }.joined(separator: ",")
      lines.append(row("  " + name, cells(of: killed.outcomes)))
    }
    return lines
  }

  private static let endings = ["SIGKILL", "loss of power", "full disk"]

  private func name(of ending: KillPoint.Ending) -> String {
    switch ending {
    case .signal: Self.endings[0]
    case .powerLoss: Self.endings[1]
    case .fullDisk: Self.endings[2]
    }
  }

  private static let columns = ["kills", "old", "between", "new", "failed"]
  private static let legend = "state of the store after the kill: as before, in between, as after"

  private func cells(of outcomes: [KillOutcome]) -> [String] {
    let states: [Remains.State] = [.old, .between, .new]
    let counts =
      [outcomes.count] + states.map { state in outcomes.count { $0.remains?.state == state } }
      + [outcomes.count { $0.failure != nil }]
    return counts.map { $0.grouped }
  }

  private func row(_ name: String, _ cells: [String]) -> String {
    let space = max(20, width - 8 * cells.count)
    return TextTable([.left("", space)] + cells.map { _ in .right("", 7) }).line([name] + cells)
  }

  private func count(_ number: Int, _ noun: String) -> String {
    number.grouped + " " + noun + (number == 1 ? "" : "s")
  }

  private func block(_ killed: KilledCase, _ cause: String) -> [String] {
    TerminalText.wrapped("failed: \(killed.id)", to: width)
      + TerminalText.wrapped(cause, to: width - 2).map { "  " + $0 }
  }

  private var failures: [String] {
    var blocks = report.cases.flatMap { killed in
      (killed.obstacle.map { [block(killed, $0)] } ?? [])
        + killed.outcomes.compactMap { outcome in
          outcome.failure.map { cause in
            block(killed, "\(outcome.point): \(cause)") + [
              "  again: storebench crash-test \(ShellWord.quoted(killed.path)) "
                + "--filter \(ShellWord.quoted(killed.id)) --at \(outcome.point)"
            ]
          }
        }
    }
    let more = blocks.count - Self.mostListed
    blocks = Array(blocks.prefix(Self.mostListed))
    return blocks.flatMap { [""] + $0 } + (more > 0 ? ["", "… and \(more) more"] : [])
  }
}

extension KilledCase {
  /// The parameters of its ID.
  fileprivate var parameters: [Substring] {
    id.dropFirst(workload.count + 1).split(separator: ",")
  }
}

/// What a watchdog lets come to an end, as a person reads it.
package struct WatchdogTable {
  private let cases: [WatchedCase]
  private let seconds: Double
  /// Columns of the terminal.
  private let width: Int

  package init(cases: [WatchedCase], seconds: Double, width: Int) {
    self.cases = cases
    self.seconds = seconds
    self.width = width
  }

  package var text: String {
    let limit = Figures.seconds(seconds)
    var lines = ["launches killed after \(limit), \(WatchdogRun.relaunches) relaunches"]
    for watched in cases {
      lines.append("")
      lines += TerminalText.wrapped(watched.id, to: width)
      lines += TerminalText.wrapped(sentence(of: watched), to: width - 2).map { "  " + $0 }
    }
    let isEstimated = cases.contains { if case .neverFinishes = $0.ending { true } else { false } }
    if isEstimated { lines += ["", Self.estimate] }
    return lines.joined(separator: "\n")
  }

  private static let estimate =
    "N by proportion: the objects of the store, times the limit, divided by the time\n"
    + "of one undisturbed launch; 'storebench forecast --within' fits a curve"

  private func sentence(of watched: WatchedCase) -> String {
    let size = watched.objects.grouped + " objects"
    let time = watched.undisturbed.map { Figures.seconds($0) + " undisturbed" }
    return "\(size), \(time ?? "not timed"): \(ending(of: watched))"
  }

  private func ending(of watched: WatchedCase) -> String {
    switch watched.ending {
    case .finished(1): return "finishes in the first launch"
    case .finished(let launch): return "finishes in launch \(launch)"
    case .goesOn(let launches):
      return "not finished after \(launches) launches, but each made "
        + "progress"
    case .neverFinishes(let launches):
      guard let most = watched.objects(within: seconds) else {
        return "never finishes: \(launches) launches made no lasting progress"
      }
      return "never finishes above \(most.grouped) objects: \(launches) launches made no lasting "
        + "progress"
    case .failed(let cause): return "failed: \(cause)"
    }
  }
}

import Basics
import Reporting
import Runner

extension History {
  /// The history of the cases that a filter takes: exact steps with their commits first, then times
  /// by environment.
  package func report(_ isIncluded: (String) -> Bool = { _ in true }) -> Report {
    let steps = steps.filter { isIncluded($0.series.caseID) }
    let times = times.filter { isIncluded($0.series.caseID) }
    let commits = Figures.counted(commits.count, "commit")
    let changed = times.count {
      $0.verdicts.contains { if case .change = $0 { true } else { false } }
    }
    var report = Report(
      kind: "history",
      title:
        "\(Figures.counted(steps.count, "change")) of exact counters, \(changed) of times in \(commits)",
      source: "the history's files"
    )
    if let first = lines.first, let last = lines.last {
      report.facts = [
        .init("Runs", "\(first.startedAt.prefix(10)) to \(last.startedAt.prefix(10))")
      ]
    }
    report.sections = [exact(steps)]
    report.sections += Set(times.map(\.series.environment)).sorted().map { environment in
      section(of: times.filter { $0.series.environment == environment }, in: environment)
    }
    return report
  }

  private func exact(_ steps: [Step]) -> Report.Section {
    var section = Report.Section("Exact counters: \(Figures.counted(steps.count, "change"))")
    if steps.isEmpty { section.blocks = [.sentence("No counter differs between the commits.")] }
    var rest = steps[...]
    while let first = rest.first {
      let same = rest.prefix {
        $0.after.commit == first.after.commit && $0.before.commit == first.before.commit
      }
      rest = rest.dropFirst(same.count)
      section.blocks += [
        .heading(
          Report.Text(
            "\(name(of: first.after.commit)) (\(day(of: first.after))), after "
              + name(of: first.before.commit)
          )
        ),
        .table(
          [.init("Metric")] + ["Before", "After", "Change"].map { Report.Column($0, .number) }
            + [.init("Case", .code)],
          rows: same.map { step in
            [
              .text(step.series.metric), .text(Self.text(step.before)),
              .text(Self.text(step.after)),
              .text(Self.percent(step.before.value, step.after.value)), .text(step.series.caseID),
            ]
          }
        ),
      ]
    }
    return section
  }

  private func section(of series: [TimeSeries], in environment: String) -> Report.Section {
    let quiet = series.count { $0.verdicts == [.noChange] }
    var section = Report.Section(
      "Times: \(series.count) series, \(quiet) without a change",
      [.note(Report.Text(environment))]
    )
    for series in series {
      for verdict in series.verdicts where verdict != .noChange {
        section.blocks += series.blocks(verdict, of: self)
      }
    }
    return section
  }

  private static func text(_ line: HistoryLine) -> String {
    line.series.unit.text(line.value, .significant)
  }

  fileprivate static func percent(_ before: Double, _ after: Double) -> String {
    guard before > 0 else { return "" }
    let share = (after / before - 1) * 100
    let digits = abs(share) < 10 ? (share * 10).rounded() / 10 : share.rounded()
    return "\(share > 0 ? "+" : "−")\(abs(digits).shortest) %"
  }
}

extension History.TimeSeries {
  fileprivate func blocks(
    _ verdict: ChangePointTest.Verdict,
    of history: History
  ) -> [Report.Block] {
    let name = "\(series.caseID): \(series.metric)"
    switch verdict {
    case .noChange: return []
    case .change(let place, let ratio, let alarm):
      let (after, before) = (points[place], points[place - 1])
      return [
        .list([
          """
          \(name) \(ratio > 1 ? "rose" : "fell") (\(History.percent(1, ratio))), probably at \
          \(history.name(of: after.commit)) (the one before: \(history.name(of: before.commit))); \
          detected at \(history.name(of: points[alarm].commit))
          """
        ])
      ]
    case .autocorrelated(let correlation):
      let share = Figures.fixed(min(correlation, 0.99), decimals: 2)
      return [
        .list([
          """
          \(name): cannot tell: values of neighboring commits are correlated (autocorrelation \
          \(share)), which can also come from the machine. To decide:
          """
        ]),
        .command(decidingCommand),
      ]
    case .tooFew(let count):
      return [
        .list([
          """
          \(name): cannot tell: it changed within \(count) commits, but \(ChangePointTest.fewest) \
          are needed to exclude the machine as the cause. To decide:
          """
        ]),
        .command(decidingCommand),
      ]
    }
  }

  /// The live comparison of the present state with the commit before the likeliest change.
  private var decidingCommand: String {
    let place = ChangePointTest.split(points.map(\.value))
    let commit = points[max(place - 1, 0)].commit
    return "storebench compare-live Workloads/\(series.workload).yaml"
      + " --filter \(ShellWord.quoted(series.caseID)) --against git:\(ShellWord.quoted(commit))"
  }
}

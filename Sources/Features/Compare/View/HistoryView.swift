import Basics
import Reporting
import Runner

extension History {
  /// Reports the history of the cases that a filter includes: steps of exact costs by commit, then
  /// steps of times by environment.
  ///
  /// With `since`, only changes after that commit are included.
  package func report(
    since commit: String? = nil,
    _ isIncluded: (String) -> Bool = { _ in true }
  ) -> Report {
    let steps = self.steps(after: commit).filter { isIncluded($0.series.caseID) }
    let times = self.times(after: commit).filter { isIncluded($0.series.caseID) }
    let commits = Figures.counted(commits.count, "commit")
    let changed = times.count {
      $0.verdicts.contains { if case .change = $0 { true } else { false } }
    }
    let risen = steps.count { $0.share > 0 }
    let directions = steps.isEmpty ? "" : " (\(risen) up, \(steps.count - risen) down)"
    let counted = "\(Figures.counted(steps.count, "change")) of exact counters\(directions)"
    let judged = times.count { $0.points.count >= ChangePointTest.fewest }
    var report = Report(
      kind: "history",
      title: judged > 0 || changed > 0
        ? "\(counted), \(changed) of times in \(commits)"
        : "\(counted) in \(commits)" + (times.isEmpty ? "" : "; too few to judge times"),
      source: "the history's files"
    )
    let starts = lines.map(\.startedAt)
    if let first = starts.min(), let last = starts.max() {
      report.facts = [.init("Runs", "\(first.prefix(10)) to \(last.prefix(10))")]
    }
    let groups = groups(of: steps)
    report.findings = summary(of: groups)
    report.tone = steps.isEmpty && changed == 0 ? .good : .caution
    report.lead = lead(steps, times)
    report.certainty = certainty(judged, of: times.count)
    report.next = next(groups, times)
    report.notMeasured =
      "Other commits, and devices: this is the storage work on the machines of the runs."
    report.sections = [exact(steps, renames(isIncluded))]
    report.sections += Set(times.map(\.series.environment)).sorted().map { environment in
      section(of: times.filter { $0.series.environment == environment }, in: environment)
    }
    return report
  }

  private func certainty(_ judged: Int, of series: Int) -> Report.Text {
    let exact: Report.Text = "Counters are exact, so each change means that the work has changed."
    guard series > 0 else { return exact }
    return """
      \(exact) \(judged) of \(Figures.counted(series, "series", "series")) of times \
      \(judged == 1 ? "has" : "have") the \(ChangePointTest.fewest) commits that a verdict needs.
      """
  }

  private func next(_ groups: [Group], _ times: [TimeSeries]) -> Report.Text {
    if let last = groups.first {
      if last.isByDate {
        return """
          Look at \(words(of: last.commit)) and the commits before it: a counter differs there, \
          and only dates relate it to the commit that it was compared with.
          """
      }
      return "Look at \(words(of: last.commit)), the last commit that changed a counter."
    }
    let isOpen = times.contains { series in series.verdicts.contains { $0 != .noChange } }
    return isOpen
      ? "Decide the changes of times below: each has its command." : "Nothing has to be done."
  }

  private func lead(_ steps: [Step], _ times: [TimeSeries]) -> [Report.Block] {
    let step = steps.filter { $0.share.isFinite }.max { abs($0.share) < abs($1.share) }
    let changed = times.first { $0.verdicts != [.noChange] }
    guard let series = step?.series ?? changed?.series else { return [] }
    func number(of commit: String) -> Double? { places[commit].map { Double($0 + 1) } }
    let points = lines.filter { $0.series == series }.compactMap { line in
      number(of: line.commit).map { LineChart.Point(x: $0, y: line.value) }
    }
    guard points.count > 1 else { return [] }
    let changes =
      step == nil
      ? (changed?.verdicts ?? []).compactMap { verdict -> String? in
        if case .change(let place, _, _) = verdict { changed?.points[place].commit } else { nil }
      } : steps.filter { $0.series == series }.map(\.after.commit)
    var chart = LineChart(
      title: "\(series.caseID): \(series.metric)",
      lines: [.init(label: series.metricWords, series: 1, points: points)],
      horizontal: .count,
      vertical: .init(series.unit),
      axisTitle: "commits, from the first to the last",
      isLogarithmic: false,
      guides: changes.compactMap(number).map { .init(x: $0, label: "") }
    )
    chart.places = commits.map(short)
    let names = Figures.few(changes.map(name), most: 6)
    let marked =
      changes.isEmpty
      ? "" : "The largest change. Dotted lines: the commits at which it changed, \(names). "
    return [
      .charts(
        [
          .init(
            "\(series.metricWords.capitalizedFirst) of \(series.workload)",
            remark: distinction(of: series),
            isWide: true,
            chart
          )
        ],
        note: """
          \(marked)The case: \(code: series.caseID).
          """
      )
    ]
  }

  private func distinction(of series: Series) -> String? {
    func parameters(_ id: String) -> [Substring] {
      id.dropFirst(series.workload.count + 1).split(separator: ",")
    }
    let others = Set(lines.filter { $0.series.workload == series.workload }.map(\.series.caseID))
    let own = parameters(series.caseID).filter { part in
      !others.allSatisfy { parameters($0).contains(part) }
    }
    return own.isEmpty ? nil : CaseDimensions.words(ofParameters: own.joined(separator: ","))
  }

  struct Group {
    let commit: String
    let workload: String
    let steps: [Step]
    let causes: [Cause]

    var largest: Step? { steps.max { abs($0.share) < abs($1.share) } }
    var isByDate: Bool { steps.contains(where: \.isByDate) }
    var caseCount: Int { Set(steps.map(\.series.caseID)).count }
  }

  func groups(of steps: [Step]) -> [Group] {
    Dictionary(grouping: steps) { [$0.after.commit, $0.series.workload] }
      .sorted { first, second in
        (-(places[first.key[0]] ?? 0), first.key[1]) < (
          -(places[second.key[0]] ?? 0), second.key[1]
        )
      }.map { key, steps in
        // The workload's cases may have been last measured at different earlier commits, so collect
        // the causes since each of these commits.
        var causes: [Cause] = []
        for old in Set(steps.map(\.before.commit)).sorted() {
          causes += self.causes(from: old, to: key[0], of: key[1]).filter { cause in
            !causes.contains(where: cause.isSame)
          }
        }
        return Group(commit: key[0], workload: key[1], steps: steps, causes: causes)
      }
  }

  private func summary(of groups: [Group]) -> [Report.Finding] {
    var parts: [[Group]] = []
    for group in groups {
      let same = parts.firstIndex { part in
        part[0].commit == group.commit && part[0].causes.count == group.causes.count
          && zip(part[0].causes, group.causes).allSatisfy { $0.isSame(as: $1) }
      }
      if let same { parts[same].append(group) } else { parts.append([group]) }
    }
    return parts.prefix(10).map { part in
      let largest = part.compactMap(\.largest).max { abs($0.share) < abs($1.share) }
      let most = largest.map { step -> String in
        let name = step.series.metricWords + (part.count > 1 ? " of \(step.series.workload)" : "")
        // Omit the percentage of the change if the earlier value is zero: its text is empty.
        return [name, Self.percent(step.before.value, step.after.value)].filter { !$0.isEmpty }
          .joined(separator: " ")
      }
      let cases = Figures.counted(part.reduce(0) { $0 + $1.caseCount }, "case")
      let changes = Figures.counted(part.reduce(0) { $0 + $1.steps.count }, "change")
      let causes = part[0].causes.map { "; " + $0.text }.joined()
      let relation = part.contains(where: \.isByDate) ? "; compared by date" : ""
      return .init(
        """
        \(words(of: part[0].commit)): \(Figures.few(part.map(\.workload))), \(changes) in \(cases), \
        most \(most ?? "")\(causes)\(relation)
        """
      )
    }
  }

  /// A note for each workload whose history begins after that of another workload with the same
  /// cases ended, as after a rename.
  private func renames(_ isIncluded: (String) -> Bool) -> [Report.Block] {
    let series = Dictionary(
      grouping: lines.filter { isIncluded($0.series.caseID) },
      by: \.series.workload
    ).sorted { $0.key < $1.key }.map { name, lines in
      let found = lines.compactMap { places[$0.commit] }
      return (
        name: name, first: found.min() ?? 0, last: found.max() ?? 0,
        cases: Set(lines.map { $0.series.caseID.dropFirst(name.count) })
      )
    }
    return series.flatMap { old in
      series.filter { old.last < $0.first && old.cases == $0.cases }.map { new -> Report.Block in
        .note(
          """
          '\(new.name)' begins at \(words(of: commits[new.first])) with the cases of \
          '\(old.name)', which ends at \(words(of: commits[old.last])). The two are not compared, \
          even if this is a rename.
          """
        )
      }
    }
  }

  private func exact(_ steps: [Step], _ notes: [Report.Block]) -> Report.Section {
    var section = Report.Section("Exact counters: \(Figures.counted(steps.count, "change"))", notes)
    if steps.isEmpty { section.blocks.append(.sentence("No counter differs between the commits.")) }
    if steps.contains(where: \.isByDate) {
      section.blocks.append(
        .note(
          """
          'By date': no recorded parents lead from the commit to the one before it, so the change \
          may be that of a commit between them or of another branch.
          """
        )
      )
    }
    var rest = steps[...]
    while let first = rest.first {
      let same = rest.prefix {
        $0.after.commit == first.after.commit && $0.before.commit == first.before.commit
      }
      rest = rest.dropFirst(same.count)
      section.blocks += [
        .heading(
          """
          \(words(of: first.after.commit)) (\(day(of: first.after))), after \
          \(words(of: first.before.commit))\(first.isByDate ? ", by date" : "")
          """
        ),
        .folded(
          "\(Figures.counted(same.count, "change"))",
          [
            .table(
              [.init("Metric")] + ["Before", "After", "Change"].map { Report.Column($0, .number) }
                + [.init("Case", .code)],
              rows: same.map { step in
                let (before, after) = Self.values(of: step)
                return [
                  .text(step.series.metric), .text(before), .text(after),
                  .text(Self.percent(step.before.value, step.after.value)),
                  .text(step.series.caseID),
                ]
              }
            )
          ]
        ),
      ]
    }
    return section
  }

  private func section(of series: [TimeSeries], in environment: String) -> Report.Section {
    let still = series.filter { $0.verdicts == [.noChange] }
    let young = still.filter { $0.points.count < ChangePointTest.fewest }
    let most = young.map(\.points.count).max() ?? 0
    var section = Report.Section(
      "Times: \(series.count) series, \(still.count - young.count) without a change"
        + (young.isEmpty
          ? ""
          : ", \(young.count) cannot tell yet (\(most) of \(ChangePointTest.fewest) commits)"),
      [.note(Report.Text(environment))]
    )
    for series in series {
      for verdict in series.verdicts where verdict != .noChange {
        section.blocks += series.blocks(verdict, of: self)
      }
    }
    if section.blocks.contains(where: { if case .command = $0 { true } else { false } }) {
      section.blocks.append(
        .note("The commands assume Workloads/NAME.yaml: give the path if it is another.")
      )
    }
    return section
  }

  /// The values before and after a step, with all digits if they look the same when rounded.
  private static func values(of step: Step) -> (before: String, after: String) {
    func rounded(_ line: HistoryLine) -> String { line.series.unit.text(line.value, .significant) }
    func exact(_ line: HistoryLine) -> String {
      let number = Figures.grouped(line.value)
      switch line.series.unit {
      case .seconds: return number + " s"
      case .bytes: return number + " B"
      case .count, .ratio: return number
      }
    }
    let (before, after) = (rounded(step.before), rounded(step.after))
    guard before == after else { return (before, after) }
    return (exact(step.before), exact(step.after))
  }

  fileprivate static func percent(_ before: Double, _ after: Double) -> String {
    guard before > 0 else { return "" }
    let share = (after / before - 1) * 100
    let rounded = abs(abs(share) < 10 ? (share * 10).rounded() / 10 : share.rounded())
    let digits = rounded > 0 ? rounded.shortest : Figures.significant(abs(share))
    return "\(share > 0 ? "+" : "−")\(digits) %"
  }
}

extension History.Series {
  fileprivate var metricWords: String { ChangeWords.name(of: metric) }
}

extension History.Step {
  var share: Double {
    before.value > 0 ? after.value / before.value - 1 : .infinity
  }
}

extension History {
  func steps(after commit: String?) -> [Step] {
    guard let commit else { return steps }
    let later = commits(after: commit)
    return steps.filter { later.contains($0.after.commit) }
  }

  func times(after commit: String?) -> [TimeSeries] {
    guard let commit else { return times }
    let later = commits(after: commit)
    return times.map { series in
      var shown = series
      let verdicts = series.verdicts.filter { verdict in
        switch verdict {
        case .change(let place, _, _), .suspected(let place, _):
          return later.contains(series.points[place].commit)
        case .noChange, .autocorrelated, .tooFew: return true
        }
      }
      shown.verdicts = verdicts.isEmpty ? [.noChange] : verdicts
      return shown
    }
  }

  private func commits(after commit: String) -> Set<String> {
    guard let place = commits.firstIndex(of: commit) else { return Set(commits) }
    return Set(commits[(place + 1)...])
  }

  /// Whether a counter or a time rose after a commit, in the cases that a filter includes.
  package func hasRise(since commit: String?, _ isIncluded: (String) -> Bool) -> Bool {
    steps(after: commit).contains {
      isIncluded($0.series.caseID) && $0.after.value > $0.before.value
    }
      || times(after: commit).contains { series in
        isIncluded(series.series.caseID)
          && series.verdicts.contains {
            if case .change(_, let ratio, _) = $0 { ratio > 1 } else { false }
          }
      }
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
          \(history.words(of: after.commit)) (the one before: \(history.words(of: before.commit))); \
          detected at \(history.words(of: points[alarm].commit))
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
        .command(decidingCommand(before: ChangePointTest.split(points.map(\.value)))),
      ]
    case .suspected(let place, let ratio):
      let (after, before) = (points[place], points[place - 1])
      let count = points.count
      let open =
        count < ChangePointTest.fewest ? " (\(count) of \(ChangePointTest.fewest) commits)" : ""
      return [
        .list([
          """
          \(name): suspected: it \(ratio > 1 ? "rose" : "fell") (\(History.percent(1, ratio))) at \
          \(history.words(of: after.commit)) (the one before: \(history.words(of: before.commit))) and \
          lasts; cannot tell yet\(open): the machine may be the cause. To decide:
          """
        ]),
        .command(decidingCommand(before: place)),
      ]
    case .tooFew(let count):
      return [
        .list([
          """
          \(name): cannot tell yet (\(count) of \(ChangePointTest.fewest) commits): it changed, and \
          the machine may be the cause. To decide:
          """
        ]),
        .command(decidingCommand(before: ChangePointTest.split(points.map(\.value)))),
      ]
    }
  }

  /// The command that confirms or rejects a suspected change: a live comparison of the current
  /// state with the commit before the change.
  private func decidingCommand(before place: Int) -> String {
    let commit = points[max(place - 1, 0)].commit
    return "storebench compare-live \(ShellWord.quoted("Workloads/\(series.workload).yaml"))"
      + " --filter \(ShellWord.quoted(series.caseID)) --against git:\(ShellWord.quoted(commit))"
  }
}

import Basics
import Reporting
import Runner

/// One value of a metric at a commit: one line of a history.
package struct HistoryLine: Hashable, Sendable {
  /// The start of the run in UTC (ISO 8601), by which runs of the same commit are sorted.
  package var startedAt: String
  package var commit: String
  package var series: History.Series
  package var value: Double

  /// The lines of a result: exact costs that are equal in all trials, and the medians of the
  /// metrics in ``EarlierResults/judged``.
  package static func lines(of document: ResultDocument, commit: String) -> [HistoryLine] {
    document.workloads.flatMap { workload in
      workload.cases.filter { $0.outcome == .passed }.flatMap { result in
        let environment = document.environment(of: result.id)
        return result.samples.compactMap { sample -> HistoryLine? in
          let metric = sample.metric
          let value: Double?
          if metric.isExactCost {
            value = sample.repeatingTotal
          } else {
            value = EarlierResults.judged.contains(metric) ? sample.median : nil
          }
          let series = History.Series(
            workload: workload.workload,
            caseID: result.id,
            metric: metric.name,
            unit: metric.unit,
            environment: metric.isExact ? environment.counterKey : environment.timeKey,
            isExact: metric.isExact
          )
          let startedAt = document.environment.startedAt
          return value.map {
            HistoryLine(startedAt: startedAt, commit: commit, series: series, value: $0)
          }
        }
      }
    }
  }
}

extension Environment {
  var counterKey: String { "SQLite \(sqliteVersion) \(sqliteSourceID), \(build)" }

  var timeKey: String {
    [
      machine, architecture, "\(cores) cores", "\(memoryBytes) B", operatingSystem, kernel,
      fileSystem, "Swift \(swiftVersion)", counterKey,
    ].joined(separator: " | ")
  }
}

/// The measured values of a suite's cases over the commits.
package struct History: Hashable, Sendable {
  /// The lines without duplicates, in the order of their commits.
  package let lines: [HistoryLine]
  /// The recorded details of commits, by commit hash.
  package let revisions: [String: SourceRevision]
  /// The models and recipes used at the commits.
  package let inputs: [HistoryInput]
  /// The commits, with parents before children and otherwise by date.
  ///
  /// If no date is recorded, the start of the commit's first run is used.
  package let commits: [String]
  /// The index of each commit in ``commits``.
  let places: [String: Int]

  /// Creates a history from lines in any order, and from recorded details of their commits.
  package init(
    _ lines: [HistoryLine],
    revisions: [SourceRevision] = [],
    inputs: [HistoryInput] = []
  ) {
    let lines = Set(lines)
    let names = Set(lines.map(\.commit))
    self.inputs = Set(inputs.filter { names.contains($0.commit) }).sorted {
      ($0.commit, $0.fact.file, $0.fact.digest, $0.workloads.joined(separator: "\n"))
        < ($1.commit, $1.fact.file, $1.fact.digest, $1.workloads.joined(separator: "\n"))
    }
    self.revisions = Dictionary(
      keepingFirst: revisions.filter { names.contains($0.commit) }.sorted {
        ($0.commit, $0.committedAt, $0.subject) < ($1.commit, $1.committedAt, $1.subject)
      }.map { ($0.commit, $0) }
    )
    commits = CommitOrder.sorted(lines, self.revisions)
    let places = Dictionary(keepingFirst: commits.enumerated().map { ($1, $0) })
    self.places = places
    self.lines = lines.sorted { Self.order($0, places) < Self.order($1, places) }
  }

  private static func order(
    _ line: HistoryLine,
    _ places: [String: Int]
  ) -> (Int, String, String, String, String, Double) {
    (
      places[line.commit] ?? 0, line.startedAt, line.series.caseID, line.series.metric,
      line.series.environment, line.value
    )
  }

  /// The short hash of a commit and the first line of its message.
  package func name(of commit: String) -> String { words(of: commit).plain }

  func words(of commit: String) -> Report.Text {
    let subject = revisions[commit].map(\.subject) ?? ""
    return "\(short(commit), whole: commit)\(subject.isEmpty ? "" : " \(subject)")"
  }

  /// The first ten digits of a hash, or the whole hash if another commit starts with the same
  /// digits.
  func short(_ commit: String) -> String {
    let start = String(commit.prefix(10))
    let isHash = commit.allSatisfy(\.isHexDigit)
    return isHash && !commits.contains { $0 != commit && $0.hasPrefix(start) } ? start : commit
  }

  /// The date of a line's commit, or of its run if the commit's date is not recorded.
  package func day(of line: HistoryLine) -> String {
    let date = revisions[line.commit]?.committedAt ?? ""
    return String((date.isEmpty ? line.startedAt : date).prefix(10))
  }

  /// A metric of a case in one environment.
  package struct Series: Hashable, Sendable {
    package var workload: String
    package var caseID: String
    package var metric: String
    package var unit: Metric.Unit
    /// The properties that two runs must share for their times or exact counters to be comparable.
    package var environment: String
    package var isExact: Bool
  }

  /// A change in a series, given by the lines before and after it.
  package struct Step: Hashable, Sendable {
    package var before: HistoryLine
    package var after: HistoryLine
    /// Whether the order of the two commits is known only from dates, because the recorded parents
    /// do not lead from one commit to the other.
    package var isByDate: Bool

    package var series: Series { before.series }
  }

  /// All changes of exact counters, in the order of the commits.
  ///
  /// A commit is compared with its nearest measured ancestor by first parents or, if the recorded
  /// parents lead to no such ancestor, with the commit before it by date.
  package var steps: [Step] {
    series(exact: true).flatMap { _, lines in steps(of: lines) }.sorted { first, second in
      let (one, two) = (places[first.after.commit] ?? 0, places[second.after.commit] ?? 0)
      return (one, first.after.startedAt, first.series.caseID, first.series.metric)
        < (two, second.after.startedAt, second.series.caseID, second.series.metric)
    }
  }

  /// The changes of one series, whose lines are in the order of their commits.
  private func steps(of lines: [HistoryLine]) -> [Step] {
    var (steps, last): ([Step], [String: HistoryLine]) = ([], [:])
    var previous: HistoryLine?
    for line in lines {
      if let previous {
        let isSame = previous.commit == line.commit
        let known: HistoryLine? = isSame ? previous : nearestAncestor(of: line.commit, in: last)
        let before = known ?? previous
        if before.value != line.value {
          steps.append(Step(before: before, after: line, isByDate: known == nil))
        }
      }
      last[line.commit] = line
      previous = line
    }
    return steps
  }

  private func nearestAncestor(
    of commit: String,
    in last: [String: HistoryLine]
  ) -> HistoryLine? {
    // No repository contains a cycle, but even with a cycle the search would end.
    var seen: Set<String> = []
    var next = revisions[commit]?.parents.first
    while let parent = next, seen.insert(parent).inserted {
      if let line = last[parent] { return line }
      next = revisions[parent]?.parents.first
    }
    return nil
  }

  /// The times of a case with one value per commit, and the changes found in them.
  package struct TimeSeries: Hashable, Sendable {
    package var series: Series
    package var points: [HistoryLine]
    package var verdicts: [ChangePointTest.Verdict]
  }

  /// The times of every case and environment, with the changes found in them.
  package var times: [TimeSeries] {
    let all = series(exact: false)
    let test = ChangePointTest(series: all.count)
    return all.map { series, lines in
      let points = Self.onePerCommit(lines)
      let name = "\(series.caseID) \(series.metric) \(series.environment)"
      return TimeSeries(
        series: series,
        points: points,
        verdicts: test.verdicts(of: points.map(\.value), named: name)
      )
    }
  }

  private func series(exact: Bool) -> [(series: Series, lines: [HistoryLine])] {
    Dictionary(grouping: lines.filter { $0.series.isExact == exact }, by: \.series)
      .map { (series: $0.key, lines: $0.value) }.sorted {
        ($0.series.caseID, $0.series.metric, $0.series.environment)
          < ($1.series.caseID, $1.series.metric, $1.series.environment)
      }
  }

  /// Replaces the runs of each commit with their median, at the position of the first run, because
  /// runs of one commit are not independent samples.
  private static func onePerCommit(_ lines: [HistoryLine]) -> [HistoryLine] {
    var (order, values): ([String], [String: [HistoryLine]]) = ([], [:])
    for line in lines {
      if values[line.commit] == nil { order.append(line.commit) }
      values[line.commit, default: []].append(line)
    }
    return order.compactMap { commit in
      guard let runs = values[commit], var first = runs.first else { return nil }
      first.value = RunningMedian(of: runs.map(\.value)).value
      return first
    }
  }

  /// The last change of a case's metric: a step of an exact counter, or a change found in its
  /// times.
  package func lastChange(of metric: String, in caseID: String) -> Step? {
    func isMeant(_ series: Series) -> Bool { series.metric == metric && series.caseID == caseID }
    if let step = steps.last(where: { isMeant($0.series) }) { return step }
    for series in times where isMeant(series.series) {
      for case .change(let place, _, let alarm) in series.verdicts.reversed() where place > 0 {
        // Times are compared in a single order of all commits, not with the nearest ancestor.
        let (before, after) = (series.points[place - 1], series.points[alarm])
        return Step(before: before, after: after, isByDate: true)
      }
    }
    return nil
  }
}

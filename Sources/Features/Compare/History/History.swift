import Runner

/// One value of a metric at a commit: a line of a history.
package struct HistoryLine: Hashable, Sendable {
  /// When the run started, as ISO 8601 in UTC: the order of the commits.
  package var startedAt: String
  package var commit: String
  /// What decides whether times are comparable; for exact values, what decides the counters.
  package var environment: String
  package var workload: String
  package var caseID: String
  package var metric: String
  package var unit: Metric.Unit
  package var isExact: Bool
  package var value: Double

  package init(
    startedAt: String,
    commit: String,
    environment: String,
    workload: String,
    caseID: String,
    metric: String,
    unit: Metric.Unit,
    isExact: Bool,
    value: Double
  ) {
    self.startedAt = startedAt
    self.commit = commit
    self.environment = environment
    self.workload = workload
    self.caseID = caseID
    self.metric = metric
    self.unit = unit
    self.isExact = isExact
    self.value = value
  }

  /// The lines of a result: exact costs that repeat, and the medians of the times that are judged.
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
          return value.map {
            HistoryLine(
              startedAt: document.environment.startedAt,
              commit: commit,
              environment: metric.isExact ? environment.counterKey : environment.timeKey,
              workload: workload.workload,
              caseID: result.id,
              metric: metric.name,
              unit: metric.unit,
              isExact: metric.isExact,
              value: $0
            )
          }
        }
      }
    }
  }
}

extension Environment {
  /// What decides exact counters.
  var counterKey: String { "SQLite \(sqliteVersion) \(sqliteSourceID), \(build)" }

  /// What decides times.
  var timeKey: String {
    [
      machine, architecture, "\(cores) cores", "\(memoryBytes) B", operatingSystem, kernel,
      fileSystem, "Swift \(swiftVersion)", counterKey,
    ].joined(separator: " | ")
  }
}

/// The values of a suite over its commits.
package struct History: Hashable, Sendable {
  /// Without those that are there twice, by time.
  package let lines: [HistoryLine]

  /// A history of lines in any order.
  package init(_ lines: [HistoryLine]) {
    self.lines = Set(lines).sorted { Self.order($0) < Self.order($1) }
  }

  private static func order(_ line: HistoryLine) -> (String, String, String, String, String, Double)
  {
    (line.startedAt, line.commit, line.caseID, line.metric, line.environment, line.value)
  }

  /// The commits in the order of their first runs.
  package var commits: [String] {
    lines.map(\.commit).reduce(into: (list: [String](), known: Set<String>())) { found, commit in
      if found.known.insert(commit).inserted { found.list.append(commit) }
    }.list
  }

  /// A metric of a case in one environment.
  package struct Key: Hashable, Sendable {
    package var workload: String
    package var caseID: String
    package var metric: String
    package var environment: String
    package var unit: Metric.Unit
  }

  /// A value that is not the one before.
  package struct Step: Hashable, Sendable {
    package var key: Key
    package var before: HistoryLine
    package var after: HistoryLine
  }

  /// Every step of the exact counters, by time.
  package var steps: [Step] {
    series(exact: true).flatMap { key, lines in
      zip(lines, lines.dropFirst()).filter { $0.value != $1.value }.map {
        Step(key: key, before: $0, after: $1)
      }
    }.sorted {
      ($0.after.startedAt, $0.key.caseID, $0.key.metric)
        < ($1.after.startedAt, $1.key.caseID, $1.key.metric)
    }
  }

  /// The times of a case, a value for each commit, and what they show.
  package struct TimeSeries: Hashable, Sendable {
    package var key: Key
    package var points: [HistoryLine]
    package var verdicts: [ChangePointTest.Verdict]
  }

  /// The times of every case and environment with the changes found in them.
  package var times: [TimeSeries] {
    let all = series(exact: false)
    let test = ChangePointTest(series: all.count)
    return all.map { key, lines in
      let points = Self.onePerCommit(lines)
      let name = "\(key.caseID) \(key.metric) \(key.environment)"
      return TimeSeries(
        key: key,
        points: points,
        verdicts: test.verdicts(of: points.map(\.value), named: name)
      )
    }
  }

  private func series(exact: Bool) -> [(key: Key, lines: [HistoryLine])] {
    let groups = Dictionary(grouping: lines.filter { $0.isExact == exact }) { line in
      Key(
        workload: line.workload,
        caseID: line.caseID,
        metric: line.metric,
        environment: line.environment,
        unit: line.unit
      )
    }
    return groups.map { (key: $0.key, lines: $0.value) }.sorted {
      ($0.key.caseID, $0.key.metric, $0.key.environment)
        < ($1.key.caseID, $1.key.metric, $1.key.environment)
    }
  }

  /// Runs of one commit give one value, since they are no independent commits: their median, at the
  /// place of the first.
  private static func onePerCommit(_ lines: [HistoryLine]) -> [HistoryLine] {
    var (order, values): ([String], [String: [HistoryLine]]) = ([], [:])
    for line in lines {
      if values[line.commit] == nil { order.append(line.commit) }
      values[line.commit, default: []].append(line)
    }
    return order.compactMap { commit in
      guard let runs = values[commit], var first = runs.first else { return nil }
      first.value = ChangePointTest.median(runs.map(\.value).sorted()[...])
      return first
    }
  }

  /// The last change of a metric: the commits on both sides of it.
  package struct Change: Hashable, Sendable {
    package var key: Key
    package var isExact: Bool
    package var before: String
    package var after: String
    /// The value before, of an exact counter.
    package var value: Double
  }

  /// The last change of a metric of a case, of an exact counter or found in its times.
  package func lastChange(of metric: String, in caseID: String) -> Change? {
    if let step = steps.last(where: { $0.key.metric == metric && $0.key.caseID == caseID }) {
      return Change(
        key: step.key,
        isExact: true,
        before: step.before.commit,
        after: step.after.commit,
        value: step.before.value
      )
    }
    let series = times.filter { $0.key.metric == metric && $0.key.caseID == caseID }
    return series.lazy.compactMap { series in
      series.verdicts.reversed().lazy.compactMap { verdict -> Change? in
        guard case .change(let place, _, let alarm) = verdict, place > 0 else { return nil }
        return Change(
          key: series.key,
          isExact: false,
          before: series.points[place - 1].commit,
          after: series.points[alarm].commit,
          value: series.points[place - 1].value
        )
      }.first
    }.first
  }
}

import Basics
import Runner

/// The JSON form of `history show`, with the schema history-v1.
package struct HistoryDocument: Encodable {
  package static let currentVersion = 1

  let history: History
  /// The commit after which changes are included; `nil` if all changes are included.
  let since: String?
  let isIncluded: (String) -> Bool

  package init(
    _ history: History,
    since: String? = nil,
    _ isIncluded: @escaping (String) -> Bool = { _ in true }
  ) {
    self.history = history
    self.since = since
    self.isIncluded = isIncluded
  }

  package func encode(to encoder: any Encoder) throws {
    let steps = history.steps(after: since).filter { isIncluded($0.series.caseID) }
    let times = history.times(after: since).filter { isIncluded($0.series.caseID) }
    let object: JSONObject = [
      "version": Self.currentVersion,
      "fewestCommits": ChangePointTest.fewest,
      "commits": history.commits.map(commit),
      "summary": history.groups(of: steps).map(summary),
      "changes": steps.map(change),
      "times": times.map(series),
    ]
    try object.encode(to: encoder)
  }

  private func commit(_ hash: String) -> JSONObject {
    guard let revision = history.revisions[hash] else { return ["commit": hash] }
    return [
      "commit": hash, "committedAt": revision.committedAt, "branch": revision.branch,
      "parents": revision.parents, "head": revision.head, "subject": revision.subject,
    ]
  }

  private func summary(_ group: History.Group) -> JSONObject {
    [
      "commit": group.commit, "subject": history.revisions[group.commit]?.subject,
      "workload": group.workload, "changes": group.steps.count, "cases": group.caseCount,
      "largestMetric": group.largest?.series.metric, "largestChange": group.largest?.share.ifFinite,
      "causes": group.causes.map(\.text),
    ]
  }

  private func change(_ step: History.Step) -> JSONObject {
    facts(of: step.series).merging([
      "before": value(step.before), "after": value(step.after), "change": step.share.ifFinite,
      "byDate": step.isByDate,
    ])
  }

  private func value(_ line: HistoryLine) -> JSONObject {
    ["commit": line.commit, "value": line.value]
  }

  private func facts(of series: History.Series) -> JSONObject {
    [
      "workload": series.workload, "case": series.caseID, "metric": series.metric,
      "unit": series.unit.rawValue, "environment": series.environment,
    ]
  }

  private func series(_ found: History.TimeSeries) -> JSONObject {
    facts(of: found.series).merging([
      "commits": found.points.count,
      "verdicts": found.verdicts.map { verdict($0, of: found.points) },
    ])
  }

  private func verdict(
    _ verdict: ChangePointTest.Verdict,
    of points: [HistoryLine]
  ) -> JSONObject {
    func step(_ name: String, _ place: Int, _ ratio: Double) -> JSONObject {
      [
        "verdict": name, "commit": points[place].commit, "before": points[place - 1].commit,
        "ratio": ratio,
      ]
    }
    switch verdict {
    case .noChange:
      return [
        "verdict": points.count < ChangePointTest.fewest ? "cannotTellYet" : "noChange"
      ]
    case .change(let place, let ratio, let alarm):
      return step("changed", place, ratio).merging(["detectedAt": points[alarm].commit])
    case .suspected(let place, let ratio): return step("suspected", place, ratio)
    case .autocorrelated(let correlation):
      return ["verdict": "cannotTell", "autocorrelation": correlation]
    case .tooFew: return ["verdict": "cannotTellYet"]
    }
  }
}

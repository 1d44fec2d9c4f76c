import Reporting

/// What each action of a scripted session took, and what was in memory after it: a table for each
/// case.
struct ActionTables {
  /// Workloads of more cases have their actions only in JSON and CSV.
  private static let mostCases = 8
  private static let family = "session."
  private static let counters: [(name: String, column: Report.Column)] = [
    ("statementsRun", .init("SQL", .number)), ("vmSteps", .init("Steps", .number)),
    ("materialised", .init("Loaded", .number)), ("faultsFired", .init("Faults", .number)),
    ("held", .init("Live", .number)), ("contextBytes", .init("Context", .bytes)),
    ("residentBytes", .init("Memory", .bytes)),
  ]

  let workload: WorkloadResult
  let parameters: CaseParameters

  init(_ workload: WorkloadResult, _ parameters: CaseParameters) {
    (self.workload, self.parameters) = (workload, parameters)
  }

  var blocks: [Report.Block] {
    guard workload.cases.count <= Self.mostCases else { return [] }
    let tables = workload.cases.compactMap { result -> Report.Table? in
      let actions = Self.actions(of: result)
      guard result.outcome == .passed, !actions.isEmpty else { return nil }
      let title = workload.cases.count == 1 ? "" : ", " + parameters.label(of: result)
      return Report.Table(
        "Each action\(title)",
        [.init("Action"), .init("Time", .seconds)] + Self.counters.map(\.column),
        rows: actions.map { action in
          let metrics =
            ["phase.\(action)"] + Self.counters.map { "\(Self.family)\(action).\($0.name)" }
          return [.text(action)] + metrics.map { .number(result.sample(of: $0)?.median, or: "–") }
        }
      )
    }
    guard !tables.isEmpty else { return [] }
    return tables.map { .table($0) } + [
      .note(
        """
        SQL, steps: statements and steps of SQLite; loaded, faults: objects loaded and faults \
        fired; live, context: objects in memory after the action and their bytes; memory: resident \
        set
        """
      )
    ]
  }

  /// The actions of a case in the order of its session.
  private static func actions(of result: CaseResult) -> [String] {
    let names = result.samples.compactMap { sample -> String? in
      let parts = sample.metric.name.split(separator: ".")
      return sample.metric.name.hasPrefix(family) && parts.last == "held" ? String(parts[1]) : nil
    }
    let script = result.parameters["actions"] ?? ""
    let words = script.split { $0 == "+" || $0 == ":" }.map(String.init)
    return names.sorted {
      (words.firstIndex(of: $0) ?? .max, $0) < (words.firstIndex(of: $1) ?? .max, $1)
    }
  }
}

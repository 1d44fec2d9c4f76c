import Basics
import Runner

/// What each action of a scripted session took, and what was in memory after it.
struct ActionTable {
  /// Workloads of more cases have their actions in JSON and CSV alone.
  static let mostCases = 8

  private static let family = "session."
  private static let table = TextTable(
    [
      .left("action", 11), .right("time", 8), .right("SQL", 5), .right("steps", 9),
      .right("loaded", 6), .right("faults", 6), .right("live", 6), .right("context", 8),
      .right("memory", 8),
    ],
    margin: 2
  )
  static let meaning =
    "SQL, steps: statements and steps of SQLite; loaded, faults: objects loaded and faults fired; "
    + "live, context: objects in memory after the action and their bytes; memory: resident set"

  private let result: CaseResult
  /// In the order of the session.
  private let actions: [String]

  /// `nil` for a case without actions.
  init?(_ result: CaseResult) {
    let names = result.samples.compactMap { sample -> String? in
      let parts = sample.metric.name.split(separator: ".")
      return sample.metric.name.hasPrefix(Self.family) && parts.last == "held"
        ? String(parts[1]) : nil
    }
    guard result.outcome == .passed, !names.isEmpty else { return nil }
    let script = result.parameters["actions"] ?? ""
    let words = script.split { $0 == "+" || $0 == ":" }.map(String.init)
    self.result = result
    actions = names.sorted {
      (words.firstIndex(of: $0) ?? .max, $0) < (words.firstIndex(of: $1) ?? .max, $1)
    }
  }

  /// The tables of a workload's cases, and what their columns mean; nothing where there are no actions
  /// or too many cases.
  static func lines(of workload: WorkloadResult) -> [String] {
    let cases = workload.cases
    guard cases.count <= mostCases else { return [] }
    let names = Set(cases.flatMap(\.parameters.keys)).sorted().filter { name in
      Set(cases.map { $0.parameters[name] }).count > 1
    }
    let tables = cases.compactMap { result in
      ActionTable(result)?.lines(
        label: names.compactMap { name in result.parameters[name].map { "\(name)=\($0)" } }
          .joined(separator: ", ")
      )
    }
    return tables.isEmpty
      ? [] : tables.joined() + TerminalText.paragraph(meaning, to: table.width, mark: "  ") + [""]
  }

  /// A heading and a row for each action.
  private func lines(label: String) -> [String] {
    let heading = TerminalText.plain(label.isEmpty ? "each action" : "each action, \(label)")
    return ["", "  " + heading, Self.table.header]
      + actions.map { action in
        Self.table.line(
          [
            TerminalText.plain(action), text("phase.\(action)"),
            text(action, "statementsRun"), text(action, "vmSteps"), text(action, "materialised"),
            text(action, "faultsFired"), text(action, "held"), text(action, "contextBytes"),
            text(action, "residentBytes"),
          ]
        )
      }
  }

  private func text(_ action: String, _ counter: String) -> String {
    text("\(Self.family)\(action).\(counter)")
  }

  private func text(_ metric: String) -> String {
    guard let sample = result.sample(of: metric), let median = sample.median else {
      return FigureColumn.absent
    }
    return sample.metric.unit.text(median)
  }
}

import Basics
import Reporting

/// Tables of the time, counters and memory of each named part of the work, one table per case.
///
/// The parts are the actions of a session or the parts of a scenario.
struct ActionTables {
  /// The maximum number of cases to show; the actions of larger workloads are only in JSON and CSV.
  private static let mostCases = 8
  private static let mostBrief = 4
  static let families: [(prefix: String, title: String)] = [
    ("session.", "action"), ("step.", "part"),
  ]
  private static let counters: [(name: String, column: Report.Column)] = [
    ("turns", .init("Times", .number)), ("statementsRun", .init("SQL", .number)),
    ("vmSteps", .init("Steps", .number)),
    ("materialised", .init("Loaded", .number)), ("faultsFired", .init("Faults", .number)),
    ("held", .init("Live", .number)), ("contextBytes", .init("Context", .bytes)),
    ("residentBytes", .init("Memory", .bytes)),
  ]

  private static let deletions: [(name: String, column: Report.Column)] = [
    ("removed", .init("Removed", .number)), ("leftBehind", .init("Left behind", .number)),
    ("mostHeld", .init("Most live", .number)), ("longestRead", .init("List", .seconds)),
    ("quietRead", .init("List alone", .seconds)),
  ]

  let workload: WorkloadResult
  let parameters: CaseParameters

  init(_ workload: WorkloadResult, _ parameters: CaseParameters) {
    (self.workload, self.parameters) = (workload, parameters)
  }

  var blocks: [Report.Block] {
    guard workload.cases.count <= Self.mostCases else { return [] }
    let tables = workload.cases.compactMap { result -> Report.Table? in
      guard result.outcome == .passed,
        let (family, actions) = Self.families.lazy.map({ ($0, Self.actions(of: result, $0.prefix)) }
        )
        .first(where: { !$0.1.isEmpty })
      else { return nil }
      let title = workload.cases.count == 1 ? "" : ", " + parameters.label(of: result)
      let counters = Self.counters.filter { counter in
        actions.contains { result.sample(of: "\(family.prefix)\($0).\(counter.name)") != nil }
      }
      let objects = actions.compactMap { action in
        result.sample(of: "\(family.prefix)\(action).objects")?.median.map {
          "\(action) \(Figures.grouped($0))"
        }
      }
      return Report.Table(
        "Each \(family.title)\(title)",
        [.init(family.title.capitalizedFirst), .init("Time", .seconds)] + counters.map(\.column),
        rows: actions.map { action in
          let metrics =
            ["phase.\(action)"] + counters.map { "\(family.prefix)\(action).\($0.name)" }
          return [.text(action)] + metrics.map { .number(result.sample(of: $0)?.median, or: "–") }
        },
        note: objects.isEmpty
          ? nil : "objects fetched, counted or changed: \(objects.joined(separator: ", "))"
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
    ] + deletions
  }

  /// A short table with the median time of each part in each case; empty if a terminal has too few
  /// columns for the cases.
  var brief: [Report.Block] {
    let cases = workload.cases.filter { $0.outcome == .passed }
    let parts = cases.flatMap { Self.actions(of: $0, "step.") }.unique
    guard cases.count <= Self.mostBrief, parts.count > 1 else { return [] }
    // Show the number of objects only if it is the same in all cases; otherwise, only the full
    // report shows it.
    let objects = parts.map { part in
      Set(cases.map { $0.sample(of: "step.\(part).objects")?.median })
    }
    let hasObjects = objects.contains { $0 != [nil] } && objects.allSatisfy { $0.count == 1 }
    let columns = cases.map { result in
      Report.Column(
        cases.count == 1 ? "Time" : parameters.label(of: result).capitalizedFirst,
        .seconds
      )
    }
    let rows = zip(parts, objects).map { part, objects -> [Report.Cell] in
      var cells: [Report.Cell] = [.text(part)]
      if hasObjects { cells.append(.number(objects.first.flatMap { $0 }, or: "–")) }
      return cells + cases.map { .number($0.sample(of: "phase.\(part)")?.median, or: "–") }
    }
    let heads: [Report.Column] =
      [.init("Part")] + (hasObjects ? [.init("Objects", .number)] : [])
    return [.table(Report.Table("", heads + columns, rows: rows))]
  }

  /// The table of deletions: the objects that each part removed or left behind, and the waiting
  /// times of a list read at the same time.
  private var deletions: [Report.Block] {
    let rows = workload.cases.filter { $0.outcome == .passed }.flatMap { result in
      Self.actions(of: result, "step.").compactMap { part -> [Report.Cell]? in
        let values = Self.deletions.map { result.sample(of: "step.\(part).\($0.name)")?.median }
        guard values.contains(where: { $0 != nil }) else { return nil }
        return [.text(parameters.label(of: result)), .text(part)]
          + values.map { .number($0, or: "–") }
      }
    }
    guard !rows.isEmpty else { return [] }
    let columns = [Report.Column("Case"), .init("Part")] + Self.deletions.map(\.column)
    return [
      .table(
        Report.Table(
          "Deletions",
          columns,
          rows: rows,
          note: """
            left behind: objects that lost a to-one; most live: before a reset, faults among them; \
            list: the longest read of the list beside it
            """
        )
      )
    ]
  }

  /// Returns the names of a case's actions or parts, in the order of its script.
  static func actions(of result: CaseResult, _ family: String) -> [String] {
    let names = result.samples.compactMap { sample -> String? in
      let parts = sample.metric.name.split(separator: ".")
      let isOne =
        sample.metric.name.hasPrefix(family) && ["held", "materialised"].contains(parts.last)
      return isOne ? String(parts[1]) : nil
    }
    .unique
    let script = result.parameters["actions"] ?? result.job ?? ""
    let words = script.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
      .map(String.init)
    return names.sorted {
      (words.firstIndex(of: $0) ?? .max, $0) < (words.firstIndex(of: $1) ?? .max, $1)
    }
  }
}

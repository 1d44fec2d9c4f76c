import Basics
import Reporting

extension ActionCheck {
  /// What actions cost, with their limits.
  package var report: Report {
    let failed = outcomes.count(where: \.isFailed)
    let actions = Figures.counted(outcomes.count, "action")
    var report = Report(
      kind: "actions",
      title: failed == 0 ? "\(actions) within limits" : "\(failed) of \(actions) failed",
      tone: failed == 0 ? .good : .bad,
      source: "the log"
    )
    report.sections = outcomes.map { $0.section(hasReference: hasReference) }
    return report
  }
}

extension ActionCheck.Outcome {
  fileprivate func section(hasReference: Bool) -> Report.Section {
    let times = sections == 0 ? "not in the log" : Figures.counted(sections, "time") + " in the log"
    var blocks: [Report.Block] = [
      .table(
        [.init("Measure"), .init("Value", .number), .init("Limit", .number), .init("Verdict")],
        rows: figures.map(\.row)
      )
    ]
    if !additions.isEmpty {
      blocks.append(
        .table(
          Report.Table(
            hasReference ? "New statements, and more frequent ones" : "Statements",
            [.init("Statement"), .init("Calls", .number)]
              + (hasReference ? [.init("Before", .number)] : [])
              + [.init("First line", .number), .init("SQL", .code)],
            rows: additions.map(\.row),
            most: 20
          )
        )
      )
    } else if hasReference, figures.contains(where: \.isExceeded) {
      blocks.append(.sentence("No statement is new: the other log exceeds the limit too."))
    }
    return .init("\(isFailed ? "FAILED" : "ok") '\(name)', \(times)", blocks)
  }
}

extension ActionCheck.Addition {
  fileprivate var row: [Report.Cell] {
    var cells: [Report.Cell] = [.text(operation), .number(calls)]
    if let callsBefore { cells.append(callsBefore == 0 ? "new" : .number(callsBefore)) }
    return cells + [.number(firstLine), .text(fingerprint)]
  }
}

extension ActionCheck.Figure {
  fileprivate var row: [Report.Cell] {
    let measure = measure.rawValue
    guard let value else {
      let reason =
        doubt.isEmpty ? "'pages' needs a store to replay on: pass '--store'" : doubt
      return [.text(measure), "–", .number(limit), .text("not checked: \(reason)", .caution)]
    }
    let place = "lines \(lines.lowerBound) to \(lines.upperBound)"
    return [
      .text(measure), .number(value), .number(limit),
      isExceeded ? .text("exceeded in \(place)", .bad) : "within",
    ]
  }
}

extension ActionCheck: Encodable {
  package func encode(to encoder: any Encoder) throws {
    let object: JSONObject = [
      "kind": "storebench-log-actions", "version": 1, "isFailed": isFailed,
      "hasReference": hasReference,
      "actions": outcomes.map { outcome -> JSONObject in
        [
          "name": outcome.name, "isFailed": outcome.isFailed, "sections": outcome.sections,
          "figures": outcome.figures.map { figure -> JSONObject in
            [
              "measure": figure.measure.rawValue, "value": figure.value, "doubt": figure.doubt,
              "limit": figure.limit, "isExceeded": figure.isExceeded,
              "firstLine": figure.lines.lowerBound, "lastLine": figure.lines.upperBound,
            ]
          },
          "newStatements": outcome.additions,
        ]
      },
    ]
    try object.encode(to: encoder)
  }
}

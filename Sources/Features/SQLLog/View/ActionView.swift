import Basics
import Reporting

extension ActionCheck {
  /// The counts of the actions, with their limits and the changes since the baseline, as a report.
  package var report: Report {
    let failed = outcomes.count(where: \.isFailed)
    let risen = outcomes.count { $0.isRegressed && !$0.isFailed }
    let actions = Figures.counted(outcomes.count, "action")
    let isGood = failed + risen == 0
    var parts: [String] = []
    if failed > 0 { parts.append("\(failed) of \(actions) failed") }
    if risen > 0 {
      parts.append("\(failed > 0 ? "\(risen)" : "\(risen) of \(actions)") regressed")
    }
    let within =
      hasBaseline ? "\(actions) as in the baseline or better" : "\(actions) within limits"
    var report = Report(
      kind: "actions",
      title: Report.Text(isGood ? within : parts.joined(separator: ", ")),
      verdict: hasBaseline ? Report.Text(summary) : nil,
      tone: isGood ? .good : .bad,
      source: "the log"
    )
    report.sections =
      (notes.isEmpty ? [] : [.init("Notes", [.list(notes.map { Report.Text($0) })])])
      + outcomes.map { $0.section(hasReference: hasReference) }
    return report
  }

  /// The comparison with the baseline in words: `12 counts compared: 1 regressed, 0 improved, 11
  /// unchanged`.
  package var summary: String {
    let changes = outcomes.flatMap(\.changes)
    func count(_ verdict: ActionChange.Verdict) -> Int { changes.count { $0.verdict == verdict } }
    var text =
      "\(Figures.counted(changes.count, "count")) compared: \(count(.regressed)) regressed, "
      + "\(count(.improved)) improved, \(count(.unchanged)) unchanged"
    let others: [(ActionChange.Verdict, String)] = [
      (.varies, "vary"), (.new, "not in the baseline"), (.missing, "only in the baseline"),
    ]
    for (verdict, words) in others where count(verdict) > 0 {
      text += ", \(count(verdict)) \(words)"
    }
    return text
  }

  /// The actions of a log as a section of its analysis: their counts and their findings.
  var sections: [Report.Section] {
    let rows = outcomes.flatMap { outcome in
      outcome.occurrences.enumerated().map { place, section -> [Report.Cell] in
        [
          .text(outcome.sections > 1 ? "\(outcome.name) (\(place + 1))" : outcome.name),
          .number(section.statements), .number(section.rows), .number(section.faults),
          .number(section.saves), section.pages.map { Report.Cell.number($0.bytes) } ?? .empty,
          section.timed > 0 ? .number(Double(section.time) / 1e6) : "unknown",
          .number(section.lines.lowerBound),
        ]
      }
    }
    let causes = outcomes.filter { !$0.findings.isEmpty }.map { outcome -> [Report.Block] in
      let findings = outcome.findings.map { finding in
        let time = finding.time.map { ": \(AnalysisView.time($0))" } ?? ""
        return Report.Text("\(finding.summary.capitalizedFirst)\(time)")
      }
      return [Report.Block.heading(Report.Text(outcome.name)), .list(findings)]
    }
    let table = Report.Table(
      "",
      [
        .init("Action"), .init("Statements", .number), .init("Rows", .number),
        .init("Faults", .number), .init("Saves", .number), .init("Bytes read", .bytes),
        .init("Time", .seconds), .init("First line", .number),
      ],
      rows: rows,
      most: 30
    )
    var blocks: [Report.Block] = [.table(table)]
    blocks += notes.map { Report.Block.note(Report.Text($0)) }
    blocks += causes.flatMap(\.self)
    return [
      .init("Actions", question: "What does each action of the app cost, and why?", blocks)
    ]
  }
}

extension ActionCheck.Outcome {
  /// The action's problems, one per line; an empty string if it has no problems.
  package var problems: [String] {
    if sections == 0, isExpected {
      return ["'\(name)' is not in the log" + (instead.isEmpty ? "" : ": \(instead)")]
    }
    let exceeded = figures.filter { $0.isExceeded || !$0.doubt.isEmpty }.map { figure in
      figure.value.map {
        "\(figure.measure.rawValue): \($0.grouped), more than the limit \(figure.limit.grouped) "
          + "(lines \(figure.lines.lowerBound) to \(figure.lines.upperBound))"
      } ?? "\(figure.measure.rawValue): not checked: \(figure.doubt)"
    }
    let risen = changes.filter { $0.verdict == .regressed }.map { change in
      let place = sections > 1 ? " (occurrence \(change.key.occurrence))" : ""
      return "\(change.key.measure.rawValue) rose from \((change.before ?? 0).grouped) to "
        + "\((change.now ?? 0).grouped)\(place)"
    }
    return exceeded + risen
  }

  fileprivate func section(hasReference: Bool) -> Report.Section {
    let times = sections == 0 ? "not in the log" : Figures.counted(sections, "time") + " in the log"
    var blocks: [Report.Block] = []
    if !instead.isEmpty { blocks.append(.warning(Report.Text("\(instead.capitalizedFirst)."))) }
    if !figures.isEmpty {
      blocks.append(
        .table(
          [.init("Measure"), .init("Value", .number), .init("Limit", .number), .init("Verdict")],
          rows: figures.map(\.row)
        )
      )
    }
    let differing = changes.filter { $0.verdict != .unchanged }
    if !differing.isEmpty {
      blocks.append(
        .table(
          [
            .init("Measure"), .init("Occurrence", .number), .init("Baseline", .number),
            .init("Now", .number), .init("Verdict"),
          ],
          rows: differing.map(\.row)
        )
      )
    } else if !changes.isEmpty {
      let names = Set(changes.map(\.key.measure.rawValue)).sorted().joined(separator: ", ")
      blocks.append(.sentence("As in the baseline: \(names)."))
    }
    let timed = occurrences.filter { $0.timed > 0 }
    if !timed.isEmpty {
      let list = Figures.few(timed.map { AnalysisView.time($0.time) }, most: 5)
      blocks.append(.note("Recorded time, which nothing judges: \(list)"))
    }
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
    let word = isFailed ? "FAILED" : isRegressed ? "REGRESSED" : "ok"
    return .init("\(word) '\(name)', \(times)", blocks)
  }
}

extension ActionCheck.Addition {
  fileprivate var row: [Report.Cell] {
    var cells: [Report.Cell] = [.text(operation), .number(calls)]
    if let callsBefore { cells.append(callsBefore == 0 ? "new" : .number(callsBefore)) }
    return cells + [.number(firstLine), .text(fingerprint)]
  }
}

extension ActionChange {
  fileprivate var row: [Report.Cell] {
    let words: [Verdict: Report.Cell] = [
      .improved: .text("improved", .good), .regressed: .text("regressed", .bad),
      .new: "not in the baseline", .missing: "only in the baseline",
      .varies: "varies, not judged",
    ]
    return [
      .text(key.measure.rawValue), .number(key.occurrence),
      before.map { Report.Cell.number($0) } ?? "–",
      now.map { Report.Cell.number($0) } ?? "–", words[verdict] ?? "unchanged",
    ]
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
      "isRegressed": isRegressed, "hasReference": hasReference, "hasBaseline": hasBaseline,
      "notes": notes, "actions": outcomes.map(\.json),
    ]
    try object.encode(to: encoder)
  }
}

extension ActionCheck.Outcome {
  var json: JSONObject {
    [
      "name": name, "isFailed": isFailed, "isRegressed": isRegressed, "sections": sections,
      "figures": figures.map { figure -> JSONObject in
        [
          "measure": figure.measure.rawValue, "value": figure.value, "doubt": figure.doubt,
          "limit": figure.limit, "isExceeded": figure.isExceeded,
          "firstLine": figure.lines.lowerBound, "lastLine": figure.lines.upperBound,
        ]
      },
      "changes": changes.filter { $0.verdict != .unchanged }.map { change -> JSONObject in
        [
          "measure": change.key.measure.rawValue, "occurrence": change.key.occurrence,
          "before": change.before, "now": change.now, "verdict": change.verdict.rawValue,
        ]
      },
      "occurrences": occurrences.map { section -> JSONObject in
        [
          "firstLine": section.lines.lowerBound, "lastLine": section.lines.upperBound,
          "statements": section.statements, "faults": section.faults, "rows": section.rows,
          "saves": section.saves, "pages": section.value(.pages),
          "bytes": section.pages?.bytes,
          "microseconds": section.timed > 0 ? section.time : nil,
        ]
      },
      "findings": findings.map(\.summary), "newStatements": additions,
    ]
  }
}

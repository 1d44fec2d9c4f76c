import Basics
import DataModel
import Reporting
import SwiftModels

/// The output format of a schema check, named like the value of `--format`.
package enum SchemaFormat: String, CaseIterable, Sendable {
  case text, json, github, junit
}

/// Formats the result of a schema check.
package struct SchemaView: Encodable {
  private let check: SchemaGuard

  package init(_ check: SchemaGuard) { self.check = check }

  private func file(_ place: SourcePlace) -> String {
    let root = check.family.root
    return root.isEmpty || root == "." ? place.file : root + "/" + place.file
  }

  private func text(_ place: SourcePlace) -> String { "\(file(place)):\(place.line)" }

  private func count(_ severity: SchemaFinding.Severity) -> Int {
    check.findings.count { $0.severity == severity }
  }

  private var summary: String {
    let (errors, warnings, open) = (count(.error), count(.warning), count(.notKnown))
    let counts = [
      errors == 0 ? nil : Figures.counted(errors, "error"),
      warnings == 0 ? nil : Figures.counted(warnings, "warning"),
      open == 0 ? nil : "\(open) not known",
    ].compactMap(\.self)
    return counts.isEmpty ? "no fault found" : counts.joined(separator: ", ")
  }
}

extension SchemaView {
  package var report: Report {
    var report = Report(
      kind: "schema check",
      title: check.hasErrors ? "The schema check fails: \(summary)" : "Schema check: \(summary)",
      tone: check.hasErrors ? .bad : count(.warning) + count(.notKnown) > 0 ? .caution : .good,
      source: "the sources, the lock file and the stores"
    )
    report.facts = versions
    report.findings = check.findings.map { finding in
      let place = finding.place.map { [Report.Text("at \(text($0))")] } ?? []
      return Report.Finding(
        Report.Text("\(Self.word(finding.severity)): \(finding.message)"),
        details: place + [
          Report.Text("\(finding.rule.reason)"), Report.Text("To do: \(finding.advice)."),
        ],
        tone: finding.severity == .error ? .bad : .caution
      )
    }
    let sections = [storeSection, noteSection, assumedSection]
    report.sections = sections.compactMap(\.self)
    return report
  }

  private static func word(_ severity: SchemaFinding.Severity) -> String {
    severity == .notKnown ? "not known" : severity.rawValue
  }

  private var versions: [Report.Fact] {
    let all = check.family.versions.isEmpty ? [check.family.current] : check.family.versions
    return all.map { version in
      let number = version.identifier.map { "\($0), " } ?? ""
      let isLocked = check.shipped?.version(named: version.name) != nil
      return Report.Fact(
        version.name,
        Report.Text(
          number + Figures.counted(version.model.entities.count, "entity", "entities")
            + (isLocked ? ", shipped" : "")
        )
      )
    }
  }

  private var storeSection: Report.Section? {
    guard !check.stores.isEmpty else { return nil }
    let items = check.stores.map { store -> Report.List.Item in
      let sign: Report.List.Sign =
        switch (store.match, store.opens) {
        case (.unreadable, _), (_, false?): .bad
        case (.none, _): .caution
        case (.version, true?): store.dropsData ? .caution : .good
        case (.version, nil), (.mayBe, _): .unknown
        }
      let end = store.consequence.isEmpty ? "" : "; \(store.consequence)"
      return .init(sign, Report.Text("\(store.path) \(store.sentence)\(end)"))
    }
    return Report.Section("Stores", [.list(Report.List(items))])
  }

  private var noteSection: Report.Section? {
    let notes = check.family.notes
    guard !notes.isEmpty else { return nil }
    let texts = notes.map { note in (note.place.map { "\(text($0)): " } ?? "") + note.message }
    return Report.Section("Not known from the sources", [.texts(texts, most: 12)])
  }

  /// The properties of all versions whose storage is only assumed, with the assumptions.
  private var assumed: [String: String] {
    ([check.family.current] + check.family.versions).reduce(into: [:]) { all, version in
      all.merge(version.assumed.filter { $0.key.contains(".") }) { _, newer in newer }
    }
  }

  private var assumedSection: Report.Section? {
    let assumed = self.assumed.sorted { $0.key < $1.key }
    guard !assumed.isEmpty else { return nil }
    return Report.Section(
      "Assumed",
      [
        .sentence("No error rests on how these are stored:"),
        .texts(assumed.map { "\($0.key): \($0.value)" }, most: 12),
      ]
    )
  }
}

extension SchemaView {
  package func encode(to encoder: any Encoder) throws {
    let object: JSONObject = [
      "format": "storebench.schemaCheck", "formatVersion": 1, "fails": check.hasErrors,
      "versions": check.family.versions.map { version -> JSONObject in
        [
          "name": version.name, "identifier": version.identifier,
          "entities": version.model.entities.map(\.name),
        ]
      },
      "current": check.family.current.model.entities.map(\.name),
      "findings": check.findings.map { finding -> JSONObject in
        [
          "rule": finding.rule.rawValue, "severity": finding.severity,
          "message": finding.message, "reason": finding.rule.reason, "advice": finding.advice,
          "file": finding.place.map(file), "line": finding.place?.line,
        ]
      },
      "stores": check.stores.map { store -> JSONObject in
        [
          "path": store.path, "answer": store.answer, "version": store.version,
          "sentence": store.sentence, "opens": store.opens, "dropsData": store.dropsData,
          "consequence": store.consequence, "identifiers": store.identifiers,
        ]
      },
      "notes": check.family.notes.map { note -> JSONObject in
        ["message": note.message, "file": note.place.map(file), "line": note.place?.line]
      },
      "assumed": assumed,
    ]
    try object.encode(to: encoder)
  }

  /// The findings as annotations with file and line.
  package var annotations: String {
    let total = WorkflowCommand.text(
      check.hasErrors ? "error" : "notice",
      title: "storebench schema check",
      summary
    )
    return total
      + check.findings.map { finding in
        let name =
          switch finding.severity {
          case .error: "error"
          case .warning: "warning"
          case .notKnown: "notice"
          }
        return WorkflowCommand.text(
          name,
          title: finding.rule.rawValue,
          "\(finding.message). \(finding.rule.reason) To do: \(finding.advice).",
          file: finding.place.map(file),
          line: finding.place?.line
        )
      }.joined()
  }

  /// The findings as JUnit XML with one test per rule.
  ///
  /// Warnings and uncertain findings are skipped tests.
  package var junit: String {
    let tests = SchemaRule.allCases.flatMap { rule -> [JUnitXML.Test] in
      let found = check.findings.filter { $0.rule == rule }
      guard !found.isEmpty else { return [JUnitXML.Test(name: rule.rawValue, outcome: .passed)] }
      return found.map { finding in
        let place = finding.place.map { text($0) + ": " } ?? ""
        let message = "\(place)\(finding.message). To do: \(finding.advice)."
        return JUnitXML.Test(
          name: rule.rawValue,
          outcome: finding.severity == .error
            ? .failure(type: "error", message: message) : .skipped(message)
        )
      }
    }
    return JUnitXML(suites: [JUnitXML.Suite(name: "schema", tests: tests)]).text
  }
}

extension StoreVerdict {
  fileprivate var answer: String {
    switch match {
    case .version: "same"
    case .mayBe: "notKnown"
    case .none: "changed"
    case .unreadable: "unreadable"
    }
  }

  fileprivate var version: String? {
    switch match {
    case .version(let name), .mayBe(let name, _): name
    case .none(let nearest, _): nearest
    case .unreadable: nil
    }
  }
}

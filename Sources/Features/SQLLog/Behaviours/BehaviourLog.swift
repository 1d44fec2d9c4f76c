import Basics
import Reporting

/// The behavior of Apple's code, observed in a log of the tests from `storebench observe`.
package struct BehaviourLog {
  /// The observation of one behavior.
  package struct Seen: Equatable {
    package let name: String
    /// The observed value, one of the declared values; `nil` if the log does not show it.
    package var value: String?
    /// The reason why there is no value.
    package var reason = ""
    /// The lines of the behavior's test; line numbers are counted across all logs.
    package var lines: ClosedRange<Int>?
  }

  /// The operating system version that the tests printed.
  package private(set) var system = ""
  /// The observations in the order of ``BehaviourProbe/all``.
  package private(set) var seen: [Seen] = []

  static let mark = "storebench behavior: "
  private static let longestSystem = 80

  private struct Section {
    var lines: ClosedRange<Int>
    var printed: [String] = []
    var statements: [String] = []
    var isWhole = false
  }

  /// Reads the logs.
  ///
  /// - Throws: a ``Refusal`` if a file is missing, binary or not a log, or has no lines of the
  ///   tests.
  package init(of logs: [String]) throws {
    var sections: [String: Section] = [:]
    var (line, open): (Int, String?) = (0, nil)
    for path in logs {
      try LineReader(path: path).forEachLine { bytes, _ in
        line += 1
        guard bytes.count < 400, case let text = bytes.text,
          let start = text.firstRange(of: Self.mark)
        else { return }
        let words = text[start.upperBound...].split(separator: " ", omittingEmptySubsequences: true)
        guard let name = words.first.map(String.init) else { return }
        if name == "system" {
          system = String(
            words.dropFirst().joined(separator: " ").filter {
              $0.isASCII && !$0.isNewline && $0 >= " "
            }
            .prefix(Self.longestSystem)
          )
        } else if words.count == 2, words[1] == "begins" {
          // If a test runs again, its last run counts.
          sections[name] = Section(lines: line...line)
          open = name
        } else if let own = open, name == own, words.count == 2, words[1] == "ends" {
          guard var section = sections[own] else { return }
          (section.lines, section.isWhole) = (section.lines.lowerBound...line, true)
          (sections[own], open) = (section, nil)
        } else if let own = open, name == own, words.count == 3, words[1] == "is" {
          sections[own]?.printed.append(String(words[2]))
        }
      }
    }
    guard !sections.isEmpty else {
      throw Refusal.badInput(
        "'\(logs[0])' has no line that begins with '\(Self.mark)': run the tests of 'storebench observe "
          + "--print-source --behaviors' and save their standard error"
      )
    }
    let reader = StatementReader()
    for path in logs { try reader.parser.read(path) }
    for (line, sql) in reader.statements {
      let owner = sections.first { $0.value.isWhole && $0.value.lines.contains(line) }
      if let owner { sections[owner.key]?.statements.append(sql) }
    }
    seen = BehaviourProbe.all.map { Self.seen($0, in: sections[$0.name]) }
  }

  private static func seen(_ probe: BehaviourProbe, in section: Section?) -> Seen {
    var seen = Seen(name: probe.name, lines: section?.lines)
    if case .nothing(let reason) = probe.sign {
      seen.reason = reason
      return seen
    }
    guard let section, section.isWhole else {
      seen.reason = section == nil ? "its test is not in the log" : "its test did not end"
      return seen
    }
    let found: String?
    switch probe.sign {
    case .printed: found = Set(section.printed).count == 1 ? section.printed[0] : nil
    case .statements(let rule): found = rule(section.statements)
    case .nothing: found = nil
    }
    seen.value = found.flatMap { probe.values.contains($0) ? $0 : nil }
    if seen.value == nil {
      seen.reason =
        section.statements.isEmpty ? "no statement was logged" : "its lines show none of the values"
    }
    return seen
  }
}

private final class StatementReader {
  private(set) var parser = LogParser { _ in }
  private(set) var statements: [(line: Int, sql: String)] = []

  init() {
    parser = LogParser { [unowned self] statement in
      guard let text = parser.text(ofLine: statement.line)?.sql else { return }
      let words = text.uppercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
      statements.append((statement.line, words))
    }
    parser.keepTexts()
  }
}

// MARK: Report

extension BehaviourLog: Encodable {
  private static let evidence = "log"

  /// The observed values, and the reasons for missing values, as a report.
  package var report: Report {
    let known = seen.filter { $0.value != nil }
    var report = Report(
      kind: "behaviors",
      title:
        "\(known.count) of \(Figures.counted(seen.count, "assumed behavior")) seen in the log",
      facts: [Report.Fact("System", system.isEmpty ? "not named in the log" : .init(system))],
      source: "the log"
    )
    report.sections = [
      .init(
        "Behaviors",
        [
          .table(
            [.init("Behavior"), .init("Value"), .init("Evidence"), .init("Lines")],
            rows: seen.map { own in
              [
                .text(own.name), .text(own.value ?? "not known"),
                .text(own.value == nil ? own.reason : Self.evidence),
                .text(own.lines.map { "\($0.lowerBound) to \($0.upperBound)" } ?? "–"),
              ]
            }
          )
        ]
      )
    ]
    return report
  }

  package func encode(to encoder: any Encoder) throws {
    let object: JSONObject = [
      "kind": "storebench-behaviors", "version": 1, "system": system,
      "behaviors": seen.map { own -> JSONObject in
        [
          "name": own.name, "value": own.value, "evidence": own.value.map { _ in Self.evidence },
          "reason": own.reason.isEmpty ? nil : own.reason,
          "firstLine": own.lines?.lowerBound, "lastLine": own.lines?.upperBound,
        ]
      },
    ]
    try object.encode(to: encoder)
  }
}

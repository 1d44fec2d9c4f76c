import Basics
import Foundation
import SQLLog

/// What actions cost beside their limits, for a person.
package enum ActionText {
  private static let most = 20

  package static func text(of check: ActionCheck, width: Int = 80) -> String {
    let width = max(width, 80)
    let failed = check.outcomes.count(where: \.isFailed)
    var lines = [
      failed == 0
        ? "\(Figures.counted(check.outcomes.count, "action")) within limits"
        : "\(failed) of \(Figures.counted(check.outcomes.count, "action")) failed"
    ]
    for outcome in check.outcomes {
      lines.append("")
      lines += TerminalText.paragraph(
        (outcome.isFailed ? "FAILED " : "ok ") + "'\(TerminalText.plain(outcome.name))', "
          + (outcome.sections == 0
            ? "not in the log" : Figures.counted(outcome.sections, "time") + " in the log"),
        to: width
      )
      for figure in outcome.figures { lines.append(line(figure)) }
      guard !outcome.additions.isEmpty else {
        if check.hasReference, outcome.figures.contains(where: \.isExceeded) {
          lines.append("  No statement is new: the other log exceeds the limit too")
        }
        continue
      }
      lines.append(
        check.hasReference ? "  New statements, and more frequent ones:" : "  Statements:"
      )
      for addition in outcome.additions.prefix(most) {
        let before = addition.callsBefore.map { $0 > 0 ? ", \($0) before" : ", new" } ?? ""
        lines += TerminalText.paragraph(
          "\(Figures.counted(addition.calls, "time"))\(before): \(addition.operation), first line \(addition.firstLine)",
          to: width,
          mark: "    "
        )
        let sql = TerminalText.plain(addition.fingerprint)
        lines.append("      " + TerminalText.shortened(sql, to: width - 6))
      }
      let rest = outcome.additions.count - most
      if rest > 0 { lines.append("    \(rest) more; all of them in --format json") }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func line(_ figure: ActionCheck.Figure) -> String {
    let name = figure.measure.rawValue.padding(toLength: 11, withPad: " ", startingAt: 0)
    guard let value = figure.value else {
      let reason =
        figure.doubt.isEmpty ? "'pages' needs a store to replay on: pass '--store'" : figure.doubt
      return "  \(name)not checked: \(reason)"
    }
    let range = "lines \(figure.lines.lowerBound) to \(figure.lines.upperBound)"
    return "  \(name)\(value.grouped) of at most \(figure.limit.grouped)"
      + (figure.isExceeded ? ", exceeded in \(range)" : "")
  }
}

/// What actions cost beside their limits, for a program.
package struct ActionDocument: Encodable {
  private struct Figure: Encodable {
    let measure: String
    let value: Int?
    /// Why a replay does not check it; empty where one does, and where there is none.
    let doubt: String
    let limit: Int
    let isExceeded: Bool
    let firstLine: Int
    let lastLine: Int
  }

  private struct Addition: Encodable {
    let operation: String
    let fingerprint: String
    let calls: Int
    let callsBefore: Int?
    let firstLine: Int
  }

  private struct Action: Encodable {
    let name: String
    let isFailed: Bool
    let sections: Int
    let figures: [Figure]
    let newStatements: [Addition]
  }

  private let kind = "storebench-log-actions"
  private let version = 1
  private let isFailed: Bool
  private let hasReference: Bool
  private let actions: [Action]

  package init(_ check: ActionCheck) {
    isFailed = check.isFailed
    hasReference = check.hasReference
    actions = check.outcomes.map { outcome in
      Action(
        name: outcome.name,
        isFailed: outcome.isFailed,
        sections: outcome.sections,
        figures: outcome.figures.map {
          Figure(
            measure: $0.measure.rawValue,
            value: $0.value,
            doubt: $0.doubt,
            limit: $0.limit,
            isExceeded: $0.isExceeded,
            firstLine: $0.lines.lowerBound,
            lastLine: $0.lines.upperBound
          )
        },
        newStatements: outcome.additions.map {
          Addition(
            operation: $0.operation,
            fingerprint: $0.fingerprint,
            calls: $0.calls,
            callsBefore: $0.callsBefore,
            firstLine: $0.firstLine
          )
        }
      )
    }
  }

  package func text() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }
}

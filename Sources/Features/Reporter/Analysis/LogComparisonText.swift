import Basics
import Foundation
import SQLLog

/// The differences of two logs for a person.
package enum LogComparisonText {
  private static let most = 40

  package static func text(of comparison: LogComparison, width: Int = 80) -> String {
    let width = max(width, 80)
    var lines: [String] = []
    let counts = LogComparison.Change.allCases.compactMap { change -> String? in
      let count = comparison.items.count { $0.changes.contains(change) }
      return count == 0 ? nil : "\(count) \(change.rawValue)"
    }
    let summary =
      counts.isEmpty ? "no statement differs" : "statements: " + counts.joined(separator: ", ")
    lines += TerminalText.paragraph("\(summary); \(comparison.unchanged) unchanged", to: width)
    guard !comparison.items.isEmpty else { return lines.joined(separator: "\n") + "\n" }
    let table = TextTable([
      .right("Calls", 9), .right("after", 9), .right("Mean time", 10), .right("after", 10),
      .left("Change", 28, gap: 2),
    ])
    lines += ["", table.header]
    for item in comparison.items.prefix(most) {
      lines.append(
        table.line([
          item.callsBefore.grouped, item.callsAfter.grouped,
          item.callsBefore == 0 ? "" : time(item.timeBefore),
          item.callsAfter == 0 ? "" : time(item.timeAfter),
          item.changes.map(\.rawValue).joined(separator: ", "),
        ])
      )
      lines += TerminalText.paragraph(item.operation, to: width, mark: "    ")
      let places = [("before", item.lineBefore), ("after", item.lineAfter)].filter { $0.1 > 0 }
      let sql = TerminalText.plain(item.fingerprint)
      lines.append("    " + TerminalText.shortened(sql, to: width - 4))
      lines.append("    first line " + places.map { "\($0.1) \($0.0)" }.joined(separator: ", "))
    }
    let rest = comparison.items.count - most
    if rest > 0 { lines.append("\(rest) more; all of them in --format json") }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func time(_ microseconds: Double?) -> String {
    microseconds.map { $0 == 0 ? "0 µs" : Figures.seconds($0 / 1e6) } ?? "unknown"
  }
}

/// The differences of two logs for a program.
package struct LogComparisonDocument: Encodable {
  private struct Item: Encodable {
    let fingerprint: String
    let operation: String
    let changes: [String]
    let callsBefore: Int
    let callsAfter: Int
    let meanMicrosecondsBefore: Double?
    let meanMicrosecondsAfter: Double?
  }

  private let kind = "storebench-log-comparison"
  private let version = 1
  private let unchanged: Int
  private let statements: [Item]

  package init(_ comparison: LogComparison) {
    unchanged = comparison.unchanged
    statements = comparison.items.map {
      Item(
        fingerprint: $0.fingerprint,
        operation: $0.operation,
        changes: $0.changes.map(\.rawValue),
        callsBefore: $0.callsBefore,
        callsAfter: $0.callsAfter,
        meanMicrosecondsBefore: $0.timeBefore,
        meanMicrosecondsAfter: $0.timeAfter
      )
    }
  }

  package func text() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }
}

import Basics
import Reporting

extension LogComparison: Encodable {
  /// The differences between two logs, as a report.
  package var report: Report {
    let counts = Change.allCases.compactMap { change -> String? in
      let count = items.count { $0.changes.contains(change) }
      return count == 0 ? nil : "\(count) \(change.rawValue)"
    }
    let changed = counts.isEmpty ? "No statement differs" : counts.joined(separator: ", ")
    var report = Report(
      kind: "comparison of logs",
      title: "\(changed); \(Figures.counted(unchanged, "statement")) unchanged",
      source: "two logs"
    )
    guard !items.isEmpty else { return report }
    report.sections = [
      .init(
        "Statements",
        [
          .table(
            [
              .init("Statement"), .init("Calls before", .number), .init("Calls after", .number),
              .init("Mean before", .seconds), .init("Mean after", .seconds), .init("Change"),
              .init("First line", .number), .init("SQL", .code),
            ],
            rows: items.map(\.row),
            most: 40
          )
        ]
      )
    ]
    return report
  }

  package func encode(to encoder: any Encoder) throws {
    let object: JSONObject = [
      "kind": "storebench-log-comparison", "version": 1, "unchanged": unchanged,
      "statements": items.map { item -> JSONObject in
        [
          "fingerprint": item.fingerprint, "operation": item.operation,
          "changes": item.changes.map(\.rawValue), "callsBefore": item.callsBefore,
          "callsAfter": item.callsAfter, "meanMicrosecondsBefore": item.timeBefore,
          "meanMicrosecondsAfter": item.timeAfter,
        ]
      },
    ]
    try object.encode(to: encoder)
  }
}

extension LogComparison.Item {
  fileprivate var row: [Report.Cell] {
    func time(_ microseconds: Double?, _ calls: Int) -> Report.Cell {
      calls == 0 ? .empty : .number(microseconds.map { $0 / 1e6 }, or: "unknown")
    }
    return [
      .text(operation), .number(callsBefore), .number(callsAfter), time(timeBefore, callsBefore),
      time(timeAfter, callsAfter), .text(changes.map(\.rawValue).joined(separator: ", ")),
      .number(lineAfter > 0 ? lineAfter : lineBefore), .text(fingerprint),
    ]
  }
}

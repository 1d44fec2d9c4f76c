/// The findings that one change of the code or the model fixes.
package struct FindingGroup: Sendable {
  /// The thing to change; for indexes, the one index that serves all findings.
  package let subject: Finding.Subject
  /// The findings in the order of the analysis.
  package fileprivate(set) var findings: [Finding]

  /// The time in microseconds of the statements of all findings, each counted once; `nil` if the
  /// log has no times for them.
  package var time: Int? {
    // Findings that start at the same line are about the same statements.
    var times: [Int: Int] = [:]
    for finding in findings {
      guard let time = finding.time else { continue }
      let line = finding.lines.first ?? 0
      times[line] = max(times[line] ?? 0, time)
    }
    return times.isEmpty ? nil : times.values.reduce(0, +)
  }

  /// Groups the findings that one change fixes.
  ///
  /// The change concerns the settings of one fetch request, one loop of saves, or an index that
  /// also covers the columns of another index.
  package static func groups(of findings: [Finding]) -> [FindingGroup] {
    var wanted: [String: [[String]]] = [:]
    for case .index(let table, let columns) in findings.map(\.subject) {
      wanted[table, default: []].append(columns)
    }
    var groups: [FindingGroup] = []
    var places: [Finding.Subject: Int] = [:]
    for finding in findings {
      var subject = finding.subject
      if case .index(let table, let columns) = subject {
        // The longest proposed index that starts with the finding's columns serves this finding,
        // too.
        let longest = wanted[table]?.filter { !columns.isEmpty && $0.starts(with: columns) }.max {
          ($0.count, $1.joined()) < ($1.count, $0.joined())
        }
        subject = .index(table: table, columns: longest ?? columns)
      }
      if subject != .app, let place = places[subject] {
        groups[place].findings.append(finding)
      } else {
        places[subject] = groups.count
        groups.append(FindingGroup(subject: subject, findings: [finding]))
      }
    }
    return groups
  }
}

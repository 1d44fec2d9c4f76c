import DataModel
import SQLite

/// Compares a store's history with the changes to its objects.
///
/// The changes are derived from the original and the expected content, independently of the code
/// that writes history. The comparison uses a few bytes of memory per object in the new changes.
package struct HistoryComparison {
  let expected: ExpectedContent
  let actual: StoreContent
  let history: ExpectedHistory

  private var original: StoreContent { expected.original }
  private var originalKeepsHistory: Bool { original.layout.keepsHistory && history != .fresh }

  /// Returns the differences, listing the first findings up to the limit; empty if the store keeps
  /// no history.
  package func findings(limit: Int = 10) throws -> Findings<String> {
    var findings = Findings<String>(limit: limit)
    guard actual.layout.keepsHistory else { return findings }
    let isSameModel = original.layout.model == actual.layout.model
    let changes = Rows.changes(of: actual.layout, withColumns: isSameModel)
    let lastChange = try compareOldRows(of: changes, &findings)
    _ = try compareOldRows(of: .transactions, &findings)
    guard history != .unchanged else { return findings }
    var records = try Records(actual, after: lastChange)
    for table in actual.layout.tables { try compare(table, &records, &findings) }
    for finding in records.unexplained { findings.add(finding) }
    return findings
  }

  private func compareOldRows(of rows: Rows, _ findings: inout Findings<String>) throws -> Int64 {
    let last = originalKeepsHistory ? try rows.lastKey(original.connection) : 0
    let end = history == .unchanged ? Int64.max : last
    let left: ContentStream<Rows.Row> =
      originalKeepsHistory ? try rows.stream(original.connection, through: last) : ContentStream([])
    let right = try rows.stream(actual.connection, through: end)
    try walk(left.next, right.next, by: Rows.Row.precedes) { wanted, found in
      if let wanted, let found {
        compare(wanted, found, rows, &findings)
      } else if let wanted {
        findings.add("\(rows.table) lacks the row \(wanted.key)")
      } else if let found {
        findings.add("\(rows.table) has a row \(found.key) that is not expected")
      }
    }
    return last
  }

  private func compare(
    _ wanted: Rows.Row,
    _ found: Rows.Row,
    _ rows: Rows,
    _ findings: inout Findings<String>
  ) {
    for (index, column) in rows.columns.enumerated() {
      var (value, other) = (wanted.values[index], found.values[index])
      if column == "ZENTITY" {
        value = name(of: value, original.layout, expected.origin.successor)
        other = name(of: other, actual.layout) { $0 }
      }
      guard value != other else { continue }
      findings.add("\(rows.table) has \(column) = \(other) in row \(wanted.key), expected \(value)")
    }
  }

  private func name(
    of number: ContentValue,
    _ layout: StoreLayout,
    _ present: (String) -> String?
  ) -> ContentValue {
    guard case .integer(let number) = number,
      let entity = Int(exactly: number).flatMap(layout.numbers.entity),
      let name = present(entity.name)
    else { return number }
    return .text(name)
  }

  private func compare(
    _ table: EntityTable,
    _ records: inout Records,
    _ findings: inout Findings<String>
  ) throws {
    let before: ContentStream<ContentObject> =
      history == .fresh
      ? ContentStream([])
      : try ExpectedContent(from: original, layout: expected.layout).objects(in: table)
    let after = try expected.objects(in: table)
    try walk(before.next, after.next, by: ContentObject.precedes) { old, new in
      guard let object = old ?? new else { return }
      let done: HistoryChangeKind? =
        switch (old, new) {
        case (_?, nil): .deletion
        case (nil, _): .insertion
        case (let old?, let new?): old.values == new.values ? nil : .update
        }
      for finding in records.findings(about: object.reference, table: table, done: done) {
        findings.add(finding)
      }
    }
  }
}

/// The expected content of the history tables after some work.
package enum ExpectedHistory: Hashable, Sendable {
  /// Only the original store's transactions and changes.
  case unchanged
  /// The original store's history, followed by changes that record an insertion, update or deletion
  /// for each object that is new, different or removed.
  case recording
  /// A new history with an insertion for each existing object.
  case fresh
}

/// The kind of a change, with the raw values of ZCHANGETYPE.
package enum HistoryChangeKind: Int64, CaseIterable, Hashable, Sendable {
  case insertion = 0
  case update = 1
  case deletion = 2
}

/// What the history tables of a store must hold after some work.
package enum ExpectedHistory: Hashable, Sendable {
  /// The original's transactions and changes, and nothing else.
  case unchanged
  /// The original's, and after them changes that record what was done: an insertion, an update or
  /// a deletion for each object that is new, different or gone.
  case recording
  /// A history of its own: an insertion for each object that is there.
  case fresh
}

/// One difference between the history expected and the history found.
package enum HistoryFinding: Hashable, Sendable {
  case missingRow(table: String, key: Int64)
  case unexpectedRow(table: String, key: Int64)
  case wrongValue(table: String, key: Int64, column: String, expected: String, found: String)
  /// What was done to an object, and no change says so.
  case unrecorded(ContentReference, HistoryChangeKind)
  /// A change says what was not done.
  case untrue(ContentReference, HistoryChangeKind)
}

/// What a change did, numbered as ZCHANGETYPE numbers it.
package enum HistoryChangeKind: Int64, CaseIterable, Hashable, Sendable {
  case insertion = 0
  case update = 1
  case deletion = 2
}

extension HistoryFinding: CustomStringConvertible {
  package var description: String {
    switch self {
    case .missingRow(let table, let key): "\(table) lacks the row \(key)"
    case .unexpectedRow(let table, let key): "\(table) has a row \(key) that is not expected"
    case .wrongValue(let table, let key, let column, let expected, let found):
      "\(table) has \(found) as \(column) of row \(key) where \(expected) is expected"
    case .unrecorded(let object, let kind): "the history lacks the \(kind) of \(object)"
    case .untrue(let object, let kind):
      "the history names the \(kind) of \(object), which was not done"
    }
  }
}

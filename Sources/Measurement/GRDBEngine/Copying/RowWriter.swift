import GRDB

/// Runs cached statements in transactions of some rows each.
final class RowWriter {
  private let queue: DatabaseQueue
  private let batchSize: Int
  private var waiting: [(sql: String, values: [any DatabaseValueConvertible])] = []

  init(queue: DatabaseQueue, batchSize: Int) {
    self.queue = queue
    self.batchSize = batchSize
  }

  func run(_ sql: String, _ values: [any DatabaseValueConvertible]) throws {
    waiting.append((sql, values))
    if waiting.count == batchSize { try finish() }
  }

  /// Writes what is waiting, in one transaction.
  func finish() throws {
    guard !waiting.isEmpty else { return }
    try queue.write { database in
      for (sql, values) in waiting {
        try database.cachedStatement(sql: sql).execute(arguments: StatementArguments(values))
      }
    }
    waiting.removeAll(keepingCapacity: true)
  }

  func close() throws { try queue.close() }
}

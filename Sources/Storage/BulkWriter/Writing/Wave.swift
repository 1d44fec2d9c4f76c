/// Tables that are written together: their rows by all threads, then their indexes by all threads.
struct Wave: Sendable {
  /// Chunks that keep many threads busy.
  private static let chunkTarget = 32

  let tables: [TableState]

  /// Cuts the tables of a database into waves: by their chunks alone, never by threads.
  static func waves(of tables: [TableState]) -> [Wave] {
    var waves: [Wave] = []
    var (members, chunks) = ([TableState](), 0)
    for table in tables {
      members.append(table)
      chunks += table.plan.source.chunkCount
      if chunks >= chunkTarget {
        waves.append(Wave(tables: members))
        (members, chunks) = ([], 0)
      }
    }
    return members.isEmpty ? waves : waves + [Wave(tables: members)]
  }

  /// The chunks of all tables.
  var chunks: [(table: TableState, chunk: Int)] {
    tables.flatMap { table in
      (0..<table.plan.source.chunkCount).map { (table, $0) }
    }
  }

  var indexes: [IndexState] { tables.flatMap(\.indexes) }
}

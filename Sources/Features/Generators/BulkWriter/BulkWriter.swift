import Basics
import DataModel

/// Writes a database file without SQLite, each page exactly once.
///
/// The bytes depend only on the plan, not on threads, memory or the machine. The file is in WAL
/// mode and has no `-wal` file. If an error occurs, the incomplete file remains and must be removed
/// by the caller.
package struct BulkWriter: Sendable {
  /// The memory in bytes that the process itself needs, apart from threads and keys.
  private static let processMemory = 96 << 20
  private static let threadMemory = 48 << 20
  /// The size in bytes of the pages that a thread keeps in memory before it writes them.
  private static let chunkMemory = 16 << 20

  private let plan: DatabasePlan
  private let threads: Int
  private let memory: Int
  private let temporaryFolder: String

  /// Creates a writer with a number of threads and a memory limit in bytes.
  ///
  /// Keys beyond the limit are written to an unlinked file in `temporaryFolder`.
  package init(plan: DatabasePlan, threads: Int, memory: Int = 512 << 20, temporaryFolder: String) {
    self.plan = plan
    self.threads = max(threads, 1)
    self.memory = memory
    self.temporaryFolder = temporaryFolder
  }

  /// Writes the database file and replaces an existing file.
  ///
  /// Calls `progress` on the calling thread.
  ///
  /// - Throws: The first error from `progress` or a row source, or a ``Refusal``.
  package func write(to path: String, progress: (BulkProgress) throws -> Void = { _ in }) throws {
    try plan.validate()
    let geometry = PageGeometry(pageSize: plan.pageSize, lockBytePosition: plan.lockBytePosition)
    let file = try DatabaseFile(creating: path)
    let layout = FileLayout(geometry: geometry, file: file, rootCount: plan.items.count)
    let storage = try RunStorage(capacity: keyMemory, folder: temporaryFolder)
    let workers = (0..<threads).map { _ in
      WorkerState(
        pages: ChunkPages(geometry: geometry, fill: plan.fill, memoryLimit: Self.chunkMemory)
      )
    }
    try BatchWriter(layout: layout, storage: storage, workers: workers)
      .write([schema(in: layout)]) { _ in }
    let writer = BatchWriter(layout: layout, storage: storage, workers: workers)
    for batch in BatchWriter.batches(of: tables(in: layout)) {
      try writer.write(batch, progress: progress)
    }
    try finish(layout)
  }

  private var keyMemory: Int {
    max(memory - Self.processMemory - threads * Self.threadMemory, 0)
  }

  /// Returns the root page of a table or index.
  ///
  /// Root pages follow page 1 without gaps, as in SQLite, which fills the gap of a dropped table
  /// with the last root.
  private func root(_ item: Int, in layout: FileLayout) -> Int { layout.geometry.page(item + 1) }

  private func schema(in layout: FileLayout) -> TableState {
    let rows = plan.items.enumerated().map { place, item -> [Value] in
      let (type, table) =
        switch item {
        case .table(let table): ("table", table.name)
        case .index(let index): ("index", index.table)
        }
      return [
        .text(type), .text(item.name), .text(table), .integer(Int64(root(place, in: layout))),
        item.sql.map { .text($0) } ?? .null,
      ]
    }
    return TableState(
      plan: TablePlan(
        name: "sqlite_schema",
        sql: "",
        columns: [.text, .text, .text, .integer, .text],
        rowidColumn: nil,
        source: FixedRows(rows: rows, rowidColumn: nil)
      ),
      tree: PageTree(root: 1, isTable: true, layout: layout),
      indexes: []
    )
  }

  private func tables(in layout: FileLayout) -> [TableState] {
    plan.items.enumerated().compactMap { place, item in
      guard case .table(let table) = item else { return nil }
      return TableState(
        plan: table,
        tree: PageTree(root: root(place, in: layout), isTable: true, layout: layout),
        indexes: indexes(of: table, in: layout)
      )
    }
  }

  private func indexes(of table: TablePlan, in layout: FileLayout) -> [IndexState] {
    plan.items.enumerated().compactMap { place, item in
      guard case .index(let index) = item, index.table == table.name else { return nil }
      let tree = PageTree(root: root(place, in: layout), isTable: false, layout: layout)
      return IndexState(plan: index, table: table, tree: tree)
    }
  }

  private func finish(_ layout: FileLayout) throws {
    let free = try FreeList(appending: plan.freeShare, to: layout)
    try layout.map.finish()
    FirstPage.writeHeader(
      of: plan,
      pageCount: layout.pageCount,
      largestRoot: plan.items.isEmpty ? 1 : root(plan.items.count - 1, in: layout),
      free: free,
      to: layout.firstPage
    )
    try layout.file.write(layout.firstPage, count: plan.pageSize, at: 0)
  }
}

/// The progress of writing a database.
package struct BulkProgress: Hashable, Sendable {
  /// The table or index that is being written.
  package let item: String
  /// The number of rows written so far, in all tables.
  package let rows: Int
}

extension Refusal {
  static func invalidPlan(_ reason: String) -> Refusal {
    Refusal.bug("cannot lay out the database: \(reason)")
  }

  static func rowsOutOfOrder(table: String, rowid: Int64, after: Int64) -> Refusal {
    Refusal.bug(
      "row \(rowid) of '\(table)' comes after row \(after): rows must ascend by "
        + "their rowid"
    )
  }

  static func duplicateKey(index: String, rowids: [Int64]) -> Refusal {
    Refusal.bug(
      "rows \(rowids.map(String.init).joined(separator: " and ")) have the same "
        + "key in the unique index '\(index)'"
    )
  }
}

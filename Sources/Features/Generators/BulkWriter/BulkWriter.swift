import Basics
import DataModel

/// Writes a whole database file, every page once, without SQLite.
///
/// The bytes depend on the plan alone: not on threads, memory or the machine. The file says WAL and
/// has no -wal beside it. After an error, what was written so far is left to be removed.
package struct BulkWriter: Sendable {
  /// Memory that is not for keys: the process itself, and what each thread works with.
  private static let processMemory = 96 << 20
  private static let threadMemory = 48 << 20
  /// The pages of a chunk that a thread keeps before it writes them.
  private static let chunkMemory = 16 << 20

  private let plan: DatabasePlan
  private let threads: Int
  private let memory: Int
  private let temporaryFolder: String

  /// Writes with so many threads within so many bytes of memory; keys for which there is none go
  /// to a file without a name in `temporaryFolder`.
  package init(plan: DatabasePlan, threads: Int, memory: Int = 512 << 20, temporaryFolder: String) {
    self.plan = plan
    self.threads = max(threads, 1)
    self.memory = memory
    self.temporaryFolder = temporaryFolder
  }

  /// Writes the file, in place of one that is there.
  ///
  /// `progress` is called on the calling thread; what it throws ends the work and is thrown here,
  /// as is what a row source throws. Everything else is a `Refusal`.
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

  /// Roots follow page 1 in the order of the items: SQLite moves the last one when it drops a table.
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

/// How far a database has come.
package struct BulkProgress: Hashable, Sendable {
  /// The table or the index that is being written.
  package let item: String
  /// Rows of all tables so far.
  package let rows: Int
}

extension Refusal {
  /// A page size, fill or position that SQLite does not allow.
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

import Basics

final class BatchWriter: @unchecked Sendable {
  /// The minimum number of chunks (parts of tables) in a batch, which keeps many threads busy.
  private static let chunkTarget = 32

  private let layout: FileLayout
  private let storage: RunStorage
  private let workers: [WorkerState]
  // The number of rows written. Only the thread whose turn it is to write may access it.
  private var rows = 0

  init(layout: FileLayout, storage: RunStorage, workers: [WorkerState]) {
    self.layout = layout
    self.storage = storage
    self.workers = workers
  }

  /// Divides a database's tables into batches, independently of the number of threads.
  static func batches(of tables: [TableState]) -> [[TableState]] {
    var batches: [[TableState]] = []
    var (members, chunks) = ([TableState](), 0)
    for table in tables {
      members.append(table)
      chunks += table.plan.source.chunkCount
      if chunks >= chunkTarget {
        batches.append(members)
        (members, chunks) = ([], 0)
      }
    }
    return members.isEmpty ? batches : batches + [members]
  }

  func write(_ tables: [TableState], progress: (BulkProgress) throws -> Void) throws {
    let chunks = tables.flatMap { table in
      (0..<table.plan.source.chunkCount).map { (table, $0) }
    }
    try run(chunks, progress) { [self] worker, chunk, turn in
      try write(chunk.1, of: chunk.0, in: worker, turn)
    }
    for table in tables where table.plan.source.chunkCount == 0 { try table.tree.finish() }
    let indexes = tables.flatMap(\.indexes)
    try run(indexes, progress) { [storage] _, index, _ in try index.planMerge(storage: storage) }
    let parts = indexes.flatMap { index in index.parts.indices.map { (index, $0) } }
    try run(parts, progress) { [self] worker, part, turn in
      try write(part.1, of: part.0, in: worker, turn)
    }
    for index in indexes where index.parts.isEmpty { try index.tree.finish() }
    for index in indexes { index.forgetRuns() }
    try storage.clear()
  }

  private func run<Item: Sendable>(
    _ items: [Item],
    _ progress: (BulkProgress) throws -> Void,
    _ work: @escaping @Sendable (WorkerState, Item, ThreadPool.Turn) throws -> Void
  ) throws {
    try ThreadPool.run(items: items.count, threads: workers.count, progress: progress) {
      [workers] worker, turn in
      try work(workers[worker], items[turn.item], turn)
    }
  }

  // MARK: Rows

  private func write(
    _ chunk: Int,
    of table: TableState,
    in worker: WorkerState,
    _ turn: ThreadPool.Turn
  ) throws {
    let pages = worker.pages
    pages.begin(.tableLeaf, fill: table.plan.fill) { [layout] in
      try turn.wait()
      return (try table.tree.open(), layout.map)
    }
    // Release the closure that claims a location in the file, to break a reference cycle: it refers
    // to the thread pool, which refers to these pages.
    defer { pages.forgetClaim() }
    let collectors = worker.collectors(for: table)
    var encoder = RowEncoder(table: table.plan, pages: pages, collectors: collectors)
    try table.plan.source.encode(chunk: chunk, into: &encoder)
    try pages.closeLeaf()
    for (collector, index) in zip(collectors, table.indexes) {
      let run = try worker.reader.makeRun(of: collector, for: index, in: storage)
      if let run { index.add(run, chunk: chunk) }
    }
    try turn.wait()
    try table.check(encoder.rowids)
    let last = encoder.rowids.map { Divider(rowid: $0.upperBound) }
    let placement = try place(pages, in: table.tree, after: last)
    if chunk + 1 == table.plan.source.chunkCount { try table.tree.finish() }
    rows += encoder.rowCount
    turn.pass(BulkProgress(item: table.plan.name, rows: rows))
    if let placement { try pages.write(to: placement) }
  }

  private func place(_ pages: ChunkPages, in tree: PageTree, after last: Divider?) throws
    -> Placement?
  {
    guard let placement = pages.placement else { return try tree.place(pages, after: last) }
    try tree.close(pages, at: placement, after: last)
    return placement
  }

  // MARK: Indexes

  private func write(
    _ part: Int,
    of index: IndexState,
    in worker: WorkerState,
    _ turn: ThreadPool.Turn
  ) throws {
    let reader = worker.reader
    let contents = index.parts[part]
    worker.pages.begin(.indexLeaf, fill: index.plan.fill)
    if let words = index.words, index.isWords {
      try reader.withWords(words, of: contents, runs: index.runs, in: storage) {
        try layOut(&$0, part, of: index, in: worker.pages, turn)
      }
    } else {
      try reader.withRecords(index.order, of: contents, runs: index.runs, in: storage) {
        try layOut(&$0, part, of: index, in: worker.pages, turn)
      }
    }
  }

  private func layOut<Entries: SortedEntries>(
    _ entries: inout Entries,
    _ part: Int,
    of index: IndexState,
    in pages: ChunkPages,
    _ turn: ThreadPool.Turn
  ) throws {
    try IndexLeaves(pages: pages).append(
      &entries,
      isFirstPart: part == 0,
      isUnique: index.plan.isUnique
    ) { index.duplicate($0, $1) }
    let ends = [0, entries.count - 1].map { [UInt8](entries.record($0)) }
    try turn.wait()
    if index.plan.isUnique { try index.check(first: ends[0], last: ends[1]) }
    let placement = try index.tree.place(pages, after: nil)
    if part + 1 == index.parts.count { try index.tree.finish() }
    turn.pass(BulkProgress(item: index.plan.name, rows: rows))
    if let placement { try pages.write(to: placement) }
  }
}

final class TableState: @unchecked Sendable {
  let plan: TablePlan
  let indexes: [IndexState]
  // The tree and the last rowid. Only the thread whose turn it is to write may access them.
  let tree: PageTree
  private var lastRowid: Int64?

  init(plan: TablePlan, tree: PageTree, indexes: [IndexState]) {
    self.plan = plan
    self.tree = tree
    self.indexes = indexes
  }

  func check(_ rowids: ClosedRange<Int64>?) throws {
    guard let rowids else { return }
    if let lastRowid, rowids.lowerBound <= lastRowid {
      throw Refusal.rowsOutOfOrder(table: plan.name, rowid: rowids.lowerBound, after: lastRowid)
    }
    lastRowid = rowids.upperBound
  }
}

/// The working memory of a thread, which all of the thread's items reuse.
final class WorkerState: @unchecked Sendable {
  let pages: ChunkPages
  let reader = PartReader()
  private var collectors = UnsafeMutableBufferPointer<KeyCollector>(start: nil, count: 0)
  private var table: String?

  init(pages: ChunkPages) {
    self.pages = pages
  }

  deinit {
    freeCollectors()
  }

  func collectors(for state: TableState) -> UnsafeMutableBufferPointer<KeyCollector> {
    if table == state.plan.name {
      for place in collectors.indices { collectors[place].clear() }
      return collectors
    }
    freeCollectors()
    table = state.plan.name
    collectors = .allocate(capacity: state.indexes.count)
    for (place, index) in state.indexes.enumerated() {
      collectors.initializeElement(at: place, to: KeyCollector(columns: index.columns))
    }
    return collectors
  }

  private func freeCollectors() {
    for collector in collectors { collector.deallocate() }
    collectors.deinitialize()
    collectors.deallocate()
  }
}

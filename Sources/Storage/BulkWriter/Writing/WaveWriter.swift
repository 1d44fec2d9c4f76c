/// Writes the rows of a wave's tables and then their indexes.
final class WaveWriter: @unchecked Sendable {
  private let layout: FileLayout
  private let storage: RunStorage
  private let workshops: [Workshop]
  // Belongs to the thread whose turn it is.
  private var rows = 0

  init(layout: FileLayout, storage: RunStorage, workshops: [Workshop]) {
    self.layout = layout
    self.storage = storage
    self.workshops = workshops
  }

  func write(_ wave: Wave, progress: (BulkProgress) throws -> Void) throws {
    let chunks = wave.chunks
    try Crew(itemCount: chunks.count) { [self] worker, item, crew in
      let (table, chunk) = chunks[item]
      try write(chunk, of: table, in: workshops[worker], Turn(crew: crew, item: item))
    }.run(threads: workshops.count, progress: progress)
    for table in wave.tables where table.plan.source.chunkCount == 0 { try table.tree.finish() }
    try writeIndexes(wave.indexes, progress: progress)
    try storage.clear()
  }

  /// The turn of one item, which comes after all items before it.
  private struct Turn {
    let crew: Crew
    let item: Int

    func wait() throws {
      try crew.waitForTurn(of: item)
    }
  }

  // MARK: Rows

  private func write(
    _ chunk: Int,
    of table: TableState,
    in workshop: Workshop,
    _ turn: Turn
  ) throws {
    let pages = workshop.pages
    pages.begin(.tableLeaf) { [layout] in
      try turn.wait()
      return (try table.tree.open(), layout.map)
    }
    let collectors = workshop.collectors(for: table)
    var encoder = RowEncoder(table: table.plan, pages: pages, collectors: collectors)
    try table.plan.source.encode(chunk: chunk, into: &encoder)
    try pages.closeLeaf()
    for (collector, index) in zip(collectors, table.indexes) {
      let run = try workshop.reader.makeRun(of: collector, for: index, in: storage)
      if let run { index.add(run, chunk: chunk) }
    }
    try turn.wait()
    try table.check(encoder.rowids)
    let last = encoder.rowids.map { Divider(rowid: $0.upperBound) }
    let placement = try place(pages, in: table.tree, after: last)
    if chunk + 1 == table.plan.source.chunkCount { try table.tree.finish() }
    rows += encoder.rowCount
    turn.crew.report(BulkProgress(item: table.plan.name, rows: rows))
    turn.crew.passTurn()
    if let placement { try pages.write(to: placement) }
  }

  private func place(_ pages: ChunkPages, in tree: Tree, after last: Divider?) throws -> Placement?
  {
    guard let placement = pages.placement else { return try tree.place(pages, after: last) }
    try tree.close(pages, at: placement, after: last)
    return placement
  }

  // MARK: Indexes

  private func writeIndexes(
    _ indexes: [IndexState],
    progress: (BulkProgress) throws -> Void
  ) throws {
    try Crew(itemCount: indexes.count) { [storage] _, item, _ in
      try indexes[item].planMerge(storage: storage)
    }.run(threads: workshops.count, progress: progress)
    let parts = indexes.flatMap { index in index.parts.indices.map { (index, $0) } }
    try Crew(itemCount: parts.count) { [self] worker, item, crew in
      let (index, part) = parts[item]
      try write(part, of: index, in: workshops[worker], Turn(crew: crew, item: item))
    }.run(threads: workshops.count, progress: progress)
    for index in indexes where index.parts.isEmpty { try index.tree.finish() }
    for index in indexes { index.forgetRuns() }
  }

  private func write(
    _ part: Int,
    of index: IndexState,
    in workshop: Workshop,
    _ turn: Turn
  ) throws {
    let reader = workshop.reader
    let contents = index.parts[part]
    workshop.pages.begin(.indexLeaf)
    if let words = index.words, index.isWords {
      try reader.withWords(words, of: contents, runs: index.runs, in: storage) {
        try layOut(&$0, part, of: index, in: workshop.pages, turn)
      }
    } else {
      try reader.withRecords(index.order, of: contents, runs: index.runs, in: storage) {
        try layOut(&$0, part, of: index, in: workshop.pages, turn)
      }
    }
  }

  private func layOut<Entries: SortedEntries>(
    _ entries: inout Entries,
    _ part: Int,
    of index: IndexState,
    in pages: ChunkPages,
    _ turn: Turn
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
    turn.crew.report(BulkProgress(item: index.plan.name, rows: rows))
    turn.crew.passTurn()
    if let placement { try pages.write(to: placement) }
  }
}

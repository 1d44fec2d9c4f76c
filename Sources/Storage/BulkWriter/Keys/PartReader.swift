/// Gathers the entries of a part from all runs, in the order of the runs, and sorts them.
///
/// Reused for part after part by one thread.
final class PartReader {
  private var arena = ByteArena()
  private var spare = ByteArena()

  deinit {
    arena.deallocate()
    spare.deallocate()
  }

  // MARK: Words

  /// Sorts a chunk's entries and keeps them as a run.
  func makeRun(
    of collector: KeyCollector,
    for index: IndexState,
    in storage: RunStorage
  ) throws -> Run? {
    guard collector.entryCount > 0 else { return nil }
    let keys = collector.arena
    if collector.isWords, let words = index.words {
      sortWords(keys.memory, count: collector.entryCount, words: words)
      let bytes = UnsafeRawBufferPointer(start: keys.memory, count: keys.count)
      return try Run(words: bytes, stride: words.stride, in: storage)
    }
    let list = RecordList(keys)
    defer { list.deallocate() }
    let sort = RecordSort(order: index.order, memory: keys.memory, spare: list.spare)
    sort.sort(list.entries)
    return try Run(records: list.entries, of: sort, arena: &spare, in: storage)
  }

  private func sortWords(_ memory: UnsafeMutableRawPointer, count: Int, words: KeyWords) {
    spare.count = 0
    let room = spare.reserve(count * words.stride * 8)
    func sort<Entry: WordSortable>(_ type: Entry.Type) {
      RadixSort.sort(
        memory.assumingMemoryBound(to: type),
        count: count,
        spare: room.assumingMemoryBound(to: type)
      )
    }
    switch words.columns.count {
    case 1: sort(WordEntry1.self)
    case 2: sort(WordEntry2.self)
    default: sort(WordEntry3.self)
    }
  }

  /// Calls `body` with the sorted entries of a part of an index that are words.
  func withWords(
    _ words: KeyWords,
    of part: MergePart,
    runs: [Run],
    in storage: RunStorage,
    _ body: (inout SortedWords) throws -> Void
  ) throws {
    arena.count = 0
    let bounds = WordBounds(part: part, stride: words.stride)
    for (run, blocks) in zip(runs, part.blocks) {
      let bytes = run.bytes(of: blocks)
      guard !bytes.isEmpty else { continue }
      let target = arena.reserve(bytes.count)
      try storage.read(run.place + bytes.lowerBound, count: bytes.count, into: target)
      let own = bounds.entries(of: target, count: bytes.count)
      if own.lowerBound > 0 { memmoveDown(target, own) }
      arena.count += own.count
    }
    let count = arena.count / (words.stride * 8)
    sortWords(arena.memory, count: count, words: words)
    let entries = arena.memory.assumingMemoryBound(to: UInt64.self)
    var sorted = SortedWords(entries, count: count, words: words)
    defer { sorted.deallocate() }
    try body(&sorted)
  }

  private func memmoveDown(_ target: UnsafeMutableRawPointer, _ range: Range<Int>) {
    target.copyMemory(from: target + range.lowerBound, byteCount: range.count)
  }

  // MARK: Records

  /// Calls `body` with the sorted entries of a part of an index that are records.
  func withRecords(
    _ order: RecordOrder,
    of part: MergePart,
    runs: [Run],
    in storage: RunStorage,
    _ body: (inout SortedRecords) throws -> Void
  ) throws {
    arena.count = 0
    var places: [Int] = []
    for (run, blocks) in zip(runs, part.blocks) {
      let bytes = run.bytes(of: blocks)
      guard !bytes.isEmpty else { continue }
      let target = arena.reserve(bytes.count)
      try storage.read(run.place + bytes.lowerBound, count: bytes.count, into: target)
      let end = arena.count + bytes.count
      while arena.count < end {
        let start = arena.memory + arena.count
        let (count, length) = Varint.get(start)
        if Self.contains(start + length, part, order) { places.append(arena.count) }
        arena.count += Int(count) + length
      }
    }
    let list = RecordList(places: places)
    defer { list.deallocate() }
    let sort = RecordSort(order: order, memory: arena.memory, spare: list.spare)
    sort.sort(list.entries)
    var sorted = SortedRecords(entries: list.entries, sort: sort)
    try body(&sorted)
  }

  /// Whether a record belongs to a part; its bounds have their length before them.
  private static func contains(
    _ record: UnsafeRawPointer,
    _ part: MergePart,
    _ order: RecordOrder
  ) -> Bool {
    func isBefore(_ bound: ArraySlice<UInt8>) -> Bool {
      bound.withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress else { return false }
        return order.precedes(record, start + Varint.get(start).length)
      }
    }
    if let lower = part.lower, isBefore(lower) { return false }
    if let upper = part.upper, !isBefore(upper) { return false }
    return true
  }
}

/// Reads the entries of a part of an index from all runs, in the order of the runs, and sorts them.
///
/// A run is a sorted piece of the index. Each thread reuses one instance for all of its parts.
final class PartReader {
  private var arena = ByteArena()
  private var spare = ByteArena()

  deinit {
    arena.deallocate()
    spare.deallocate()
  }

  // MARK: Entries as words

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

  func withWords(
    _ words: KeyWords,
    of part: MergePlan.Part,
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

  // MARK: Entries as records

  func withRecords(
    _ order: RecordOrder,
    of part: MergePlan.Part,
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

  private static func contains(
    _ record: UnsafeRawPointer,
    _ part: MergePlan.Part,
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

  private struct WordBounds {
    private let lower: [UInt64]?
    private let upper: [UInt64]?
    private let stride: Int

    init(part: MergePlan.Part, stride: Int) {
      self.stride = stride
      lower = part.lower.map(Self.words)
      upper = part.upper.map(Self.words)
    }

    private static func words(_ bytes: ArraySlice<UInt8>) -> [UInt64] {
      bytes.withUnsafeBytes { bytes in
        Swift.stride(from: 0, to: bytes.count, by: 8).map {
          bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self)
        }
      }
    }

    func entries(of memory: UnsafeRawPointer, count: Int) -> Range<Int> {
      let size = stride * 8
      let words = memory.assumingMemoryBound(to: UInt64.self)
      let start = lower.map { first(in: words, count: count / size, notBefore: $0) } ?? 0
      let end = upper.map { first(in: words, count: count / size, notBefore: $0) } ?? count / size
      return start * size..<max(start, end) * size
    }

    private func first(
      in words: UnsafePointer<UInt64>,
      count: Int,
      notBefore bound: [UInt64]
    ) -> Int {
      var (low, high) = (0, count)
      while low < high {
        let middle = (low + high) / 2
        if precedes(words + middle * stride, bound) { low = middle + 1 } else { high = middle }
      }
      return low
    }

    private func precedes(_ entry: UnsafePointer<UInt64>, _ bound: [UInt64]) -> Bool {
      for column in 0..<stride - 1 where entry[column] != bound[column] {
        return entry[column] < bound[column]
      }
      return Int64(bitPattern: entry[stride - 1]) < Int64(bitPattern: bound[stride - 1])
    }
  }
}

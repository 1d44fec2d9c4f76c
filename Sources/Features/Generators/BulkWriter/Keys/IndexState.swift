import Basics
import Synchronization

/// An index that is being written.
///
/// Its entries are first sorted into runs, which are then merged in parts.
final class IndexState: @unchecked Sendable {
  let plan: IndexPlan
  let columns: [KeyColumn]
  let words: KeyWords?
  let order: RecordOrder
  let tree: PageTree
  private(set) var parts: [MergePlan.Part] = []
  private(set) var runs: [Run] = []

  private let made = Mutex<[Int: Run]>([:])
  // The last record of the most recently placed part. Only the thread whose turn it is to write may
  // access it.
  private var lastRecord: [UInt8]?

  init(plan: IndexPlan, table: TablePlan, tree: PageTree) {
    self.plan = plan
    self.tree = tree
    columns = plan.columns.map { KeyColumn($0, of: table) }
    words = KeyWords(columns)
    order = RecordOrder(columns)
  }

  func add(_ run: Run, chunk: Int) {
    made.withLock { $0[chunk] = run }
  }

  func planMerge(storage: RunStorage) throws {
    runs = made.withLock { made in
      defer { made = [:] }
      return made.sorted { $0.key < $1.key }.map(\.value)
    }
    if let words, runs.contains(where: { !$0.isWords }) {
      runs = try runs.map { try $0.isWords ? records(of: $0, words, in: storage) : $0 }
    }
    parts = MergePlan(runs: runs, words: isWords ? words : nil, order: order).parts()
  }

  private func records(of run: Run, _ words: KeyWords, in storage: RunStorage) throws -> Run {
    var (entries, records, spare) = (ByteArena(), ByteArena(), ByteArena())
    defer { for arena in [entries, records, spare] { arena.deallocate() } }
    let bytes = entries.reserve(run.byteCount)
    try storage.read(run.place, count: run.byteCount, into: bytes)
    words.expand(bytes, count: run.byteCount / (words.stride * 8), into: &records)
    let list = RecordList(records)
    defer { list.deallocate() }
    let sort = RecordSort(order: order, memory: records.memory, spare: list.spare)
    return try Run(records: list.entries, of: sort, arena: &spare, in: storage)
  }

  var isWords: Bool { runs.allSatisfy(\.isWords) }

  func forgetRuns() {
    (runs, parts) = ([], [])
  }

  func check(first: [UInt8], last: [UInt8]) throws {
    if let lastRecord, haveEqualKeys(lastRecord, first) { throw duplicate(lastRecord, first) }
    lastRecord = last
  }

  private func haveEqualKeys(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.withUnsafeBytes { left in
      right.withUnsafeBytes { right in
        guard let left = left.baseAddress, let right = right.baseAddress else { return false }
        return order.haveEqualKeys(left, right)
      }
    }
  }

  func duplicate(_ left: [UInt8], _ right: [UInt8]) -> Refusal {
    let rowids = [left, right].map { record in
      record.withUnsafeBytes { bytes in bytes.baseAddress.map(order.rowid) ?? 0 }
    }
    return .duplicateKey(index: plan.name, rowids: rowids)
  }
}

/// Divides the merge of sorted runs into parts that begin at the first entry of a block.
///
/// The division depends only on the data, not on threads or memory.
struct MergePlan {
  /// A range of an index's entries, with the blocks of each run that may contain them.
  struct Part: Sendable {
    /// The first entry of this part; `nil` for the first part of the index.
    let lower: ArraySlice<UInt8>?
    let upper: ArraySlice<UInt8>?
    let blocks: [Range<Int>]
  }

  private static let partSize = 8 << 20

  private struct Sample {
    let run: Int
    let block: Int
  }

  let runs: [Run]
  /// The format of entries that consist of 64-bit words; `nil` if entries are records.
  let words: KeyWords?
  let order: RecordOrder

  func parts() -> [Part] {
    let samples = runs.enumerated().flatMap { run, contents in
      contents.blocks.indices.map { Sample(run: run, block: $0) }
    }
    guard !samples.isEmpty else { return [] }
    var parts: [Part] = []
    var lower: ArraySlice<UInt8>?
    var starts = [Int](repeating: 0, count: runs.count)
    var seen = starts
    var (size, count) = (0, 0)
    let ordered = sorted(samples)
    for (place, index) in ordered.enumerated() {
      let sample = samples[index]
      // A part needs a second entry, because the first entry becomes the divider (the key between
      // two children of an interior page) from the previous part.
      if size >= Self.partSize, count >= 2, ordered.count - place >= 2 {
        let upper = runs[sample.run].sample(sample.block)
        parts.append(part(from: lower, to: upper, starts, seen))
        (lower, starts, size, count) = (upper, seen, 0, 0)
      }
      size += runs[sample.run].bytes(of: sample.block..<sample.block + 1).count
      count += 1
      seen[sample.run] += 1
    }
    parts.append(part(from: lower, to: nil, starts, seen))
    return parts
  }

  private func part(
    from lower: ArraySlice<UInt8>?,
    to upper: ArraySlice<UInt8>?,
    _ starts: [Int],
    _ ends: [Int]
  ) -> Part {
    // Include the block before the part's first block, because it may extend into the part.
    let blocks = zip(starts, ends).map { max($0 - 1, 0)..<$1 }
    return Part(lower: lower, upper: upper, blocks: blocks)
  }

  private func sorted(_ samples: [Sample]) -> [Int] {
    if let words {
      return switch words.columns.count {
      case 1: sortedWords(samples, as: WordEntry1.self)
      case 2: sortedWords(samples, as: WordEntry2.self)
      default: sortedWords(samples, as: WordEntry3.self)
      }
    }
    return sortedRecords(samples)
  }

  private func sortedWords<Entry: WordSortable>(_ samples: [Sample], as type: Entry.Type) -> [Int] {
    var arena = ByteArena(capacity: samples.count * MemoryLayout<Entry>.size * 2)
    defer { arena.deallocate() }
    let entries = arena.reserve(0).bindMemory(to: Entry.self, capacity: samples.count * 2)
    let size = MemoryLayout<Entry>.size
    for (index, sample) in samples.enumerated() {
      let entry = UnsafeMutableRawPointer(entries + index)
      entry.copyMemory(from: runs[sample.run].sample(sample.block))
      // Store the sample's position in place of the rowid, and read it back after the sort.
      entry.storeBytes(of: UInt64(index), toByteOffset: size - 8, as: UInt64.self)
    }
    RadixSort.sort(entries, count: samples.count, spare: entries + samples.count)
    return samples.indices.map { index in
      Int(UnsafeRawPointer(entries + index).load(fromByteOffset: size - 8, as: UInt64.self))
    }
  }

  private func sortedRecords(_ samples: [Sample]) -> [Int] {
    var arena = ByteArena()
    defer { arena.deallocate() }
    var places: [Int] = []
    for sample in samples {
      let record = runs[sample.run].sample(sample.block)
      arena.reserve(record.count).copyMemory(from: record)
      places.append(arena.count)
      arena.count += record.count
    }
    let list = RecordList(places: places)
    defer { list.deallocate() }
    RecordSort(order: order, memory: arena.memory, spare: list.spare).sort(list.entries)
    let indexes = Dictionary(uniqueKeysWithValues: zip(places, places.indices))
    return list.entries.compactMap { indexes[Int($0.rest)] }
  }
}

extension UnsafeMutableRawPointer {
  func copyMemory(from bytes: ArraySlice<UInt8>) {
    bytes.withUnsafeBytes { copyMemory(from: $0) }
  }

  func copyMemory(from bytes: UnsafeRawBufferPointer) {
    if let start = bytes.baseAddress { copyMemory(from: start, byteCount: bytes.count) }
  }
}

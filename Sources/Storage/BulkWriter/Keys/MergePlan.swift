/// A range of an index's entries, found in blocks of all its runs.
struct MergePart: Sendable {
  /// The first entry of the part, and of the part behind it; `nil` at the ends.
  let lower: ArraySlice<UInt8>?
  let upper: ArraySlice<UInt8>?
  /// The blocks of each run in which entries of the part may be.
  let blocks: [Range<Int>]
}

/// Cuts the merge of runs where the first entries of their blocks say: by the data alone, never by
/// threads or memory.
struct MergePlan {
  /// Bytes of entries that make a part.
  private static let partSize = 8 << 20

  private struct Sample {
    let run: Int
    let block: Int
  }

  let runs: [Run]
  /// `nil` where entries are records.
  let words: KeyWords?
  let order: RecordOrder

  func parts() -> [MergePart] {
    let samples = runs.enumerated().flatMap { run, contents in
      contents.blocks.indices.map { Sample(run: run, block: $0) }
    }
    guard !samples.isEmpty else { return [] }
    var parts: [MergePart] = []
    var lower: ArraySlice<UInt8>?
    var starts = [Int](repeating: 0, count: runs.count)
    var seen = starts
    var (size, count) = (0, 0)
    let ordered = sorted(samples)
    for (place, index) in ordered.enumerated() {
      let sample = samples[index]
      // A part begins with the key that divides it from the part before: it needs a second one.
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

  /// A part whose bounds have so many first entries of each run before them.
  private func part(
    from lower: ArraySlice<UInt8>?,
    to upper: ArraySlice<UInt8>?,
    _ starts: [Int],
    _ ends: [Int]
  ) -> MergePart {
    // The block before the first one of the part may end in it.
    let blocks = zip(starts, ends).map { max($0 - 1, 0)..<$1 }
    return MergePart(lower: lower, upper: upper, blocks: blocks)
  }

  /// The places of samples in the order of the index.
  ///
  /// Samples of equal keys stand in the order of their runs, and so of their rowids, already.
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

  private func sortedWords<Entry: WordSortable>(
    _ samples: [Sample],
    as type: Entry.Type
  ) -> [Int] {
    var arena = ByteArena(capacity: samples.count * MemoryLayout<Entry>.size * 2)
    defer { arena.deallocate() }
    let entries = arena.reserve(0).bindMemory(to: Entry.self, capacity: samples.count * 2)
    let size = MemoryLayout<Entry>.size
    for (index, sample) in samples.enumerated() {
      let entry = UnsafeMutableRawPointer(entries + index)
      entry.copyMemory(from: runs[sample.run].sample(sample.block))
      // The place instead of the rowid.
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
  /// Copies bytes here.
  func copyMemory(from bytes: ArraySlice<UInt8>) {
    bytes.withUnsafeBytes { copyMemory(from: $0) }
  }

  /// Copies bytes here.
  func copyMemory(from bytes: UnsafeRawBufferPointer) {
    if let start = bytes.baseAddress { copyMemory(from: start, byteCount: bytes.count) }
  }
}

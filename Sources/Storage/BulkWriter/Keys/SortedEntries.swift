/// The entries of a part of an index, in order.
protocol SortedEntries {
  var count: Int { get }

  /// The record of an entry, valid until the next call.
  mutating func record(_ index: Int) -> UnsafeRawBufferPointer
  /// Whether an entry has the same key as the one before it, in which nothing is NULL.
  func repeatsKey(_ index: Int) -> Bool
}

/// Sorted entries that are words.
struct SortedWords: SortedEntries {
  let count: Int
  private let entries: UnsafePointer<UInt64>
  private let words: KeyWords
  private let columns: UnsafeMutableBufferPointer<KeyColumn>
  private let scratch: UnsafeMutableRawPointer

  init(_ entries: UnsafePointer<UInt64>, count: Int, words: KeyWords) {
    self.entries = entries
    self.count = count
    self.words = words
    columns = .allocate(capacity: words.columns.count)
    _ = columns.initialize(from: words.columns)
    scratch = .allocate(byteCount: words.recordRoom, alignment: 16)
  }

  func deallocate() {
    columns.deallocate()
    scratch.deallocate()
  }

  @inline(__always)
  mutating func record(_ index: Int) -> UnsafeRawBufferPointer {
    let size = words.putRecord(
      entries + index * (columns.count + 1),
      columns: UnsafeBufferPointer(columns),
      at: scratch
    )
    return UnsafeRawBufferPointer(start: scratch, count: size)
  }

  @inline(__always)
  func repeatsKey(_ index: Int) -> Bool {
    let stride = columns.count + 1
    let (before, after) = (entries + (index - 1) * stride, entries + index * stride)
    for column in columns.indices
    where before[column] != after[column] || after[column] == columns[column].null { return false }
    return true
  }
}

/// Sorted entries that are records.
struct SortedRecords: SortedEntries {
  let entries: UnsafeMutableBufferPointer<WordEntry1>
  let sort: RecordSort

  var count: Int { entries.count }

  func record(_ index: Int) -> UnsafeRawBufferPointer {
    let sized = sort.sizedRecord(entries[index])
    return UnsafeRawBufferPointer(
      rebasing: sized[(sort.record(entries[index]) - (sized.baseAddress ?? sort.memory))...]
    )
  }

  func repeatsKey(_ index: Int) -> Bool {
    sort.order.haveEqualKeys(sort.record(entries[index - 1]), sort.record(entries[index]))
  }
}

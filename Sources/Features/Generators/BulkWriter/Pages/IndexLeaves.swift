import Basics

struct IndexLeaves {
  private let pages: ChunkPages
  private let geometry: PageGeometry

  init(pages: ChunkPages) {
    self.pages = pages
    geometry = pages.geometry
  }

  /// Appends the entries of a part to leaf pages.
  ///
  /// Except in the first part, the first entry becomes the divider from the previous part.
  /// `duplicate` creates the error for a repeated key in a unique index.
  func append<Entries: SortedEntries>(
    _ entries: inout Entries,
    isFirstPart: Bool,
    isUnique: Bool,
    duplicate: ([UInt8], [UInt8]) -> Refusal
  ) throws {
    let leaf = pages.leaf
    var divider: Divider?
    for index in 0..<entries.count {
      if isUnique, index > 0, entries.repeatsKey(index) {
        let before = [UInt8](entries.record(index - 1))
        throw duplicate(before, [UInt8](entries.record(index)))
      }
      let record = entries.record(index)
      if index == 0, !isFirstPart {
        divider = try makeDivider(record)
        continue
      }
      let local = geometry.localSize(of: record.count, maximum: geometry.indexLocalMaximum)
      let size = cellSize(record.count, local: local)
      if !leaf.pointee.isOpen {
        try pages.openLeaf(before: divider)
      } else if !leaf.pointee.hasRoom(for: size) {
        if index + 1 < entries.count {
          try pages.closeLeaf()
          divider = try makeDivider(record)
          continue
        }
        // Keep the last entry for the last leaf, which must not be empty, and make the entry before
        // it the divider.
        try pages.openLeaf(before: takeBack(entries.record(index - 1)))
        try append(entries.record(index), local: local, size: size)
        continue
      }
      try append(record, local: local, size: size)
    }
    try pages.closeLeaf()
  }

  private func cellSize(_ count: Int, local: Int) -> Int {
    Varint.length(UInt64(count)) + local + (local < count ? 4 : 0)
  }

  @inline(__always)
  private func append(_ record: UnsafeRawBufferPointer, local: Int, size: Int) throws {
    guard let start = record.baseAddress else { return }
    var cell = pages.leaf.pointee.makeCell(size)
    cell += Varint.put(UInt64(record.count), at: cell)
    cell.copyMemory(from: start, byteCount: local)
    if local < record.count {
      try pages.appendLeafChain(
        UnsafeRawBufferPointer(rebasing: record[local...]),
        pointer: cell + local
      )
    }
  }

  private func makeDivider(_ record: UnsafeRawBufferPointer) throws -> Divider {
    let local = geometry.localSize(of: record.count, maximum: geometry.indexLocalMaximum)
    var overflow: Int?
    if local < record.count {
      let rest = UnsafeRawBufferPointer(rebasing: record[local...])
      overflow = try pages.appendChain(rest, owner: nil, pointer: nil)
    }
    return Divider(cell: cell(record, local: local), overflow: overflow)
  }

  private func cell(_ record: UnsafeRawBufferPointer, local: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: local + 9) { bytes, count in
      guard let start = bytes.baseAddress else { return }
      let cell = UnsafeMutableRawPointer(start)
      count = Varint.put(UInt64(record.count), at: cell)
      (cell + count).copyMemory(from: UnsafeRawBufferPointer(rebasing: record[..<local]))
      count += local
    }
  }

  private func takeBack(_ record: UnsafeRawBufferPointer) -> Divider {
    let local = geometry.localSize(of: record.count, maximum: geometry.indexLocalMaximum)
    pages.leaf.pointee.removeCell(cellSize(record.count, local: local))
    let overflow = local < record.count ? pages.takeBackChain() : nil
    return Divider(cell: cell(record, local: local), overflow: overflow)
  }
}

/// The entries of a part of an index, in order.
protocol SortedEntries {
  var count: Int { get }

  mutating func record(_ index: Int) -> UnsafeRawBufferPointer
  /// Whether an entry has the same key as the previous entry and the key contains no NULL.
  func repeatsKey(_ index: Int) -> Bool
}

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

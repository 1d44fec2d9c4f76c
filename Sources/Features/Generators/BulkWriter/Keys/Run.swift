import Basics
import Synchronization

/// The sorted index entries of a chunk (a part of a table's rows), in blocks whose first entries
/// are also kept separately.
struct Run: Sendable {
  static let blockSize = 8_192

  let isWords: Bool
  let place: Int
  let byteCount: Int
  private(set) var blocks: [Int] = []
  private(set) var samples: [UInt8] = []
  private(set) var sampleOffsets: [Int] = []

  init(words: UnsafeRawBufferPointer, stride: Int, in storage: RunStorage) throws {
    isWords = true
    byteCount = words.count
    place = try storage.append(words)
    let size = stride * 8
    let blockSize = max(1, Self.blockSize / size) * size
    for block in Swift.stride(from: 0, to: byteCount, by: blockSize) {
      mark(block, first: UnsafeRawBufferPointer(rebasing: words[block..<block + size]))
    }
  }

  init(
    records entries: UnsafeMutableBufferPointer<WordEntry1>,
    of sort: RecordSort,
    arena: inout ByteArena,
    in storage: RunStorage
  ) throws {
    isWords = false
    arena.count = 0
    var marks: [Range<Int>] = []
    for entry in entries {
      let record = sort.sizedRecord(entry)
      if marks.last.map({ arena.count - $0.lowerBound >= Self.blockSize }) ?? true {
        marks.append(arena.count..<arena.count + record.count)
      }
      arena.reserve(record.count).copyMemory(from: record)
      arena.count += record.count
    }
    let bytes = UnsafeRawBufferPointer(start: arena.memory, count: arena.count)
    byteCount = bytes.count
    place = try storage.append(bytes)
    for range in marks {
      mark(range.lowerBound, first: UnsafeRawBufferPointer(rebasing: bytes[range]))
    }
  }

  private mutating func mark(_ block: Int, first entry: UnsafeRawBufferPointer) {
    blocks.append(block)
    sampleOffsets.append(samples.count)
    samples.append(contentsOf: entry)
  }

  func bytes(of range: Range<Int>) -> Range<Int> {
    guard !range.isEmpty else { return 0..<0 }
    let end = range.upperBound < blocks.count ? blocks[range.upperBound] : byteCount
    return blocks[range.lowerBound]..<end
  }

  func sample(_ block: Int) -> ArraySlice<UInt8> {
    let end = block + 1 < sampleOffsets.count ? sampleOffsets[block + 1] : samples.count
    return samples[sampleOffsets[block]..<end]
  }
}

/// Storage for sorted runs until they are merged: in memory up to a limit, then in a temporary
/// file.
final class RunStorage: @unchecked Sendable {
  private let memory: UnsafeMutableRawPointer
  private let capacity: Int
  private let used = Atomic(0)
  private let spilled = Atomic(0)
  private let folder: String
  private let spill = Mutex<DatabaseFile?>(nil)

  init(capacity: Int, folder: String) throws {
    self.capacity = max(capacity, 1)
    self.folder = folder
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    let memory = mmap(nil, self.capacity, PROT_READ | PROT_WRITE, flags, -1, 0)
    guard let memory, memory != MAP_FAILED else {
      throw Refusal.cannotWrite(folder)
    }
    self.memory = memory
  }

  deinit {
    munmap(memory, capacity)
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws -> Int {
    guard let start = bytes.baseAddress else { return 0 }
    let place = used.add(bytes.count, ordering: .relaxed).oldValue
    if place + bytes.count <= capacity {
      (memory + place).copyMemory(from: start, byteCount: bytes.count)
      return place
    }
    let offset = spilled.add(bytes.count, ordering: .relaxed).oldValue
    try spillFile().write(start, count: bytes.count, at: offset)
    return capacity + offset
  }

  func read(_ place: Int, count: Int, into target: UnsafeMutableRawPointer) throws {
    if place < capacity {
      target.copyMemory(from: memory + place, byteCount: count)
    } else {
      try spillFile().read(into: target, count: count, at: place - capacity)
    }
  }

  func clear() throws {
    madvise(memory, min(used.load(ordering: .relaxed), capacity), MADV_DONTNEED)
    used.store(0, ordering: .relaxed)
    spilled.store(0, ordering: .relaxed)
    try spill.withLock { try $0?.resize(to: 0) }
  }

  private func spillFile() throws -> DatabaseFile {
    try spill.withLock { spill in
      let file = try spill ?? DatabaseFile(temporaryIn: folder)
      spill = file
      return file
    }
  }
}

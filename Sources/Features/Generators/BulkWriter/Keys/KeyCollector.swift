/// Collects the keys of an index from the rows of a chunk, a part of the table.
///
/// Entries consist of 64-bit words until a value cannot be represented as a word; then all of the
/// chunk's entries are converted to records.
struct KeyCollector {
  private let columns: UnsafeMutableBufferPointer<KeyColumn>
  private let words: KeyWords?
  private(set) var isWords: Bool
  private(set) var entryCount = 0
  private(set) var arena = ByteArena()

  init(columns: [KeyColumn]) {
    self.columns = .allocate(capacity: columns.count)
    _ = self.columns.initialize(from: columns)
    words = KeyWords(columns)
    isWords = words != nil
  }

  func deallocate() {
    columns.deallocate()
    arena.deallocate()
  }

  @inline(__always)
  mutating func collect(
    _ slots: UnsafePointer<RowEncoder.Slot>,
    body: UnsafeRawPointer,
    rowid: Int64
  ) {
    if !isWords || !collectWords(slots, rowid: rowid) {
      collectRecord(slots, body: body, rowid: rowid)
    }
    entryCount += 1
  }

  @inline(__always)
  private mutating func collectWords(_ slots: UnsafePointer<RowEncoder.Slot>, rowid: Int64) -> Bool
  {
    let target = arena.reserve((columns.count + 1) * 8)
      .assumingMemoryBound(to: UInt64.self)
    for index in columns.indices {
      let column = columns[index]
      let word: UInt64?
      if let position = column.position {
        word = column.word(type: slots[position].type, bits: slots[position].bits)
      } else {
        word = column.word(type: 1, bits: UInt64(bitPattern: rowid))
      }
      guard let word else {
        turnIntoRecords()
        return false
      }
      target[index] = word
    }
    target[columns.count] = UInt64(bitPattern: rowid)
    arena.count += (columns.count + 1) * 8
    return true
  }

  private mutating func turnIntoRecords() {
    isWords = false
    guard let words else { return }
    let old = arena
    arena = ByteArena(capacity: old.capacity)
    defer { old.deallocate() }
    words.expand(old.memory, count: entryCount, into: &arena)
  }

  private mutating func collectRecord(
    _ slots: UnsafePointer<RowEncoder.Slot>,
    body: UnsafeRawPointer,
    rowid: Int64
  ) {
    let rowidType = SerialType.integer(rowid)
    var (typeBytes, bodyBytes) = (1, SerialType.numberSize(rowidType))
    for column in columns {
      let type = column.position.map { slots[$0].type } ?? rowidType
      typeBytes += Varint.length(UInt64(type))
      bodyBytes += SerialType.size(UInt64(type))
    }
    let header = SerialType.headerSize(typeBytes: typeBytes)
    var next = arena.reserve(header + bodyBytes + 17)
    let start = next
    next += Varint.put(UInt64(header + bodyBytes), at: next)
    var value = next + header
    next += Varint.put(UInt64(header), at: next)
    for column in columns {
      guard let position = column.position else {
        next += Varint.put(UInt64(rowidType), at: next)
        value = Self.put(rowid, rowidType, at: value)
        continue
      }
      let slot = slots[position]
      next += Varint.put(UInt64(slot.type), at: next)
      let size = SerialType.size(UInt64(slot.type))
      value.copyMemory(from: body + Int(slot.offset), byteCount: size)
      value += size
    }
    Varint.put(UInt64(rowidType), at: next)
    arena.count += Self.put(rowid, rowidType, at: value) - start
  }

  private static func put(
    _ rowid: Int64,
    _ type: UInt32,
    at target: UnsafeMutableRawPointer
  ) -> UnsafeMutableRawPointer {
    let size = SerialType.numberSize(type)
    SerialType.put(UInt64(bitPattern: rowid), size: size, at: target)
    return target + size
  }

  mutating func clear() {
    isWords = words != nil
    entryCount = 0
    arena.count = 0
  }
}

struct ByteArena {
  private(set) var memory: UnsafeMutableRawPointer
  private(set) var capacity: Int
  var count = 0

  init(capacity: Int = 4_096) {
    self.capacity = capacity
    memory = .allocate(byteCount: capacity, alignment: 16)
  }

  /// Ensures that there is room for the given number of bytes.
  ///
  /// - Returns: The position of the next byte to write.
  @inline(__always)
  @discardableResult
  mutating func reserve(_ bytes: Int) -> UnsafeMutableRawPointer {
    if count + bytes > capacity { grow(to: max(capacity * 2, count + bytes)) }
    return memory + count
  }

  private mutating func grow(to larger: Int) {
    let copy = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
    copy.copyMemory(from: memory, byteCount: count)
    memory.deallocate()
    (memory, capacity) = (copy, larger)
  }

  func deallocate() {
    memory.deallocate()
  }
}

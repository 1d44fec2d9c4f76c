import Basics

/// SQLite's order of an index's records
/// (https://www.sqlite.org/datatype3.html#comparison_expressions): by column, then by rowid.
struct RecordOrder: Sendable {
  private let isDescending: [Bool]

  init(_ columns: [KeyColumn]) {
    isDescending = columns.map { $0.mask != 0 }
  }

  var columnCount: Int { isDescending.count }

  func isDescending(_ column: Int) -> Bool { isDescending[column] }

  func precedes(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
    var (a, b) = (RecordCursor(left), RecordCursor(right))
    for isDescending in isDescending {
      let order = Self.compare(a.next(), b.next())
      if order != 0 { return isDescending ? order > 0 : order < 0 }
    }
    return Self.compare(a.next(), b.next()) < 0
  }

  /// Whether two records have the same key and the key contains no NULL.
  func haveEqualKeys(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
    var (a, b) = (RecordCursor(left), RecordCursor(right))
    for _ in isDescending {
      let value = a.next()
      if value.rank == 0 || Self.compare(value, b.next()) != 0 { return false }
    }
    return true
  }

  func rowid(of record: UnsafeRawPointer) -> Int64 {
    var cursor = RecordCursor(record)
    cursor.skip(columnCount)
    guard case .number(let type, let bytes) = cursor.next() else { return 0 }
    return SerialType.integer(type, at: bytes)
  }

  private static func compare(_ left: RecordCursor.Value, _ right: RecordCursor.Value) -> Int {
    switch (left, right) {
    case (.number(let a, let left), .number(let b, let right)):
      let (a, b) = (ExactNumber(type: a, left), ExactNumber(type: b, right))
      return a == b ? 0 : a < b ? -1 : 1
    case (.text(let a), .text(let b)), (.blob(let a), .blob(let b)):
      return compare(a, b)
    default:
      return Int(left.rank) - Int(right.rank)
    }
  }

  private static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer)
    -> Int
  {
    if let a = left.baseAddress, let b = right.baseAddress {
      let order = memcmp(a, b, min(left.count, right.count))
      if order != 0 { return Int(order) }
    }
    return left.count - right.count
  }
}

struct RecordCursor {
  enum Value {
    case null
    case number(type: UInt64, UnsafeRawPointer)
    case text(UnsafeRawBufferPointer)
    case blob(UnsafeRawBufferPointer)

    /// The order of the storage classes: NULL, numbers, text, blobs.
    var rank: UInt8 {
      switch self {
      case .null: 0
      case .number: 1
      case .text: 2
      case .blob: 3
      }
    }
  }

  private var type: UnsafeRawPointer
  private var body: UnsafeRawPointer

  init(_ record: UnsafeRawPointer) {
    let header = Varint.get(record)
    type = record + header.length
    body = record + Int(header.value)
  }

  @inline(__always)
  mutating func next() -> Value {
    let (number, length) = Varint.get(type)
    let start = body
    type += length
    let size = SerialType.size(number)
    body += size
    switch number {
    case 0: return .null
    case 1...9: return .number(type: number, start)
    default:
      let bytes = UnsafeRawBufferPointer(start: start, count: size)
      return number & 1 == 1 ? .text(bytes) : .blob(bytes)
    }
  }

  mutating func skip(_ count: Int) {
    for _ in 0..<count { _ = next() }
  }
}

/// Sorts the records of an index by eight bytes of a column at a time.
///
/// When only a few records are still equal, they are compared directly.
struct RecordSort {
  private static let fewEntries = 24
  private static let depthLimit = 32

  let order: RecordOrder
  let memory: UnsafeRawPointer
  let spare: UnsafeMutablePointer<WordEntry1>

  func sort(_ entries: UnsafeMutableBufferPointer<WordEntry1>) {
    sort(entries, column: 0, depth: 0)
  }

  private func sort(_ entries: UnsafeMutableBufferPointer<WordEntry1>, column: Int, depth: Int) {
    guard let start = entries.baseAddress, entries.count > 1 else { return }
    if entries.count <= Self.fewEntries || depth == Self.depthLimit {
      var entries = entries
      return entries.sort { order.precedes(record($0), record($1)) }
    }
    for index in 0..<entries.count {
      start[index].first = ColumnWord(
        record(entries[index]),
        column: column,
        isDescending: order.isDescending(column)
      ).word(depth)
    }
    RadixSort.sort(start, count: entries.count, spare: spare)
    var group = 0
    for end in 1...entries.count
    where end == entries.count || start[end].first != start[group].first {
      if end - group > 1 {
        let members = UnsafeMutableBufferPointer(rebasing: entries[group..<end])
        sortEqual(members, column: column, depth: depth)
      }
      group = end
    }
  }

  private func sortEqual(
    _ entries: UnsafeMutableBufferPointer<WordEntry1>,
    column: Int,
    depth: Int
  ) {
    let first = ColumnWord(record(entries[0]), column: column, isDescending: false).count
    let covered = 8 * (depth + 1)
    let areEqual =
      first <= covered
      && entries.allSatisfy {
        ColumnWord(record($0), column: column, isDescending: false).count == first
      }
    if !areEqual {
      sort(entries, column: column, depth: depth + 1)
    } else if column + 1 < order.columnCount {
      sort(entries, column: column + 1, depth: 0)
    }
  }

  func record(_ entry: WordEntry1) -> UnsafeRawPointer {
    let length = memory + Int(entry.rest)
    return length + Varint.get(length).length
  }

  func sizedRecord(_ entry: WordEntry1) -> UnsafeRawBufferPointer {
    let start = memory + Int(entry.rest)
    let (count, length) = Varint.get(start)
    return UnsafeRawBufferPointer(start: start, count: Int(count) + length)
  }

  private struct ColumnWord {
    private let value: RecordCursor.Value
    private let mask: UInt64

    init(_ record: UnsafeRawPointer, column: Int, isDescending: Bool) {
      var cursor = RecordCursor(record)
      cursor.skip(column)
      value = cursor.next()
      mask = isDescending ? .max : 0
    }

    var count: Int {
      switch value {
      case .null: 1
      case .number: 11
      case .text(let bytes), .blob(let bytes): 1 + bytes.count
      }
    }

    func word(_ depth: Int) -> UInt64 {
      let rank = UInt64(value.rank) << 56
      switch value {
      case .null: return (depth == 0 ? rank : 0) ^ mask
      case .number(let type, let bytes):
        let number = ExactNumber(type: type, bytes)
        if depth == 0 { return (rank | number.word >> 8) ^ mask }
        let residue = UInt64(UInt16(bitPattern: number.residue) ^ 0x8000)
        return (depth == 1 ? number.word << 56 | residue << 40 : 0) ^ mask
      case .text(let bytes), .blob(let bytes):
        if depth == 0 { return (rank | Self.bytes(bytes, 0..<7) >> 8) ^ mask }
        return Self.bytes(bytes, 8 * depth - 1..<8 * depth + 7) ^ mask
      }
    }

    /// Up to eight bytes as a big-endian number, padded with zeros.
    private static func bytes(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> UInt64 {
      if range.lowerBound + 8 <= bytes.count {
        let word = bytes.loadUnaligned(fromByteOffset: range.lowerBound, as: UInt64.self)
        return UInt64(bigEndian: word) & (UInt64.max << UInt64(64 - 8 * range.count))
      }
      var word: UInt64 = 0
      for index in range where index < bytes.count {
        word |= UInt64(bytes[index]) << UInt64(56 - 8 * (index - range.lowerBound))
      }
      return word
    }
  }
}

/// The positions of consecutive records, each of which is preceded by its length.
struct RecordList {
  let entries: UnsafeMutableBufferPointer<WordEntry1>
  let spare: UnsafeMutablePointer<WordEntry1>

  init(_ arena: ByteArena) {
    var places: [Int] = []
    var place = 0
    while place < arena.count {
      places.append(place)
      let (count, length) = Varint.get(arena.memory + place)
      place += Int(count) + length
    }
    self.init(places: places)
  }

  init(places: [Int]) {
    entries = .allocate(capacity: places.count)
    for (index, place) in places.enumerated() {
      entries.initializeElement(at: index, to: WordEntry1(first: 0, rest: UInt64(place)))
    }
    spare = .allocate(capacity: max(places.count, 1))
  }

  func deallocate() {
    entries.deallocate()
    spare.deallocate()
  }
}

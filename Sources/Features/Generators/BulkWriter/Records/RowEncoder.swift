import Basics

/// Encodes the rows of a chunk (a part of a table), value by value, as the bytes that SQLite would
/// have stored.
package struct RowEncoder: ~Copyable {
  @usableFromInline
  struct Slot {
    @usableFromInline var type: UInt32
    @usableFromInline var offset: UInt32
    @usableFromInline var bits: UInt64

    @inlinable
    init(type: UInt32, offset: UInt32, bits: UInt64) {
      self.type = type
      self.offset = offset
      self.bits = bits
    }
  }

  /// The rule by which a column stores its values.
  ///
  /// The first cases are the affinities, with the raw values of ``Affinity``.
  @usableFromInline
  enum Rule: UInt8 {
    case blob
    case text
    case numeric
    case integer
    case real
    /// An INTEGER PRIMARY KEY: NULL in the record, because its value is the rowid.
    case rowid
    /// No column: the value is beyond the table's last column.
    case excess

    init(_ affinity: Affinity) {
      self = Rule(rawValue: affinity.rawValue) ?? .excess
    }
  }

  @usableFromInline let rules: UnsafeMutablePointer<Rule>
  @usableFromInline let slots: UnsafeMutablePointer<Slot>
  @usableFromInline let columnCount: Int
  @usableFromInline var column = 0
  var excess = 0
  @usableFromInline var typeBytes = 0
  /// The row's encoded values, preceded by room for the header and followed by eight spare bytes.
  @usableFromInline var body: UnsafeMutableRawPointer
  @usableFromInline var bodyCount = 0
  @usableFromInline var bodyCapacity = 4_096

  private let table: TablePlan
  private let pages: ChunkPages
  private let leaf: UnsafeMutablePointer<LeafPage>
  private let collectors: UnsafeMutableBufferPointer<KeyCollector>
  private let localMaximum: Int
  private(set) var rowCount = 0
  private var firstRowid: Int64?
  private var lastRowid: Int64?

  var rowids: ClosedRange<Int64>? {
    guard let firstRowid, let lastRowid else { return nil }
    return firstRowid...lastRowid
  }

  init(table: TablePlan, pages: ChunkPages, collectors: UnsafeMutableBufferPointer<KeyCollector>) {
    self.table = table
    self.pages = pages
    self.collectors = collectors
    leaf = pages.leaf
    localMaximum = pages.geometry.tableLocalMaximum
    columnCount = table.columns.count
    rules = .allocate(capacity: columnCount + 1)
    rules.initialize(repeating: .excess, count: columnCount + 1)
    for (position, affinity) in table.columns.enumerated() {
      rules[position] = position == table.rowidColumn ? .rowid : Rule(affinity)
    }
    slots = .allocate(capacity: columnCount + 1)
    slots.initialize(repeating: Slot(type: 0, offset: 0, bits: 0), count: columnCount + 1)
    let room = Self.headerRoom(columnCount)
    body = .allocate(byteCount: room + bodyCapacity + 8, alignment: 16) + room
  }

  deinit {
    rules.deallocate()
    slots.deallocate()
    (body - Self.headerRoom(columnCount)).deallocate()
  }

  private static func headerRoom(_ columns: Int) -> Int { (columns * 5 + 3 + 15) & ~15 }

  /// Ends the row.
  ///
  /// Every column must have a value.
  ///
  /// - Throws: A ``Refusal`` if the number of values is wrong, rowids do not ascend, or the row is
  ///   too large or cannot be written.
  package mutating func endRow(rowid: Int64) throws {
    try check(rowid)
    let header = SerialType.headerSize(typeBytes: typeBytes)
    let payload = body - header
    var type = payload + Varint.put(UInt64(header), at: payload)
    for column in 0..<columnCount { type += Varint.put(UInt64(slots[column].type), at: type) }
    let count = header + bodyCount
    if count <= localMaximum {
      let id = UInt64(bitPattern: rowid)
      let size = Varint.length(UInt64(count)) + Varint.length(id) + count
      if !leaf.pointee.hasRoom(for: size) { try pages.openLeaf(after: lastRowid) }
      var cell = leaf.pointee.makeCell(size)
      cell += Varint.put(UInt64(count), at: cell)
      cell += Varint.put(id, at: cell)
      cell.copyMemory(from: payload, byteCount: count)
    } else {
      try pages.appendOverflowing(
        UnsafeRawBufferPointer(start: payload, count: count),
        rowid: rowid,
        after: lastRowid
      )
    }
    for index in collectors.indices {
      collectors[index].collect(slots, body: body, rowid: rowid)
    }
    if rowCount == 0 { firstRowid = rowid }
    lastRowid = rowid
    rowCount += 1
    (column, typeBytes, bodyCount) = (0, 0, 0)
  }

  private func check(_ rowid: Int64) throws {
    guard column == columnCount, excess == 0 else {
      throw Refusal.bug(
        "row \(rowid) of '\(table.name)' has \(column + excess) values for "
          + "\(columnCount) columns"
      )
    }
    if let lastRowid, rowid <= lastRowid {
      throw Refusal.rowsOutOfOrder(table: table.name, rowid: rowid, after: lastRowid)
    }
    guard bodyCount <= 1_000_000_000 - Self.headerRoom(columnCount) else {
      throw Refusal.bug(
        "row \(rowid) of '\(table.name)' has \(bodyCount) bytes, more than "
          + "SQLite's limit of 1,000,000,000"
      )
    }
  }

  @inlinable
  @inline(__always)
  mutating func reserve(_ count: Int) {
    if bodyCount + count > bodyCapacity { grow(by: count) }
  }

  @usableFromInline
  mutating func grow(by count: Int) {
    let capacity = max(bodyCapacity * 2, bodyCount + count)
    let room = Self.headerRoom(columnCount)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: room + capacity + 8, alignment: 16)
    (larger + room).copyMemory(from: body, byteCount: bodyCount)
    (body - room).deallocate()
    (body, bodyCapacity) = (larger + room, capacity)
  }

  // MARK: Numbers: the rules are those of OP_Affinity and OP_MakeRecord in SQLite's vdbe.c

  @inlinable
  @inline(__always)
  package mutating func appendNull() {
    guard rules[column] != .excess else { return skipExcess() }
    finish(SerialType.null, size: 0, bits: 0)
  }

  /// Appends an integer; a text column stores the integer as text.
  @inlinable
  @inline(__always)
  package mutating func append(_ value: Int64) {
    switch rules[column] {
    case .blob, .numeric, .integer: store(value)
    case .real: storeShort(value)
    case .text, .rowid, .excess: appendConverted(value)
    }
  }

  /// Appends a number; numeric columns store whole numbers as integers, and NaN becomes NULL.
  @inlinable
  @inline(__always)
  package mutating func append(_ value: Double) {
    switch rules[column] {
    case .blob: value.isNaN ? finish(SerialType.null, size: 0, bits: 0) : store(value)
    case .numeric, .integer, .real: storeNumber(value)
    case .text, .rowid, .excess: appendConverted(value)
    }
  }

  @inlinable
  @inline(__always)
  mutating func finish(_ type: UInt32, size: Int, bits: UInt64) {
    slots[column] = Slot(type: type, offset: UInt32(truncatingIfNeeded: bodyCount), bits: bits)
    column += 1
    bodyCount += size
    typeBytes += 1
  }

  @inlinable
  @inline(__always)
  mutating func store(_ value: Int64) {
    reserve(8)
    let type = SerialType.integer(value)
    let size = SerialType.numberSize(type)
    let bits = UInt64(bitPattern: value)
    SerialType.put(bits, size: size, at: body + bodyCount)
    finish(type, size: size, bits: bits)
  }

  @inlinable
  @inline(__always)
  mutating func store(_ value: Double) {
    reserve(8)
    SerialType.put(value.bitPattern, size: 8, at: body + bodyCount)
    finish(SerialType.real, size: 8, bits: value.bitPattern)
  }

  @inlinable
  @inline(__always)
  mutating func storeShort(_ value: Int64) {
    if SerialType.integer(value) != 6 { store(value) } else { store(Double(value)) }
  }

  @inlinable
  mutating func storeNumber(_ value: Double) {
    if value.magnitude < 0x1p63 {
      let integer = Int64(value)
      if Double(integer) == value {
        return rules[column] == .real && SerialType.integer(integer) == 6
          ? store(value) : store(integer)
      }
    }
    if value.isNaN { return finish(SerialType.null, size: 0, bits: 0) }
    store(value)
  }

  @usableFromInline
  mutating func appendConverted(_ value: Int64) {
    switch rules[column] {
    case .text: appendDigits(String(value))
    case .rowid: finish(SerialType.null, size: 0, bits: 0)
    default: skipExcess()
    }
  }

  @usableFromInline
  mutating func appendConverted(_ value: Double) {
    switch rules[column] {
    case .text:
      value.isNaN
        ? finish(SerialType.null, size: 0, bits: 0) : appendDigits(NumericText.text(of: value))
    case .rowid: finish(SerialType.null, size: 0, bits: 0)
    default: skipExcess()
    }
  }

  private mutating func appendDigits(_ text: String) {
    var text = text
    text.withUTF8 { appendText(UnsafeRawBufferPointer($0)) }
  }

  @usableFromInline
  mutating func skipExcess() {
    excess += 1
  }

  // MARK: Text and blobs

  /// Appends UTF-8 text; numeric columns convert text that looks like a number.
  @inlinable
  @inline(__always)
  package mutating func appendText(_ utf8: UnsafeRawBufferPointer) {
    copy(utf8)
    endText(utf8.count)
  }

  /// Appends at most `capacity` bytes of UTF-8 text, which a closure writes in place; the closure
  /// returns the number of bytes written.
  @inlinable
  @inline(__always)
  package mutating func appendText(
    capacity: Int,
    _ fill: (UnsafeMutableRawBufferPointer) throws -> Int
  ) rethrows {
    endText(try write(capacity, fill))
  }

  /// Appends a blob.
  ///
  /// No column converts blobs.
  @inlinable
  @inline(__always)
  package mutating func appendBlob(_ bytes: UnsafeRawBufferPointer) {
    copy(bytes)
    endBlob(bytes.count)
  }

  /// Appends a blob of at most `capacity` bytes, which a closure writes in place; the closure
  /// returns the number of bytes written.
  @inlinable
  @inline(__always)
  package mutating func appendBlob(
    capacity: Int,
    _ fill: (UnsafeMutableRawBufferPointer) throws -> Int
  ) rethrows {
    endBlob(try write(capacity, fill))
  }

  @inlinable
  @inline(__always)
  mutating func copy(_ bytes: UnsafeRawBufferPointer) {
    reserve(bytes.count)
    if let start = bytes.baseAddress {
      (body + bodyCount).copyMemory(from: start, byteCount: bytes.count)
    }
  }

  @inlinable
  @inline(__always)
  mutating func write(
    _ capacity: Int,
    _ fill: (UnsafeMutableRawBufferPointer) throws -> Int
  ) rethrows -> Int {
    reserve(capacity)
    let count = try fill(UnsafeMutableRawBufferPointer(start: body + bodyCount, count: capacity))
    return min(max(count, 0), capacity)
  }

  @inlinable
  @inline(__always)
  mutating func endText(_ count: Int) {
    switch rules[column] {
    case .blob, .text: finish(long: SerialType.text(count), size: count)
    case .numeric, .integer, .real: endNumericText(count)
    case .rowid: finish(SerialType.null, size: 0, bits: 0)
    case .excess: skipExcess()
    }
  }

  @inlinable
  @inline(__always)
  mutating func endBlob(_ count: Int) {
    switch rules[column] {
    case .rowid: finish(SerialType.null, size: 0, bits: 0)
    case .excess: skipExcess()
    default: finish(long: SerialType.blob(count), size: count)
    }
  }

  @inlinable
  @inline(__always)
  mutating func finish(long type: UInt32, size: Int) {
    finish(type, size: size, bits: 0)
    if type >= 0x80 { typeBytes += type < 0x4000 ? 1 : Self.furtherBytes(type) }
  }

  @usableFromInline
  static func furtherBytes(_ type: UInt32) -> Int { Varint.length(UInt64(type)) - 1 }

  @usableFromInline
  mutating func endNumericText(_ count: Int) {
    let bytes = UnsafeRawBufferPointer(start: body + bodyCount, count: count)
    switch NumericText.number(in: bytes) {
    case .integer(let value): rules[column] == .real ? storeShort(value) : store(value)
    case .real(let value): storeNumber(value)
    case nil: finish(long: SerialType.text(count), size: count)
    }
  }
}

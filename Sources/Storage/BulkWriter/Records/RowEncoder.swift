/// Takes the rows of a chunk, column after column, as the bytes that SQLite would have stored.
package struct RowEncoder: ~Copyable {
  @usableFromInline let rules: UnsafeMutablePointer<StorageRule>
  @usableFromInline let slots: UnsafeMutablePointer<ColumnSlot>
  @usableFromInline let columnCount: Int
  @usableFromInline var column = 0
  /// Values for which there was no column.
  var excess = 0
  /// The bytes of the row's types in its header.
  @usableFromInline var typeBytes = 0
  /// The row's values, with room for its header before them and eight bytes after them.
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

  /// The first and the last rowid so far.
  var rowids: ClosedRange<Int64>? {
    guard let firstRowid, let lastRowid else { return nil }
    return firstRowid...lastRowid
  }

  /// Takes rows of a table whose leaves go to `pages` and whose keys go to `collectors`.
  init(
    table: TablePlan,
    pages: ChunkPages,
    collectors: UnsafeMutableBufferPointer<KeyCollector>
  ) {
    self.table = table
    self.pages = pages
    self.collectors = collectors
    leaf = pages.leaf
    localMaximum = pages.geometry.tableLocalMaximum
    columnCount = table.columns.count
    rules = .allocate(capacity: columnCount + 1)
    rules.initialize(repeating: .excess, count: columnCount + 1)
    for (position, affinity) in table.columns.enumerated() {
      rules[position] = position == table.rowidColumn ? .rowid : StorageRule(affinity)
    }
    slots = .allocate(capacity: columnCount + 1)
    slots.initialize(repeating: ColumnSlot(type: 0, offset: 0, bits: 0), count: columnCount + 1)
    let room = Self.headerRoom(columnCount)
    body = .allocate(byteCount: room + bodyCapacity + 8, alignment: 16) + room
  }

  deinit {
    rules.deallocate()
    slots.deallocate()
    (body - Self.headerRoom(columnCount)).deallocate()
  }

  /// A type has at most five bytes, the header's own size three.
  private static func headerRoom(_ columns: Int) -> Int { (columns * 5 + 3 + 15) & ~15 }

  /// Ends the row: every column has been given a value.
  package mutating func endRow(rowid: Int64) throws {
    try check(rowid)
    let header = RecordHeader.size(typeBytes: typeBytes)
    let payload = body - header
    RecordHeader.put(size: header, slots: slots, count: columnCount, at: payload)
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
      throw BulkWriterError.wrongColumnCount(
        table: table.name,
        rowid: rowid,
        expected: columnCount,
        found: column + excess
      )
    }
    if let lastRowid, rowid <= lastRowid {
      throw BulkWriterError.rowsOutOfOrder(table: table.name, rowid: rowid, after: lastRowid)
    }
    guard bodyCount <= 1_000_000_000 - Self.headerRoom(columnCount) else {
      throw BulkWriterError.rowTooLarge(table: table.name, rowid: rowid, bytes: bodyCount)
    }
  }

  /// Makes room for a value.
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
}

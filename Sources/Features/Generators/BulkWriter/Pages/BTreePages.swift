enum PageKind: UInt8 {
  case indexInterior = 2
  case tableInterior = 5
  case indexLeaf = 10
  case tableLeaf = 13
}

extension UnsafeMutableRawPointer {
  func storeHeader(_ kind: PageKind, cellCount: Int, contentStart: Int) {
    storeBytes(of: kind.rawValue, as: UInt8.self)
    storeBytes(of: 0, toByteOffset: 1, as: UInt16.self)
    let count = UInt16(truncatingIfNeeded: cellCount)
    storeBytes(of: count.bigEndian, toByteOffset: 3, as: UInt16.self)
    // The page header stores a content offset of 65,536 as 0.
    let start = UInt16(truncatingIfNeeded: contentStart)
    storeBytes(of: start.bigEndian, toByteOffset: 5, as: UInt16.self)
    storeBytes(of: 0, toByteOffset: 7, as: UInt8.self)
  }

  func storePage(_ page: Int, at offset: Int = 0) {
    storeBytes(
      of: UInt32(truncatingIfNeeded: page).bigEndian,
      toByteOffset: offset,
      as: UInt32.self
    )
  }
}

/// A leaf page that is being filled: cells from its end downward, cell pointers from its start
/// upward.
struct LeafPage {
  private static let headerSize = 8

  let memory: UnsafeMutableRawPointer
  private let size: Int
  /// The number of bytes to leave free on a leaf with at least two cells, which depends on the fill
  /// percentage.
  private var slack = 0
  private(set) var cellCount = 0
  private var contentStart: Int
  private(set) var isOpen = false

  init(size: Int) {
    self.size = size
    memory = .allocate(byteCount: size, alignment: 16)
    contentStart = size
  }

  mutating func fill(to percent: Int) { slack = size * (100 - percent) / 100 }

  mutating func open() {
    (cellCount, contentStart, isOpen) = (0, size, true)
  }

  var free: Int { contentStart - Self.headerSize - 2 * cellCount }

  @inline(__always)
  func hasRoom(for cell: Int) -> Bool {
    let rest = free - 2 - cell
    // Put at least two cells on a leaf, because a cell may become the divider between two leaves.
    // Two cells fit on every index page.
    return isOpen && (rest >= slack || (rest >= 0 && cellCount < 2))
  }

  @inline(__always)
  mutating func makeCell(_ size: Int) -> UnsafeMutableRawPointer {
    contentStart -= size
    let place = UInt16(truncatingIfNeeded: contentStart).bigEndian
    memory.storeBytes(of: place, toByteOffset: Self.headerSize + 2 * cellCount, as: UInt16.self)
    cellCount += 1
    return memory + contentStart
  }

  mutating func removeCell(_ size: Int) {
    contentStart += size
    cellCount -= 1
  }

  mutating func close(kind: PageKind) {
    memory.storeHeader(kind, cellCount: cellCount, contentStart: contentStart)
    (memory + Self.headerSize + 2 * cellCount).initializeMemory(
      as: UInt8.self,
      repeating: 0,
      count: free
    )
    isOpen = false
  }
}

/// The cell between two children of an interior page.
struct Divider {
  let cell: [UInt8]
  /// The number of the key's first overflow page, counted from the start of the chunk or, after
  /// `placed(at:)`, from the start of the file.
  let overflow: Int?

  func placed(at placement: Placement) -> Divider {
    Divider(cell: cell, overflow: overflow.map(placement.page))
  }

  var size: Int { 4 + cell.count + (overflow == nil ? 0 : 4) }
}

extension Divider {
  init(rowid: Int64) {
    let id = UInt64(bitPattern: rowid)
    cell = [UInt8](unsafeUninitializedCapacity: 9) { bytes, count in
      guard let start = bytes.baseAddress else { return }
      count = Varint.put(id, at: UnsafeMutableRawPointer(start))
    }
    overflow = nil
  }
}

/// Page 1: the database header, followed by the root of sqlite_schema.
enum FirstPage {
  static let headerSize = 100
  private static let leafHeaderSize = 8

  static func hasRoom(forLeaf page: [UInt8]) -> Bool {
    contentStart(page) - leafHeaderSize - 2 * cellCount(page) >= headerSize
  }

  static func makeRoom(inLeaf page: inout [UInt8]) {
    let count = leafHeaderSize + 2 * cellCount(page)
    let moved = Array(page[..<count])
    page.replaceSubrange(..<headerSize, with: repeatElement(0, count: headerSize))
    page.replaceSubrange(headerSize..<headerSize + count, with: moved)
  }

  private static func cellCount(_ page: [UInt8]) -> Int { Int(page[3]) << 8 | Int(page[4]) }

  private static func contentStart(_ page: [UInt8]) -> Int {
    let start = Int(page[5]) << 8 | Int(page[6])
    return start == 0 ? 65_536 : start
  }

  /// Writes the database's header (https://www.sqlite.org/fileformat2.html#the_database_header).
  static func writeHeader(
    of plan: DatabasePlan,
    pageCount: Int,
    largestRoot: Int,
    free: FreeList,
    to page: UnsafeMutableRawPointer
  ) {
    page.initializeMemory(as: UInt8.self, repeating: 0, count: headerSize)
    for (offset, byte) in "SQLite format 3".utf8.enumerated() {
      page.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
    }
    // A page size of 65,536 is stored as 1.
    let pageSize = plan.pageSize == 65_536 ? 1 : UInt16(plan.pageSize)
    page.storeBytes(of: pageSize.bigEndian, toByteOffset: 16, as: UInt16.self)
    // The write and read versions are 2 (WAL), followed by 0 reserved bytes and the fixed payload
    // fractions.
    for (place, byte) in [2, 2, 0, 64, 32, 32].enumerated() {
      page.storeBytes(of: UInt8(byte), toByteOffset: 18 + place, as: UInt8.self)
    }
    let fileChange = 1
    let fields: [(offset: Int, value: Int)] = [
      (24, fileChange), (28, pageCount), (32, free.firstTrunk), (36, free.count),
      (40, Int(plan.schemaCookie)), (44, 4), (52, largestRoot), (56, 1), (64, 1), (92, fileChange),
      (96, Int(plan.versionNumber)),
    ]
    for field in fields { page.storePage(field.value, at: field.offset) }
  }
}

/// Page 1: the database's header, and the root of sqlite_schema behind it.
enum FirstPage {
  static let headerSize = 100
  private static let leafHeaderSize = 8

  /// Whether a leaf's cells leave room for the database's header.
  static func hasRoom(forLeaf page: [UInt8]) -> Bool {
    contentStart(page) - leafHeaderSize - 2 * cellCount(page) >= headerSize
  }

  /// Moves a leaf's header and the places of its cells behind the database's header.
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
    to page: UnsafeMutableRawPointer
  ) {
    page.initializeMemory(as: UInt8.self, repeating: 0, count: headerSize)
    for (offset, byte) in "SQLite format 3".utf8.enumerated() {
      page.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
    }
    // A page size of 65,536 is written as 1, which is its upper half.
    let pageSize = plan.pageSize == 65_536 ? 1 : UInt16(plan.pageSize)
    page.storeBytes(of: pageSize.bigEndian, toByteOffset: 16, as: UInt16.self)
    // Write and read versions 2: WAL. Then the fixed payload fractions.
    for (place, byte) in [2, 2, 0, 64, 32, 32].enumerated() {
      page.storeBytes(of: UInt8(byte), toByteOffset: 18 + place, as: UInt8.self)
    }
    let fileChange = 1
    let fields: [(offset: Int, value: Int)] = [
      (24, fileChange), (28, pageCount), (40, Int(plan.schemaCookie)), (44, 4),
      (52, largestRoot), (56, 1), (64, 1), (92, fileChange), (96, Int(plan.versionNumber)),
    ]
    for field in fields { page.storePage(field.value, at: field.offset) }
  }
}

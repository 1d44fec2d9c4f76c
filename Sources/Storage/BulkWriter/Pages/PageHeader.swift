/// The kinds of B-tree pages.
enum PageKind: UInt8 {
  case indexInterior = 2
  case tableInterior = 5
  case indexLeaf = 10
  case tableLeaf = 13
}

/// The first bytes of a B-tree page.
struct PageHeader {
  let kind: PageKind
  let cellCount: Int
  let contentStart: Int

  /// Writes what leaves and interior pages have alike.
  func write(to page: UnsafeMutableRawPointer) {
    page.storeBytes(of: kind.rawValue, as: UInt8.self)
    page.storeBytes(of: 0, toByteOffset: 1, as: UInt16.self)
    let count = UInt16(truncatingIfNeeded: cellCount)
    page.storeBytes(of: count.bigEndian, toByteOffset: 3, as: UInt16.self)
    // 65,536 is written as 0.
    let start = UInt16(truncatingIfNeeded: contentStart)
    page.storeBytes(of: start.bigEndian, toByteOffset: 5, as: UInt16.self)
    page.storeBytes(of: 0, toByteOffset: 7, as: UInt8.self)
  }
}

extension UnsafeMutableRawPointer {
  /// Stores a page number as the file has it.
  func storePage(_ page: Int, at offset: Int = 0) {
    storeBytes(
      of: UInt32(truncatingIfNeeded: page).bigEndian,
      toByteOffset: offset,
      as: UInt32.self
    )
  }
}

/// A leaf that is being filled: cells from its end downwards, their places from its start.
struct LeafPage {
  private static let headerSize = 8

  let memory: UnsafeMutableRawPointer
  private let size: Int
  /// Bytes left free where the leaf has cells enough.
  private let slack: Int
  private(set) var cellCount = 0
  private var contentStart: Int
  private(set) var isOpen = false

  init(size: Int, fill: Int) {
    self.size = size
    memory = .allocate(byteCount: size, alignment: 16)
    slack = size * (100 - fill) / 100
    contentStart = size
  }

  mutating func open() {
    (cellCount, contentStart, isOpen) = (0, size, true)
  }

  /// The bytes between the cells' places and their contents.
  var free: Int { contentStart - Self.headerSize - 2 * cellCount }

  /// Whether a cell still belongs on the leaf.
  @inline(__always)
  func hasRoom(for cell: Int) -> Bool {
    let rest = free - 2 - cell
    // Two cells fit on every page of an index, and its leaves may have to give up one.
    return isOpen && (rest >= slack || (rest >= 0 && cellCount < 2))
  }

  /// Adds a cell of a size for which there is room, and returns where its bytes go.
  @inline(__always)
  mutating func makeCell(_ size: Int) -> UnsafeMutableRawPointer {
    contentStart -= size
    let place = UInt16(truncatingIfNeeded: contentStart).bigEndian
    memory.storeBytes(of: place, toByteOffset: Self.headerSize + 2 * cellCount, as: UInt16.self)
    cellCount += 1
    return memory + contentStart
  }

  /// Takes back the last cell, whose size is given.
  mutating func removeCell(_ size: Int) {
    contentStart += size
    cellCount -= 1
  }

  /// Writes the header and clears what is free.
  mutating func close(kind: PageKind) {
    PageHeader(kind: kind, cellCount: cellCount, contentStart: contentStart).write(to: memory)
    (memory + Self.headerSize + 2 * cellCount).initializeMemory(
      as: UInt8.self,
      repeating: 0,
      count: free
    )
    isOpen = false
  }
}

/// An interior page that is being filled: children, and a divider between each two.
struct InteriorNode {
  static let headerSize = 12

  var children: [Int] = []
  private(set) var dividers: [Divider] = []
  private var used = Self.headerSize

  init() {}

  init(children: [Int], dividers: [Divider]) {
    self.children = children
    for divider in dividers { append(divider) }
  }

  func hasRoom(for divider: Divider, in pageSize: Int) -> Bool {
    used + divider.size + 2 <= pageSize
  }

  func fits(in size: Int) -> Bool { used <= size }

  mutating func append(_ divider: Divider) {
    dividers.append(divider)
    used += divider.size + 2
  }

  /// Takes the last child and the divider before it off the node.
  mutating func removeLast() -> (child: Int, divider: Divider)? {
    guard let divider = dividers.popLast(), let child = children.popLast() else { return nil }
    used -= divider.size + 2
    return (child, divider)
  }

  /// Writes the page, its header `offset` bytes from the start.
  func write(to page: UnsafeMutableRawPointer, size: Int, offset: Int, kind: PageKind) {
    page.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    var content = size
    var place = offset + Self.headerSize
    for (child, divider) in zip(children, dividers) {
      content -= divider.size
      page.storePage(child, at: content)
      divider.cell.withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress else { return }
        (page + content + 4).copyMemory(from: start, byteCount: bytes.count)
      }
      if let overflow = divider.overflow {
        page.storePage(overflow, at: content + 4 + divider.cell.count)
      }
      let start = UInt16(truncatingIfNeeded: content).bigEndian
      page.storeBytes(of: start, toByteOffset: place, as: UInt16.self)
      place += 2
    }
    PageHeader(kind: kind, cellCount: dividers.count, contentStart: content)
      .write(to: page + offset)
    page.storePage(children.last ?? 0, at: offset + 8)
  }
}

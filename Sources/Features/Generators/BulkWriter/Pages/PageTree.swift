/// A B-tree that is written from chunks of leaf pages, which arrive in order.
///
/// Each chunk comes from a part of a table or index. Interior pages are written after their
/// children.
///
/// Used only by the thread whose turn it is (see ``ThreadPool``).
final class PageTree {
  private struct HeldLeaf {
    let memory: [UInt8]
    let overflows: [Int]
  }

  private let root: Int
  private let layout: FileLayout
  private let isTable: Bool
  private var interior: InteriorLevels
  private var held: HeldLeaf?
  private var pending: Divider?

  init(root: Int, isTable: Bool, layout: FileLayout) {
    self.root = root
    self.isTable = isTable
    self.layout = layout
    interior = InteriorLevels(kind: isTable ? .tableInterior : .indexInterior, layout: layout)
  }

  func open() throws -> Placement {
    try releaseHeldLeaf()
    return Placement(geometry: layout.geometry, file: layout.file, base: layout.next)
  }

  func close(_ pages: ChunkPages, at placement: Placement, after last: Divider?) throws {
    layout.next = placement.base + pages.count
    try pages.recordChains(in: layout.map, at: placement)
    for leaf in pages.leaves {
      let divider = leaf.divider ?? pending
      pending = nil
      if let divider { try interior.append(divider.placed(at: placement)) }
      interior.append(child: placement.page(leaf.ordinal))
    }
    pending = last
  }

  func place(_ pages: ChunkPages, after last: Divider?) throws -> Placement? {
    guard let first = pages.leaves.first else { return nil }
    if held == nil, interior.isEmpty, pages.leaves.count == 1 {
      // The first leaf is the chunk's page 0, whose location in the file is not known yet. The
      // chunk's page 1 gets the next free location.
      let placement = Placement(geometry: layout.geometry, file: layout.file, base: layout.next - 1)
      layout.next += pages.count - 1
      held = HeldLeaf(
        memory: pages.copy(of: first.ordinal, at: placement),
        overflows: try pages.recordRests(in: layout.map, at: placement)
      )
      pending = last
      return placement
    }
    let placement = try open()
    try close(pages, at: placement, after: last)
    return placement
  }

  func finish() throws {
    if root == 1, let held, !FirstPage.hasRoom(forLeaf: held.memory) { try releaseHeldLeaf() }
    if root != 1 { try layout.map.set(root, .root) }
    if let held {
      try writeRoot(leaf: held)
    } else if interior.isEmpty {
      try writeRoot(leaf: HeldLeaf(memory: emptyLeaf(), overflows: []))
    } else {
      try interior.finish(root: root)
    }
  }

  private func emptyLeaf() -> [UInt8] {
    var memory = [UInt8](repeating: 0, count: layout.geometry.pageSize)
    memory.withUnsafeMutableBytes { bytes in
      guard let page = bytes.baseAddress else { return }
      page.storeHeader(isTable ? .tableLeaf : .indexLeaf, cellCount: 0, contentStart: bytes.count)
    }
    return memory
  }

  private func releaseHeldLeaf() throws {
    guard let leaf = held else { return }
    held = nil
    let page = layout.geometry.page(layout.next)
    layout.next += 1
    try write(leaf.memory, overflows: leaf.overflows, to: page)
    interior.append(child: page)
  }

  private func writeRoot(leaf: HeldLeaf) throws {
    var memory = leaf.memory
    if root == 1 { FirstPage.makeRoom(inLeaf: &memory) }
    try write(memory, overflows: leaf.overflows, to: root)
  }

  private func write(_ memory: [UInt8], overflows: [Int], to page: Int) throws {
    for overflow in overflows { try layout.map.set(overflow, .firstOverflow(owner: page)) }
    try memory.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      try layout.write(page, from: start)
    }
  }

  /// The interior pages of a tree by level; full pages are written during construction.
  private struct InteriorLevels {
    struct Level {
      var node = InteriorNode()
      /// A full page and the divider after it, which stay in memory until the next page is full.
      ///
      /// If the level's last page would have only one child, it takes over a child of the full
      /// page.
      var full: (node: InteriorNode, divider: Divider)?
    }

    let kind: PageKind
    let layout: FileLayout
    var levels: [Level] = []

    var isEmpty: Bool { levels.isEmpty }

    mutating func append(child: Int, level: Int = 0) {
      if level == levels.count { levels.append(Level()) }
      levels[level].node.children.append(child)
    }

    mutating func append(_ divider: Divider, level: Int = 0) throws {
      if levels[level].node.hasRoom(for: divider, in: layout.geometry.pageSize) {
        return levels[level].node.append(divider)
      }
      try flush(level)
      levels[level].full = (levels[level].node, divider)
      levels[level].node = InteriorNode()
    }

    mutating func finish(root: Int) throws {
      var level = 0
      while shareLastChild(of: level) {
        try flush(level)
        append(child: try write(levels[level].node), level: level + 1)
        level += 1
      }
      try writeRoot(levels[level].node, to: root)
    }

    private mutating func shareLastChild(of level: Int) -> Bool {
      guard var full = levels[level].full else { return false }
      let node = levels[level].node
      if let only = node.children.first, node.children.count == 1, let last = full.node.removeLast()
      {
        levels[level].node = InteriorNode(children: [last.child, only], dividers: [full.divider])
        levels[level].full = (full.node, last.divider)
      }
      return true
    }

    private mutating func flush(_ level: Int) throws {
      guard let (node, divider) = levels[level].full else { return }
      levels[level].full = nil
      let page = try write(node)
      append(child: page, level: level + 1)
      try append(divider, level: level + 1)
    }

    private func write(_ node: InteriorNode) throws -> Int {
      let page = layout.geometry.page(layout.next)
      layout.next += 1
      try write(node, to: page, offset: 0)
      return page
    }

    private func writeRoot(_ node: InteriorNode, to root: Int) throws {
      if root == 1, !node.fits(in: layout.geometry.pageSize - FirstPage.headerSize) {
        // If the root does not fit after the file header, give page 1 a single child. No other page
        // may have a single child.
        let only = InteriorNode(children: [try write(node)], dividers: [])
        return try write(only, to: root, offset: FirstPage.headerSize)
      }
      try write(node, to: root, offset: root == 1 ? FirstPage.headerSize : 0)
    }

    private func write(_ node: InteriorNode, to page: Int, offset: Int) throws {
      let size = layout.geometry.pageSize
      for child in node.children { try layout.map.set(child, .child(parent: page)) }
      for divider in node.dividers {
        if let overflow = divider.overflow {
          try layout.map.set(overflow, .firstOverflow(owner: page))
        }
      }
      let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
      defer { memory.deallocate() }
      node.write(to: memory, size: size, offset: offset, kind: kind)
      try layout.write(page, from: memory)
    }

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

      mutating func removeLast() -> (child: Int, divider: Divider)? {
        guard let divider = dividers.popLast(), let child = children.popLast() else { return nil }
        used -= divider.size + 2
        return (child, divider)
      }

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
        (page + offset).storeHeader(kind, cellCount: dividers.count, contentStart: content)
        page.storePage(children.last ?? 0, at: offset + 8)
      }
    }
  }
}

/// The interior pages of a tree, level by level, each written as soon as it is full.
struct InteriorLevels {
  private struct Level {
    var node = InteriorNode()
    /// A full page and the divider behind it, kept back because the last page of a level takes
    /// a child from it rather than have only one.
    var full: (node: InteriorNode, divider: Divider)?
  }

  private let kind: PageKind
  private let layout: FileLayout
  private var levels: [Level] = []

  init(kind: PageKind, layout: FileLayout) {
    self.kind = kind
    self.layout = layout
  }

  var isEmpty: Bool { levels.isEmpty }

  mutating func append(child: Int, level: Int = 0) {
    if level == levels.count { levels.append(Level()) }
    levels[level].node.children.append(child)
  }

  /// Appends what divides the last child from the next one.
  mutating func append(_ divider: Divider, level: Int = 0) throws {
    if levels[level].node.hasRoom(for: divider, in: layout.geometry.pageSize) {
      return levels[level].node.append(divider)
    }
    try flush(level)
    levels[level].full = (levels[level].node, divider)
    levels[level].node = InteriorNode()
  }

  /// Writes the pages that were kept back and the root.
  mutating func finish(root: Int) throws {
    var level = 0
    while shareLastChild(of: level) {
      try flush(level)
      append(child: try write(levels[level].node), level: level + 1)
      level += 1
    }
    try writeRoot(levels[level].node, to: root)
  }

  /// Whether a level has more than one page; its last one has more than one child afterwards.
  private mutating func shareLastChild(of level: Int) -> Bool {
    guard var full = levels[level].full else { return false }
    let node = levels[level].node
    if let only = node.children.first, node.children.count == 1, let last = full.node.removeLast() {
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
      // Only page 1 may have a single child.
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
}

/// A B-tree whose chunks of leaves arrive in order; its interior pages follow their children.
///
/// Used by one thread at a time: the one whose turn it is.
final class Tree {
  /// The first leaf of all, kept back until it is known whether it is the root.
  private struct HeldLeaf {
    let memory: [UInt8]
    /// The first pages of the payloads that go on elsewhere.
    let overflows: [Int]
  }

  private let root: Int
  private let layout: FileLayout
  private let isTable: Bool
  private var interior: InteriorLevels
  private var held: HeldLeaf?
  /// What will divide the last leaf of a table's chunk from the first of the next one.
  private var pending: Divider?

  init(root: Int, isTable: Bool, layout: FileLayout) {
    self.root = root
    self.isTable = isTable
    self.layout = layout
    interior = InteriorLevels(kind: isTable ? .tableInterior : .indexInterior, layout: layout)
  }

  /// Places the pages of the next chunk before all of them are made.
  func open() throws -> Placement {
    try releaseHeldLeaf()
    return Placement(geometry: layout.geometry, file: layout.file, base: layout.next)
  }

  /// Takes the finished leaves of a chunk that was placed.
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

  /// Takes a finished chunk and returns where its pages belong.
  func place(_ pages: ChunkPages, after last: Divider?) throws -> Placement? {
    guard let first = pages.leaves.first else { return nil }
    if held == nil, interior.isEmpty, pages.leaves.count == 1 {
      // Page 0 of the chunk is the leaf and is given no page yet.
      let placement = Placement(
        geometry: layout.geometry,
        file: layout.file,
        base: layout.next - 1
      )
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

  /// Writes the root.
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
      PageHeader(
        kind: isTable ? .tableLeaf : .indexLeaf,
        cellCount: 0,
        contentStart: bytes.count
      ).write(to: page)
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
}

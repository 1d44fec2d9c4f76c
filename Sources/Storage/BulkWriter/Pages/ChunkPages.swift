/// The pages of one chunk, counted from 0: leaves, and the overflow pages of their cells.
///
/// Reused for chunk after chunk by one thread. Leaves are made aside and copied to their place, so
/// that a chunk larger than its memory can be written while its last leaf is open.
final class ChunkPages {
  let geometry: PageGeometry
  let leaf: UnsafeMutablePointer<LeafPage>
  private(set) var leaves: [BuiltLeaf] = []
  /// The pages made so far.
  private(set) var count = 0

  /// Pages kept before a chunk of several leaves is written as it grows.
  private let limit: Int
  private var memory: UnsafeMutableRawPointer
  private var capacity: Int
  /// The first page that is still in memory.
  var first = 0
  var chains: [OverflowChain] = []
  var leafOrdinal = 0
  private var leafDivider: Divider?
  private var kind = PageKind.tableLeaf
  /// Waits until the chunks before this one are placed.
  private var claim: (() throws -> (Placement, PointerMap))?
  var placed: (placement: Placement, map: PointerMap)?

  init(geometry: PageGeometry, fill: Int, memoryLimit: Int) {
    self.geometry = geometry
    limit = max(16, memoryLimit / geometry.pageSize)
    capacity = 16
    memory = .allocate(byteCount: capacity * geometry.pageSize, alignment: 4_096)
    leaf = .allocate(capacity: 1)
    leaf.initialize(to: LeafPage(size: geometry.pageSize, fill: fill))
  }

  deinit {
    memory.deallocate()
    leaf.pointee.memory.deallocate()
    leaf.deallocate()
  }

  /// Begins a chunk; `claim` is called where it has to be written before it is whole.
  func begin(_ kind: PageKind, claim: (() throws -> (Placement, PointerMap))? = nil) {
    self.kind = kind
    self.claim = claim
    (first, count, placed, isFirstHeld) = (0, 0, nil, false)
    leaves.removeAll(keepingCapacity: true)
    chains.removeAll(keepingCapacity: true)
  }

  /// Whether the tree keeps page 0 back.
  var isFirstHeld = false

  /// Where the chunk lies, if it had to be placed before it was whole.
  var placement: Placement? { placed?.placement }

  // MARK: Leaves

  /// Closes the open leaf and begins the next one.
  func openLeaf(before divider: Divider?) throws {
    try closeLeaf()
    leafOrdinal = try makePage()
    leafDivider = divider
    leaf.pointee.open()
  }

  func openLeaf(after rowid: Int64?) throws {
    try openLeaf(before: leaf.pointee.isOpen ? rowid.map(Divider.init(rowid:)) : nil)
  }

  func closeLeaf() throws {
    guard leaf.pointee.isOpen else { return }
    leaf.pointee.close(kind: kind)
    leaves.append(BuiltLeaf(ordinal: leafOrdinal, divider: leafDivider))
    if leafOrdinal >= first {
      address(of: leafOrdinal).copyMemory(
        from: leaf.pointee.memory,
        byteCount: geometry.pageSize
      )
    } else if let placed {
      try placed.placement.write(leafOrdinal..<leafOrdinal + 1, from: leaf.pointee.memory)
    }
  }

  func address(of ordinal: Int) -> UnsafeMutableRawPointer {
    memory + (ordinal - first) * geometry.pageSize
  }

  private func makePage() throws -> Int {
    if count - first == capacity {
      if capacity >= limit, !leaves.isEmpty, let claim {
        try flush(claim)
      } else {
        grow()
      }
    }
    count += 1
    return count - 1
  }

  private func grow() {
    let size = geometry.pageSize
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity * 2 * size, alignment: 4_096)
    larger.copyMemory(from: memory, byteCount: (count - first) * size)
    memory.deallocate()
    (memory, capacity) = (larger, capacity * 2)
  }

  // MARK: Overflow

  /// Adds a row whose payload goes on elsewhere.
  func appendOverflowing(
    _ payload: UnsafeRawBufferPointer,
    rowid: Int64,
    after last: Int64?
  ) throws {
    guard let start = payload.baseAddress else { return }
    let id = UInt64(bitPattern: rowid)
    let local = geometry.localSize(of: payload.count, maximum: geometry.tableLocalMaximum)
    let size = Varint.length(UInt64(payload.count)) + Varint.length(id) + local + 4
    if !leaf.pointee.hasRoom(for: size) { try openLeaf(after: last) }
    var cell = leaf.pointee.makeCell(size)
    cell += Varint.put(UInt64(payload.count), at: cell)
    cell += Varint.put(id, at: cell)
    cell.copyMemory(from: start, byteCount: local)
    let rest = UnsafeRawBufferPointer(rebasing: payload[local...])
    try appendLeafChain(rest, pointer: cell + local)
  }

  /// Appends the pages that follow a cell of the open leaf.
  func appendLeafChain(
    _ rest: UnsafeRawBufferPointer,
    pointer: UnsafeMutableRawPointer
  ) throws {
    _ = try appendChain(rest, owner: leafOrdinal, pointer: pointer)
  }

  /// Frees the chain made last from its leaf and returns its first page.
  func takeBackChain() -> Int? {
    guard let chain = chains.popLast() else { return nil }
    chains.append(OverflowChain(owner: nil, offset: 0, pages: chain.pages))
    return chain.pages.lowerBound
  }

  /// Appends the pages of a payload's rest and returns the first one.
  ///
  /// Its number is stored at `pointer`, in the open leaf, as soon as it is known.
  func appendChain(
    _ rest: UnsafeRawBufferPointer,
    owner: Int?,
    pointer: UnsafeMutableRawPointer?
  ) throws -> Int {
    let pageCount = (rest.count + geometry.overflowSize - 1) / geometry.overflowSize
    let chain = OverflowChain(
      owner: owner,
      offset: pointer.map { $0 - leaf.pointee.memory } ?? 0,
      pages: count..<count + pageCount
    )
    if let placed {
      pointer?.storePage(placed.placement.page(chain.pages.lowerBound))
      try chain.record(
        in: placed.map,
        at: placed.placement,
        owner: owner.map(placed.placement.page)
      )
    } else {
      chains.append(chain)
    }
    for piece in 0..<pageCount {
      let ordinal = try makePage()
      let page = address(of: ordinal)
      let start = piece * geometry.overflowSize
      let bytes = rest[start..<min(start + geometry.overflowSize, rest.count)]
      link(ordinal, in: chain)
      (page + 4).copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes))
      let end = 4 + bytes.count
      (page + end).initializeMemory(as: UInt8.self, repeating: 0, count: geometry.pageSize - end)
    }
    return chain.pages.lowerBound
  }

  /// Stores the number of the chain's next page where the chunk is placed already.
  private func link(_ ordinal: Int, in chain: OverflowChain) {
    guard let placed else { return }
    let isLast = ordinal + 1 == chain.pages.upperBound
    address(of: ordinal).storePage(isLast ? 0 : placed.placement.page(ordinal + 1))
  }
}

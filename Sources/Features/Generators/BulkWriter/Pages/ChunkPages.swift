/// The pages of a chunk, which is a part of a table or an index: leaves and the overflow pages of
/// their cells, numbered from 0.
///
/// Each thread reuses one instance. A leaf is built in separate memory and then copied into place,
/// so that a chunk larger than its memory limit can be written while its last leaf is open.
final class ChunkPages {
  struct Leaf {
    let ordinal: Int
    /// The divider between this leaf and the previous leaf; `nil` for the first leaf of a table's
    /// chunk.
    let divider: Divider?
  }

  struct Chain {
    /// The leaf whose cell contains the start of the payload; `nil` if a divider contains it.
    let owner: Int?
    let offset: Int
    let pages: Range<Int>

    func record(in map: PointerMap, at placement: Placement, owner: Int?) throws {
      var previous = placement.page(pages.lowerBound)
      if let owner { try map.set(previous, .firstOverflow(owner: owner)) }
      for ordinal in pages.dropFirst() {
        let page = placement.page(ordinal)
        try map.set(page, .laterOverflow(previous: previous))
        previous = page
      }
    }
  }

  let geometry: PageGeometry
  let leaf: UnsafeMutablePointer<LeafPage>
  private(set) var leaves: [Leaf] = []
  private(set) var count = 0

  private let limit: Int
  private let fill: Int
  private var memory: UnsafeMutableRawPointer
  private var capacity: Int
  private var first = 0
  private var chains: [Chain] = []
  private var leafOrdinal = 0
  private var leafDivider: Divider?
  private var kind = PageKind.tableLeaf
  private var claim: (() throws -> (Placement, PointerMap))?
  private var placed: (placement: Placement, map: PointerMap)?
  /// Whether page 0 must stay in memory, because it may become the root of the B-tree.
  private var isFirstHeld = false

  init(geometry: PageGeometry, fill: Int, memoryLimit: Int) {
    self.geometry = geometry
    self.fill = fill
    limit = max(16, memoryLimit / geometry.pageSize)
    capacity = 16
    memory = .allocate(byteCount: capacity * geometry.pageSize, alignment: 4_096)
    leaf = .allocate(capacity: 1)
    leaf.initialize(to: LeafPage(size: geometry.pageSize))
  }

  deinit {
    memory.deallocate()
    leaf.pointee.memory.deallocate()
    leaf.deallocate()
  }

  /// Begins a chunk.
  ///
  /// `claim` reserves the chunk's location in the file if a part must be written early.
  func begin(_ kind: PageKind, fill: Int?, claim: (() throws -> (Placement, PointerMap))? = nil) {
    self.kind = kind
    leaf.pointee.fill(to: fill ?? self.fill)
    self.claim = claim
    (first, count, placed, isFirstHeld) = (0, 0, nil, false)
    leaves.removeAll(keepingCapacity: true)
    chains.removeAll(keepingCapacity: true)
  }

  func forgetClaim() { claim = nil }

  var placement: Placement? { placed?.placement }

  // MARK: Leaf pages

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
    leaves.append(Leaf(ordinal: leafOrdinal, divider: leafDivider))
    if leafOrdinal >= first {
      address(of: leafOrdinal).copyMemory(from: leaf.pointee.memory, byteCount: geometry.pageSize)
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

  // MARK: Overflow pages

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

  func appendLeafChain(_ rest: UnsafeRawBufferPointer, pointer: UnsafeMutableRawPointer) throws {
    _ = try appendChain(rest, owner: leafOrdinal, pointer: pointer)
  }

  func takeBackChain() -> Int? {
    guard let chain = chains.popLast() else { return nil }
    chains.append(Chain(owner: nil, offset: 0, pages: chain.pages))
    return chain.pages.lowerBound
  }

  /// Appends the overflow pages of a payload and returns the number of the first page.
  ///
  /// As soon as the page's number in the file is known, it is stored at `pointer` in the open leaf.
  func appendChain(
    _ rest: UnsafeRawBufferPointer,
    owner: Int?,
    pointer: UnsafeMutableRawPointer?
  ) throws -> Int {
    let pageCount = (rest.count + geometry.overflowSize - 1) / geometry.overflowSize
    let chain = Chain(
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

  private func link(_ ordinal: Int, in chain: Chain) {
    guard let placed else { return }
    let isLast = ordinal + 1 == chain.pages.upperBound
    address(of: ordinal).storePage(isLast ? 0 : placed.placement.page(ordinal + 1))
  }

  // MARK: Locations in the file

  func recordChains(in map: PointerMap, at placement: Placement) throws {
    guard placed == nil else { return }
    for chain in chains {
      try chain.record(in: map, at: placement, owner: chain.owner.map(placement.page))
    }
  }

  func recordRests(in map: PointerMap, at placement: Placement) throws -> [Int] {
    for chain in chains { try chain.record(in: map, at: placement, owner: nil) }
    return chains.map { placement.page($0.pages.lowerBound) }
  }

  func copy(of ordinal: Int, at placement: Placement) -> [UInt8] {
    isFirstHeld = true
    relocate(to: placement)
    return [UInt8](UnsafeRawBufferPointer(start: address(of: ordinal), count: geometry.pageSize))
  }

  func write(to placement: Placement) throws {
    relocate(to: placement)
    chains.removeAll(keepingCapacity: true)
    let start = max(first, isFirstHeld ? 1 : 0)
    try placement.write(start..<count, from: address(of: start))
    first = count
  }

  func flush(_ claim: () throws -> (Placement, PointerMap)) throws {
    if let placed { return try write(to: placed.placement) }
    let (placement, map) = try claim()
    try recordChains(in: map, at: placement)
    try write(to: placement)
    placed = (placement, map)
  }

  private func relocate(to placement: Placement) {
    for chain in chains {
      if let owner = chain.owner {
        let isOpen = leaf.pointee.isOpen && owner == leafOrdinal
        let page = isOpen ? leaf.pointee.memory : address(of: owner)
        page.storePage(placement.page(chain.pages.lowerBound), at: chain.offset)
      }
      for ordinal in chain.pages where ordinal < count {
        let isLast = ordinal + 1 == chain.pages.upperBound
        address(of: ordinal).storePage(isLast ? 0 : placement.page(ordinal + 1))
      }
    }
  }
}

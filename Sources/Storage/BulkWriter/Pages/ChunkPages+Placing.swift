extension ChunkPages {
  /// Says in the pointer map what the overflow pages are for that have not been placed before.
  func recordChains(in map: PointerMap, at placement: Placement) throws {
    guard placed == nil else { return }
    for chain in chains {
      try chain.record(in: map, at: placement, owner: chain.owner.map(placement.page))
    }
  }

  /// The same for a chunk whose only leaf has no page yet; returns where its payloads go on.
  func recordRests(in map: PointerMap, at placement: Placement) throws -> [Int] {
    for chain in chains { try chain.record(in: map, at: placement, owner: nil) }
    return chains.map { placement.page($0.pages.lowerBound) }
  }

  /// The bytes of a leaf that a tree keeps back.
  func copy(of ordinal: Int, at placement: Placement) -> [UInt8] {
    isFirstHeld = true
    relocate(to: placement)
    return [UInt8](
      UnsafeRawBufferPointer(start: address(of: ordinal), count: geometry.pageSize)
    )
  }

  /// Writes what is still in memory.
  func write(to placement: Placement) throws {
    relocate(to: placement)
    chains.removeAll(keepingCapacity: true)
    let start = max(first, isFirstHeld ? 1 : 0)
    try placement.write(start..<count, from: address(of: start))
    first = count
  }

  /// Places and writes a chunk that outgrows its memory; what follows is placed as it is made.
  func flush(_ claim: () throws -> (Placement, PointerMap)) throws {
    if let placed { return try write(to: placed.placement) }
    let (placement, map) = try claim()
    try recordChains(in: map, at: placement)
    try write(to: placement)
    placed = (placement, map)
  }

  /// Stores the numbers of overflow pages in the pages that refer to them.
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

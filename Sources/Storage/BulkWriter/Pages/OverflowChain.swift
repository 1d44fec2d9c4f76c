/// The pages that hold the rest of a payload, one after the other.
struct OverflowChain {
  /// The leaf whose cell begins the payload; `nil` where a divider does.
  let owner: Int?
  /// Where in the leaf the number of the first page belongs.
  let offset: Int
  let pages: Range<Int>

  /// Says in the pointer map what the chain's pages are for.
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

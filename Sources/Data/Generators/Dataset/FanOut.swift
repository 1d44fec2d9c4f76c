/// Which parent each child belongs to, and which children each parent has.
///
/// Every parent has a number of children, kept as a table of running sums: 4 bytes a parent. The
/// children fill the parents' places in shuffled or in row order, so both directions are looked up
/// without going through the children.
struct FanOut: Sendable {
  let parents: Int
  let children: Int
  /// The first place of each parent, and the number of all places at the end.
  private let starts: [UInt32]
  /// For each block of places, the parent of its first one.
  private let guide: [UInt32]
  private let guideShift: Int
  private let attached: EvenSelection
  /// `nil` where children are made with their parent, one parent after the other.
  private let shuffle: Permutation?

  /// The most children, so that places fit in 32 bits.
  static let mostChildren = Int(UInt32.max) - 1

  /// Gives every parent its count of the children; those beyond the counts' sum have no parent.
  init(counts: [UInt32], children: Int, isScattered: Bool, key: StreamKey) {
    parents = counts.count
    self.children = children
    var starts: [UInt32] = [0]
    starts.reserveCapacity(counts.count + 1)
    var sum: UInt32 = 0
    for count in counts {
      sum += count
      starts.append(sum)
    }
    self.starts = starts
    attached = EvenSelection(count: children, selected: Int(sum))
    shuffle = isScattered ? Permutation(count: children, key: key.derived("order")) : nil
    (guide, guideShift) = Self.guide(to: starts)
  }

  private static func guide(to starts: [UInt32]) -> ([UInt32], Int) {
    let places = Int(starts[starts.count - 1])
    // About one block for eight parents: the search within one is three steps.
    var shift = 0
    while places >> shift > max(starts.count / 8, 1) { shift += 1 }
    var guide: [UInt32] = []
    var parent = 0
    for block in 0...(places >> shift) {
      while parent + 1 < starts.count, Int(starts[parent + 1]) <= block << shift { parent += 1 }
      guide.append(UInt32(parent))
    }
    guide.append(UInt32(max(starts.count - 2, 0)))
    return (guide, shift)
  }

  private func place(of child: Int) -> Int? {
    attached.rank(of: shuffle?.image(of: child) ?? child)
  }

  /// The parent of a child; `nil` where it has none.
  func parent(of child: Int) -> Int? {
    place(of: child).map(parent(atPlace:))
  }

  /// The parent of a child and the child's position among its siblings, from 0.
  func parentAndPosition(of child: Int) -> (parent: Int, position: Int)? {
    guard let place = place(of: child) else { return nil }
    let parent = parent(atPlace: place)
    return (parent, place - Int(starts[parent]))
  }

  private func parent(atPlace place: Int) -> Int {
    let block = place >> guideShift
    var (low, high) = (Int(guide[block]), Int(guide[block + 1]) + 1)
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= UInt32(place) { low = middle } else { high = middle }
    }
    return low
  }

  /// How many children a parent has.
  func childCount(of parent: Int) -> Int { Int(starts[parent + 1] - starts[parent]) }

  /// The children of a parent, by position.
  func children(of parent: Int) -> [Int] {
    (Int(starts[parent])..<Int(starts[parent + 1])).map { place in
      let index = attached.index(ofRank: place)
      return shuffle?.preimage(of: index) ?? index
    }
  }
}

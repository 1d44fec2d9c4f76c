/// The targets of a relationship, as queried from one of its two sides.
///
/// A row number is the primary key minus 1.
final class RelationshipSource: Sendable {
  enum Rule: Sendable {
    case parent(FanOut)
    case children(FanOut)
    case treeParent(Tree)
    case treeChildren(Tree)
    case hourlyParent(HourlyParents)
    case hourlyChildren(HourlyParents)
    case target(Pairing)
    case source(Pairing)
    case partner(Partners)
    case targets(ReversedLinks)
    case sources(ReversedLinks)
  }

  struct Member: Hashable, Sendable {
    let entity: String
    let number: Int
    let span: Span
  }

  let rule: Rule
  let own: Span
  let other: Span
  let members: [Member]
  /// The copies that share their original's target in a many-to-one relationship; `nil` if there
  /// are no such copies.
  private let shared: SharedRelationships?
  private let memory = Cell.RowMemory.Source()

  init(
    rule: Rule,
    own: Span,
    other: Span,
    members: [Member],
    shared: SharedRelationships? = nil
  ) {
    self.rule = rule
    self.own = own
    self.other = other
    self.members = members
    self.shared = shared
  }

  func target(of tableRow: Int) -> Int? {
    guard let index = own.index(of: tableRow) else { return nil }
    let target: Int? =
      switch rule {
      case .parent(let fanOut): fanOut.parent(of: owner(index))
      case .treeParent(let tree): tree.parent(of: index)
      case .hourlyParent(let parents): parents.parent(of: index)
      case .target(let pairing): pairing.target(of: index)
      case .source(let pairing): pairing.source(of: index)
      case .partner(let partners): partners.partner(of: index)
      default: nil
      }
    return target.map { $0 + other.offset }
  }

  /// The table row of a to-one relationship's target, computed once for all columns of a row; `nil`
  /// if there is no target.
  ///
  /// Sets `cell` to the target's primary key.
  @inline(__always)
  func target(of tableRow: Int, _ cell: inout Cell) -> Int? {
    if !cell.recall(memory, row: tableRow) {
      cell.set(key: target(of: tableRow))
      cell.remember(memory, row: tableRow)
    }
    return cell.kind == .integer ? Int(cell.integer) - 1 : nil
  }

  /// The table rows of a to-many relationship's targets.
  ///
  /// Children are sorted by position, and many-to-many targets by the order in which they were
  /// chosen.
  func targets(of tableRow: Int) -> [Int] {
    guard let index = own.index(of: tableRow) else { return [] }
    let targets: [Int] =
      switch rule {
      case .children(let fanOut): fanOut.children(of: index)
      case .treeChildren(let tree): tree.children(of: index)
      case .hourlyChildren(let parents): parents.children(of: index)
      case .targets(let links): links.links.targets(of: index)
      case .sources(let links): links.sources(of: index)
      default: []
      }
    let rows = targets.map { $0 + other.offset }
    if case .children = rule, let shared { return shared.all(of: rows) }
    return rows
  }

  /// The index of the object whose target an object uses: its original for a copy that shares a
  /// target, otherwise itself.
  @inline(__always)
  private func owner(_ index: Int) -> Int {
    guard let shared else { return index }
    return shared.origin(of: own.offset + index) - own.offset
  }

  func count(of tableRow: Int) -> Int {
    guard case .children(let fanOut) = rule, shared == nil, let index = own.index(of: tableRow)
    else {
      return targets(of: tableRow).count
    }
    return fanOut.childCount(of: index)
  }

  @inline(__always)
  func member(of target: Int) -> Member? {
    members.first { $0.span.index(of: target) != nil }
  }

  /// Returns an object's position among the objects with the same target, and their number.
  ///
  /// `cell` is scratch space.
  func place(of tableRow: Int, _ cell: inout Cell) -> (position: Int, count: Int)? {
    guard case .parent(let fanOut) = rule, let index = own.index(of: tableRow) else { return nil }
    // A copy shares its original's target, but keeps its position among the children of the parent
    // that was drawn for it.
    let parent =
      shared == nil
      ? target(of: tableRow, &cell).map { $0 - other.offset } : fanOut.parent(of: index)
    guard let parent, let position = fanOut.position(of: index, below: parent) else { return nil }
    return (position, fanOut.childCount(of: parent))
  }

  func position(of tableRow: Int, _ cell: inout Cell) -> Int? {
    guard let index = own.index(of: tableRow) else { return nil }
    return switch rule {
    case .parent: place(of: tableRow, &cell)?.position
    case .treeParent(let tree): tree.position(of: index)
    default: nil
    }
  }
}

/// The rows of an entity and its sub-entities in their table.
///
/// Row n has the primary key n + 1. A table's rows are ordered by entity number, so the rows of an
/// entity and its sub-entities are contiguous.
struct Span: Hashable, Sendable {
  let offset: Int
  let count: Int

  @inline(__always)
  func index(of tableRow: Int) -> Int? {
    let index = tableRow - offset
    return index >= 0 && index < count ? index : nil
  }
}

/// A one-to-one relationship: the sources that have a target, and their targets.
struct Pairing: Sendable {
  let sources: SpanSelection
  let targets: SpanSelection
  /// The shuffled order of the partners; `nil` if partners have the same order on both sides.
  let shuffle: Permutation?

  func target(of source: Int) -> Int? {
    sources.rank(of: source).map { targets.index(ofRank: shuffle?.image(of: $0) ?? $0) }
  }

  func source(of target: Int) -> Int? {
    targets.rank(of: target).map { sources.index(ofRank: shuffle?.preimage(of: $0) ?? $0) }
  }
}

extension Pairing {
  init(sources: Int, targets: Int, nullShare: Double, isScattered: Bool, key: StreamKey) {
    let wanted = sources - Int((Double(sources) * nullShare).rounded())
    let pairs = min(wanted, targets)
    self.init(
      sources: SpanSelection([EvenSelection(count: sources, selected: pairs)]),
      targets: SpanSelection([EvenSelection(count: targets, selected: pairs)]),
      shuffle: isScattered ? Permutation(count: pairs, key: key.derived("order")) : nil
    )
  }
}

/// A one-to-one relationship that is its own inverse.
struct Partners: Sendable {
  private let selection: EvenSelection
  private let shuffle: Permutation

  init(count: Int, nullShare: Double, key: StreamKey) {
    self.init(count: count, partnered: count - Int((Double(count) * nullShare).rounded()), key: key)
  }

  init(count: Int, partnered: Int, key: StreamKey) {
    selection = EvenSelection(count: count, selected: partnered / 2 * 2)
    shuffle = Permutation(count: selection.selected, key: key.derived("order"))
  }

  func partner(of object: Int) -> Int? {
    guard selection.count > 0 else { return nil }
    return selection.rank(of: object).map {
      selection.index(ofRank: shuffle.preimage(of: shuffle.image(of: $0) ^ 1))
    }
  }
}

/// Selected indexes in several consecutive ranges.
///
/// Each range has its own number of selected indexes, which are evenly spaced.
struct SpanSelection: Sendable {
  private let parts: [(first: Int, rank: Int, selection: EvenSelection)]
  let count: Int
  let selected: Int

  init(_ selections: [EvenSelection]) {
    var parts: [(first: Int, rank: Int, selection: EvenSelection)] = []
    var (first, rank) = (0, 0)
    for selection in selections where selection.count > 0 {
      parts.append((first, rank, selection))
      first += selection.count
      rank += selection.selected
    }
    self.parts = parts
    count = first
    selected = rank
  }

  /// The rank of an index among the selected indexes, from 0; `nil` if it is not selected.
  @inline(__always)
  func rank(of index: Int) -> Int? {
    for part in parts where index < part.first + part.selection.count {
      return part.selection.rank(of: index - part.first).map { $0 + part.rank }
    }
    return nil
  }

  func index(ofRank rank: Int) -> Int {
    for part in parts where rank < part.rank + part.selection.selected {
      return part.first + part.selection.index(ofRank: rank - part.rank)
    }
    return count - 1
  }

  func resized(to wanted: Int) -> SpanSelection {
    let isMore = wanted > selected
    let weights = parts.map { part in
      isMore ? part.selection.count - part.selection.selected : part.selection.selected
    }
    let shares = ColumnSegments.shares(of: weights, in: isMore ? wanted - selected : wanted)
    return SpanSelection(
      zip(parts, shares).map { part, share in
        EvenSelection(
          count: part.selection.count,
          selected: isMore ? part.selection.selected + share : share
        )
      }
    )
  }
}

/// A given number of selected indexes, evenly spaced over a range.
///
/// The selection computes whether an index is selected, and the rank of the index, without a table.
struct EvenSelection: Sendable {
  let count: Int
  let selected: Int

  init(count: Int, selected: Int) {
    self.count = count
    self.selected = min(max(selected, 0), count)
  }

  @inline(__always)
  private func skipped(below index: Int) -> Int {
    // The product fits in 64 bits, because row numbers are below 2³².
    Int(UInt64(index) &* UInt64(count - selected) / UInt64(count))
  }

  /// The rank of an index among the selected indexes, from 0; `nil` if it is not selected.
  @inline(__always)
  func rank(of index: Int) -> Int? {
    guard selected < count else { return index }
    let skipped = skipped(below: index)
    return self.skipped(below: index + 1) == skipped ? index - skipped : nil
  }

  func index(ofRank rank: Int) -> Int {
    guard selected < count else { return rank }
    var index = min(Int(UInt64(rank) &* UInt64(count) / UInt64(selected)), count - 1)
    while index > 0, index - skipped(below: index) > rank { index -= 1 }
    while self.rank(of: index) != rank { index += 1 }
    return index
  }
}

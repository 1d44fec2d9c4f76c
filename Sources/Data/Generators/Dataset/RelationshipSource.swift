/// Where a relationship of an entity leads, from one of its two sides.
///
/// Rows are those of the tables: primary keys less one.
final class RelationshipSource: Sendable {
  /// The rule, seen from this side.
  enum Rule: Sendable {
    /// There are no objects to lead to.
    case empty
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

  /// A concrete entity that objects at the other side belong to.
  struct Member: Hashable, Sendable {
    let entity: String
    let number: Int
    let span: Span
  }

  let rule: Rule
  let own: Span
  let other: Span
  /// The concrete entities at the other side, in the order of their numbers.
  let members: [Member]

  init(rule: Rule, own: Span, other: Span, members: [Member]) {
    self.rule = rule
    self.own = own
    self.other = other
    self.members = members
  }

  /// The target of a to-one.
  func target(of tableRow: Int) -> Int? {
    guard let index = own.index(of: tableRow) else { return nil }
    let target: Int? =
      switch rule {
      case .parent(let fanOut): fanOut.parent(of: index)
      case .treeParent(let tree): tree.parent(of: index)
      case .hourlyParent(let parents): parents.parent(of: index)
      case .target(let pairing): pairing.target(of: index)
      case .source(let pairing): pairing.source(of: index)
      case .partner(let partners): partners.partner(of: index)
      default: nil
      }
    return target.map { $0 + other.offset }
  }

  /// The targets of a to-many: children by their position, many-to-many targets as they were chosen.
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
    return targets.map { $0 + other.offset }
  }

  /// The number of targets of a to-many.
  func count(of tableRow: Int) -> Int {
    guard case .children(let fanOut) = rule, let index = own.index(of: tableRow) else {
      return targets(of: tableRow).count
    }
    return fanOut.childCount(of: index)
  }

  /// The concrete entity of a target.
  @inline(__always)
  func member(of target: Int) -> Member? {
    members.first { $0.span.index(of: target) != nil }
  }

  /// The position of a child among the children of its parent.
  func position(of tableRow: Int) -> Int? {
    guard let index = own.index(of: tableRow) else { return nil }
    return switch rule {
    case .parent(let fanOut): fanOut.parentAndPosition(of: index)?.position
    case .treeParent(let tree): tree.position(of: index)
    default: nil
    }
  }
}

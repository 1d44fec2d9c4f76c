import Synchronization

/// A many-to-one relationship among objects of one kind: each has its parent among earlier ones.
final class Tree: Sendable {
  let count: Int
  private let rootShare: Double
  private let key: StreamKey
  private let lists = Mutex<ChildLists?>(nil)

  /// Leaves a share of the objects without a parent, always the first.
  init(count: Int, rootShare: Double, key: StreamKey) {
    self.count = count
    self.rootShare = rootShare
    self.key = key
  }

  /// The parent of an object, every earlier one as likely as the others.
  func parent(of child: Int) -> Int? {
    guard child > 0 else { return nil }
    var draws = key.draws(row: child)
    return draws.happens(rootShare) ? nil : draws.below(child)
  }

  /// The children of an object, in row order: one pass over all objects, once somebody asks.
  func children(of parent: Int) -> [Int] {
    lists.withLock { made in
      if let made { return made[parent] }
      let lists = ChildLists(parents: count, children: count, parent: self.parent(of:))
      made = lists
      return lists[parent]
    }
  }

  /// The position of a child among its siblings.
  func position(of child: Int) -> Int? {
    guard let parent = parent(of: child) else { return nil }
    return children(of: parent).firstIndex(of: child)
  }
}

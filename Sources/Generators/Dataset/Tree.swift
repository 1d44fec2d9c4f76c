import Synchronization

/// A many-to-one relationship among objects of one kind: each has its parent among earlier ones.
final class Tree: Sendable {
  /// The children of every parent, one after the other.
  private struct Lists {
    let starts: [UInt32]
    let children: [UInt32]
  }

  let count: Int
  private let rootShare: Double
  private let key: StreamKey
  private let lists = Mutex<Lists?>(nil)

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

  /// The children of an object, in row order.
  func children(of parent: Int) -> [Int] {
    let lists = reversed()
    return (Int(lists.starts[parent])..<Int(lists.starts[parent + 1])).map {
      Int(lists.children[$0])
    }
  }

  /// The position of a child among its siblings.
  func position(of child: Int) -> Int? {
    guard let parent = parent(of: child) else { return nil }
    return children(of: parent).firstIndex(of: child)
  }

  /// The relationship from the other side: made once, in one pass over all objects.
  private func reversed() -> Lists {
    lists.withLock { made in
      if let made { return made }
      let lists = makeLists()
      made = lists
      return lists
    }
  }

  private func makeLists() -> Lists {
    var starts = [UInt32](repeating: 0, count: count + 2)
    for child in 0..<count {
      if let parent = parent(of: child) { starts[parent + 2] += 1 }
    }
    for index in 2..<(count + 2) { starts[index] += starts[index - 1] }
    var children = [UInt32](repeating: 0, count: Int(starts[count + 1]))
    for child in 0..<count {
      guard let parent = parent(of: child) else { continue }
      children[Int(starts[parent + 1])] = UInt32(child)
      starts[parent + 1] += 1
    }
    return Lists(starts: starts, children: children)
  }
}

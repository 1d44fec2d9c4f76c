import Synchronization

/// A many-to-one relationship of an entity with itself: each object's parent is an earlier object.
final class Tree: Sendable {
  let count: Int
  private let rootShare: Double
  private let key: StreamKey
  /// The parent of each object; `.max` marks an object without a parent.
  ///
  /// The list is empty if parents are drawn on demand.
  private let parents: [UInt32]
  private let lists = Mutex<ChildLists?>(nil)

  init(parents: [UInt32]) {
    count = parents.count
    rootShare = 0
    key = StreamKey(seed: 0)
    self.parents = parents
  }

  /// Creates a tree in which a share of the objects have no parent, always including the first
  /// object.
  ///
  /// `most` is the maximum number of children per object.
  init(count: Int, rootShare: Double, most: Int = .max, key: StreamKey) {
    self.count = count
    self.rootShare = rootShare
    self.key = key
    parents =
      most < count
      ? Self.bounded(Tree(count: count, rootShare: rootShare, key: key), most: most) : []
  }

  private static func bounded(_ drawn: Tree, most: Int) -> [UInt32] {
    var counts = [Int](repeating: 0, count: drawn.count)
    var next = Array(0..<drawn.count + 1)
    func open(from start: Int) -> Int {
      var found = start
      while next[found] != found {
        next[found] = next[next[found]]
        found = next[found]
      }
      return found
    }
    return (0..<drawn.count).map { child in
      guard let wanted = drawn.parent(of: child) else { return .max }
      let later = open(from: wanted)
      let parent = later < child ? later : open(from: 0)
      counts[parent] += 1
      if counts[parent] == most { next[parent] = parent + 1 }
      return UInt32(parent)
    }
  }

  func parent(of child: Int) -> Int? {
    if !parents.isEmpty { return parents[child] == .max ? nil : Int(parents[child]) }
    guard child > 0 else { return nil }
    var draws = key.draws(row: child)
    return draws.happens(rootShare) ? nil : draws.below(child)
  }

  /// The children of an object, in row order; the first call makes one pass over all objects.
  func children(of parent: Int) -> [Int] {
    lists.withLock { made in
      if let made { return made[parent] }
      let lists = ChildLists(parents: count, children: count, parent: self.parent(of:))
      made = lists
      return lists[parent]
    }
  }

  func position(of child: Int) -> Int? {
    guard let parent = parent(of: child) else { return nil }
    return children(of: parent).firstIndex(of: child)
  }

  /// The children of every parent, in ascending order, built in one pass over all children.
  struct ChildLists: Sendable {
    private let starts: [UInt32]
    private let children: [UInt32]

    init(parents: Int, children count: Int, parent: (Int) -> Int?) {
      var starts = [UInt32](repeating: 0, count: parents + 2)
      for child in 0..<count {
        if let parent = parent(child) { starts[parent + 2] += 1 }
      }
      for index in 2..<(parents + 2) { starts[index] += starts[index - 1] }
      var children = [UInt32](repeating: 0, count: Int(starts[parents + 1]))
      for child in 0..<count {
        guard let parent = parent(child) else { continue }
        children[Int(starts[parent + 1])] = UInt32(child)
        starts[parent + 1] += 1
      }
      self.starts = starts
      self.children = children
    }

    subscript(parent: Int) -> [Int] {
      (Int(starts[parent])..<Int(starts[parent + 1])).map { Int(children[$0]) }
    }
  }
}

/// A many-to-one relationship whose parents form two groups: a group for working hours and a group
/// for other hours.
///
/// Nine of ten children have a parent of the group that matches their date. The first query for a
/// parent's children finds the children of all parents in one pass.
final class HourlyParents: Sendable {
  private static let habit = 0.9

  private let parents: Int
  private let children: Int
  private let date: AttributeSource
  private let nullShare: Double
  private let split: Int
  private let working: WeightedChoice
  private let otherwise: WeightedChoice
  private let key: StreamKey
  private let lists = Mutex<Tree.ChildLists?>(nil)

  init(
    _ recipe: RelationshipRecipe,
    workingShare: Double,
    date: AttributeSource,
    parents: Int,
    children: Int,
    key: StreamKey
  ) {
    let weights = Self.weights(recipe.popularity, parents: parents, key: key)
    // Each group has at least one parent if there are two or more parents.
    let split = min(max(Int((workingShare * Double(parents)).rounded()), 1), max(parents - 1, 1))
    self.parents = parents
    self.children = children
    self.date = date
    self.split = split
    nullShare = recipe.nullShare
    working = WeightedChoice(weights: Array(weights.prefix(split)))
    otherwise = WeightedChoice(weights: Array(weights.dropFirst(split)))
    self.key = key
  }

  private static func weights(_ popularity: Popularity, parents: Int, key: StreamKey) -> [Double] {
    switch popularity {
    // The case `counts` comes only from profiles, which do not record working hours.
    case .uniform, .counts: return [Double](repeating: 1, count: parents)
    case .zipfian(let exponent):
      let ranks = Permutation(count: parents, key: key.derived("rank"))
      return (0..<parents).map {
        ZipfianDistribution.weight(Double(ranks.preimage(of: $0) + 1), exponent)
      }
    case .spread(let recipe): return recipe.distribution().weights(count: parents, key: key)
    }
  }

  func parent(of child: Int) -> Int? {
    guard parents > 0 else { return nil }
    var draws = key.draws(row: child)
    if draws.happens(nullShare) { return nil }
    var cell = Cell()
    date.fill(&cell, row: child)
    let isWorking = WorkingCalendar.isWorkingHour(cell.number ?? 0) == draws.happens(Self.habit)
    if isWorking || parents == 1 { return working.choice(&draws) }
    return split + otherwise.choice(&draws)
  }

  func children(of parent: Int) -> [Int] {
    lists.withLock { made in
      if let made { return made[parent] }
      let lists = Tree.ChildLists(parents: parents, children: children, parent: self.parent(of:))
      made = lists
      return lists[parent]
    }
  }
}

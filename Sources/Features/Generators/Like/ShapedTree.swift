extension DatasetBuilder {
  /// Creates a tree with the original's depth, and its shares of objects and parents per level.
  ///
  /// The numbers of children are adjusted so that each level has room for the next. Returns `nil`
  /// if the levels are unknown or do not fit.
  func leveledTree(
    _ shape: RelationshipShape,
    _ counts: [UInt32],
    _ order: [Int],
    allowed: [Bool]?,
    of name: String
  ) -> Tree? {
    guard shape.levels.count > 1, members(of: name).count == 1 else { return nil }
    let objects = ColumnSegments.shares(of: shape.levels.map(\.objects), in: counts.count)
    guard objects[0] > 0 else { return nil }
    let plan = LevelPlan(shape.levels, objects: objects)
    // The objects with children, in descending order of the number of children.
    var parents = order.filter { counts[$0] > 0 }.sorted { counts[$0] > counts[$1] }
    var spare = order.filter { counts[$0] == 0 }
    let wanted = plan.parents.reduce(0, +)
    // If rounding requires more parents, use objects without children as parents.
    while parents.count < wanted {
      guard let place = spare.firstIndex(where: { allowed?[$0] ?? true }) else { return nil }
      parents.append(spare.remove(at: place))
    }
    let leaves = Array(parents[wanted...]) + spare
    parents = Array(parents.prefix(wanted))
    var byLevel: [[Int]] = objects.map { _ in [] }
    var first = 0
    // Assign the parents with the most children to the levels with the most children per parent.
    for level in plan.byFanOut {
      byLevel[level] = Array(parents[first..<first + plan.parents[level]])
      first += plan.parents[level]
    }
    var tree = [UInt32](repeating: .max, count: counts.count)
    var nextLeaf = 0
    var above: [Int] = []
    for level in objects.indices {
      let needed = objects[level] - byLevel[level].count
      guard needed >= 0, nextLeaf + needed <= leaves.count else { return nil }
      let rows = byLevel[level] + leaves[nextLeaf..<nextLeaf + needed]
      nextLeaf += needed
      if level > 0 {
        let shares = Self.shares(above.map { counts[$0] }, of: rows.count)
        var place = 0
        for (parent, share) in zip(above, shares) {
          for _ in 0..<share where place < rows.count {
            tree[rows[place]] = UInt32(parent)
            place += 1
          }
        }
        guard place == rows.count else { return nil }
      }
      above = byLevel[level]
    }
    return nextLeaf == leaves.count ? Tree(parents: tree) : nil
  }

  /// Divides children in proportion to the requested numbers, with at least one for each parent.
  private static func shares(_ wanted: [UInt32], of children: Int) -> [Int] {
    guard !wanted.isEmpty, children >= wanted.count else { return [] }
    let further = wanted.map { max(Int($0) - 1, 0) }
    let weights = further.contains { $0 > 0 } ? further : wanted.map { _ in 1 }
    return ColumnSegments.shares(of: weights, in: children - wanted.count).map { $0 + 1 }
  }

  private struct LevelPlan {
    let parents: [Int]
    let byFanOut: [Int]

    init(_ levels: [TreeLevel], objects: [Int]) {
      var parents = objects.map { _ in 0 }
      for level in objects.indices.dropLast() where objects[level + 1] > 0 {
        let original = levels[level]
        let share = Double(original.parents) / Double(max(original.objects, 1))
        let scaled = Int((share * Double(objects[level])).rounded())
        parents[level] = min(max(scaled, 1), objects[level], objects[level + 1])
      }
      self.parents = parents
      byFanOut = objects.indices.dropLast().sorted { left, right in
        let fanOuts = [left, right].map { level in
          parents[level] > 0 ? Double(objects[level + 1]) / Double(parents[level]) : 0
        }
        return fanOuts[0] > fanOuts[1]
      }
    }
  }
}

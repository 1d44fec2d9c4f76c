/// Moves the children of originals and copies to where a recipe wants them.
struct CopyChildren {
  let children: DuplicatesRecipe.Children
  let clusters: DuplicateClusters
  /// The place of the entity's first object among all parents.
  let offset: Int

  /// Changes the number of children of each parent; their sum stays.
  func apply(to counts: inout [UInt32]) {
    guard children != .own else { return }
    for cluster in clusters.clusters {
      let parents = cluster.map { $0 + offset }
      let total = parents.reduce(0) { $0 + counts[$1] }
      let size = children == .spread ? UInt32(parents.count) : 1
      for (index, parent) in parents.enumerated() {
        let place = UInt32(index)
        counts[parent] = place < size ? total / size + (place < total % size ? 1 : 0) : 0
      }
    }
  }
}

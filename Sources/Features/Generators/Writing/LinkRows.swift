import PersistentStore

/// The rows of a many-to-many relationship's join table.
///
/// They are sorted by the keys of the side that the recipe describes.
struct LinkRows: Sendable {
  let table: JoinTable
  private let relationship: RelationshipSource
  private let links: ReversedLinks
  private let orphans: DefectRows?
  private let firstMissing: Int
  private let startsAtMaster: Bool

  init?(table: JoinTable, dataset: Dataset) {
    let sides = [table.master, table.slave]
    for (index, side) in sides.enumerated() {
      guard let source = dataset.links["\(side.entity).\(side.relationship)"],
        case .targets(let links) = source.rule
      else { continue }
      self.table = table
      self.links = links
      relationship = source
      orphans = dataset.orphans["\(side.entity).\(side.relationship)"]
      firstMissing =
        dataset.recipe.rowCount(besides: sides[1 - index].entity, in: dataset.layout)
        - source.other.offset
      startsAtMaster = index == 0
      return
    }
    return nil
  }

  var sourceCount: Int { links.links.sources }

  func rowCount(sources: Range<Int>) -> Int {
    sources.reduce(0) { count, source in
      count + links.links.count(of: source) + (orphans?.entry(of: source) == nil ? 0 : 1)
    }
  }

  func write(sources: Range<Int>, to sink: inout some RowSink) throws {
    var cell = Cell()
    var chosen: [Int] = []
    var ranked: [(position: Int, target: Int)] = []
    for source in sources {
      chosen.removeAll(keepingCapacity: true)
      links.links.append(targetsOf: source, to: &chosen)
      if let orphan = orphans?.entry(of: source) { chosen.append(firstMissing + orphan.ordinal) }
      rank(chosen, in: &ranked)
      for (position, target) in ranked {
        let sourceKey = Int64(relationship.own.offset + source + 1)
        let targetKey = Int64(relationship.other.offset + target + 1)
        cell.set(startsAtMaster ? sourceKey : targetKey)
        try sink.append(cell)
        cell.set(startsAtMaster ? targetKey : sourceKey)
        try sink.append(cell)
        if isOrdered { try writeOrder(source, target, position, &cell, to: &sink) }
        try sink.endRow()
      }
    }
  }

  @inline(__always)
  private func rank(_ chosen: [Int], in ranked: inout [(position: Int, target: Int)]) {
    ranked.removeAll(keepingCapacity: true)
    for (position, target) in chosen.enumerated() { ranked.append((position, target)) }
    // Use insertion sort, because most sources have only two or three targets, for which a general
    // sort is slower.
    guard ranked.count <= 16 else { return ranked.sort { $0.target < $1.target } }
    for end in ranked.indices.dropFirst() {
      var place = end
      while place > 0, ranked[place - 1].target > ranked[place].target {
        ranked.swapAt(place - 1, place)
        place -= 1
      }
    }
  }

  private var isOrdered: Bool {
    table.master.orderColumn != nil || table.slave.orderColumn != nil
  }

  private func writeOrder(
    _ source: Int,
    _ target: Int,
    _ position: Int,
    _ cell: inout Cell,
    to sink: inout some RowSink
  ) throws {
    let isReflexive = table.master == table.slave
    let orders = [
      (isReflexive ? nil : table.slave, !startsAtMaster), (table.master, startsAtMaster),
    ]
    for (side, isDescribed) in orders where side?.orderColumn != nil {
      let place =
        isDescribed || target >= firstMissing
        ? position : links.position(of: source, amongSourcesOf: target) ?? 0
      cell.set(orderKey(position: place))
      try sink.append(cell)
    }
  }
}

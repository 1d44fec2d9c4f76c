/// Makes bins of the objects in a grid's cells, so that none tells of fewer than k of them.
///
/// A bin holds at least k objects and three different values. Its edges are edges of the grid, and
/// the outermost ones follow from the bins beside them, so that no smallest and no largest number
/// shows. What is too little for a bin of its own is counted with its neighbour.
struct BinBuilder {
  /// The objects of one cell, and how many different values they have.
  struct Cell: Hashable {
    var count = 0
    var values = 0
  }

  private struct Group {
    var first: Int
    var last: Int
    var cell: Cell
    /// Whether it is one cell, whose edges are the bin's.
    let isCell: Bool
  }

  private static let fewestValues = 3

  let grid: Grid
  let k: Int

  /// The bins of all objects, in rising order; none for fewer than k.
  func bins(of cells: [Int: Cell]) -> [Bin] {
    let sorted = cells.sorted { $0.key < $1.key }
    let total = sorted.reduce(0) { $0 + $1.value.count }
    guard total >= k else { return [] }
    let groups = groups(of: sorted)
    guard groups.count > 1 || groups.first?.isCell == true else {
      return [loneBin(of: sorted, total: total)]
    }
    return groups.indices.map { bin($0, of: groups) }
  }

  private func isEnough(_ cell: Cell) -> Bool {
    cell.count >= k && cell.values >= Self.fewestValues
  }

  private func groups(of cells: [(key: Int, value: Cell)]) -> [Group] {
    var groups: [Group] = []
    var open: Group?
    // What is left before a full cell, or at the end, goes to the bin before it.
    var waiting = 0
    func closeOpen() {
      guard let rest = open else { return }
      open = nil
      guard let last = groups.indices.last else {
        waiting += rest.cell.count
        return
      }
      groups[last].cell.count += rest.cell.count
    }
    func append(_ group: Group) {
      var group = group
      group.cell.count += waiting
      waiting = 0
      groups.append(group)
    }
    for (index, cell) in cells {
      if isEnough(cell) {
        closeOpen()
        append(Group(first: index, last: index, cell: cell, isCell: true))
        continue
      }
      var group = open ?? Group(first: index, last: index, cell: Cell(), isCell: false)
      group.last = index
      group.cell.count += cell.count
      group.cell.values += cell.values
      open = group
      if isEnough(group.cell) {
        open = nil
        append(group)
      }
    }
    closeOpen()
    return groups
  }

  private func bin(_ index: Int, of groups: [Group]) -> Bin {
    let group = groups[index]
    guard !group.isCell else {
      return Bin(
        from: grid.edge(group.first),
        to: grid.edge(group.last + 1),
        count: group.cell.count
      )
    }
    var (first, last) = (group.first, group.last)
    if index > 0 { first = groups[index - 1].last + 1 }
    if index == 0 { first = last - width(of: groups[1]) + 1 }
    if index > 0, index == groups.count - 1 { last = first + width(of: groups[index - 1]) - 1 }
    return Bin(from: grid.edge(first), to: grid.edge(last + 1), count: group.cell.count)
  }

  private func width(of group: Group) -> Int { group.last - group.first + 1 }

  /// The smallest of ever larger cells with k objects in one of them.
  private func loneBin(of cells: [(key: Int, value: Cell)], total: Int) -> Bin {
    let values = min(cells.reduce(0) { $0 + $1.value.values }, Self.fewestValues)
    func isFull(_ cell: Cell) -> Bool { cell.count >= k && cell.values >= values }
    for power in 0..<50 {
      let size = 1 << power
      let places = Set(cells.map { Self.place(of: $0.key, size) }).sorted()
      let full = places.first { place in
        isFull(merged(cells) { Self.place(of: $0, size) == place })
      }
      if let place = full {
        return Bin(from: grid.edge(place * size), to: grid.edge((place + 1) * size), count: total)
      }
      // No cell reaches across zero, so numbers of both signs are never in one.
      if isFull(merged(cells) { -size <= $0 && $0 < size }), cells[0].key < 0 {
        return Bin(from: grid.edge(-size), to: grid.edge(size), count: total)
      }
    }
    return Bin(at: 0, count: total)
  }

  private func merged(
    _ cells: [(key: Int, value: Cell)],
    where isWanted: (Int) -> Bool
  ) -> Cell {
    cells.reduce(into: Cell()) { sum, cell in
      guard isWanted(cell.key) else { return }
      sum.count += cell.value.count
      sum.values += cell.value.values
    }
  }

  /// The number of a cell's larger cell, rounded down on both sides of zero.
  private static func place(of index: Int, _ size: Int) -> Int {
    index >= 0 ? index / size : (index + 1) / size - 1
  }
}

import DataModel

/// Creates the bins of a column's numbers: ranges of numbers with their counts, each of at least
/// `k` objects.
struct NumberBins {
  private static let mostCells = 64
  /// The average number of distinct values per cell of the grid.
  ///
  /// It is large enough that edges do not reveal values.
  private static let valuesPerCell = 3

  let k: Int
  let isWhole: Bool
  let isDate: Bool
  var isSize = false

  func bins(of counts: ValueCounts) throws -> (bins: [Bin], summary: Summary) {
    var summary = try Summary(of: counts, k: k, isWhole: isWhole, hasPoints: !isDate)
    guard summary.objects >= max(k, 1) else { return ([], summary) }
    if k == 1 {
      let exact = ExactBins(isWhole: isWhole, isDate: isDate, isSize: isSize)
      let bins = try exact.bins(of: counts, summary)
      summary.points = bins.filter(\.isPoint).map { ($0.from, $0.count) }
      return (bins, summary)
    }
    var bins = summary.points.map { Bin(at: $0.number, count: $0.count) }
    if summary.spreadObjects >= k {
      let spread = try BinBuilder(grid: grid(for: summary), k: k).bins(
        of: cells(of: counts, summary)
      )
      bins += isWhole ? spread.map(\.whole) : spread
    }
    bins.sort { ($0.from, $0.to) < ($1.from, $1.to) }
    // The grid may begin below the smallest number, but sizes are never negative.
    if isSize { for index in bins.indices { bins[index].from = max(bins[index].from, 0) } }
    return (bins.filled(to: summary.objects), summary)
  }

  private func grid(for summary: Summary) -> Grid {
    guard !isDate else { return .months }
    return Grid(
      low: summary.low,
      high: summary.high,
      cells: min(
        Self.mostCells,
        summary.spreadObjects / k,
        summary.spreadValues / Self.valuesPerCell
      ),
      isWhole: isWhole
    )
  }

  private func cells(of counts: ValueCounts, _ summary: Summary) throws -> [Int: BinBuilder.Cell] {
    let grid = grid(for: summary)
    let points = Set(summary.points.map(\.number))
    var cells: [Int: BinBuilder.Cell] = [:]
    try counts.visit { number, count in
      guard !points.contains(number) else { return }
      let cell = grid.cell(of: number)
      cells[cell, default: BinBuilder.Cell()].count += count
      cells[cell, default: BinBuilder.Cell()].values += 1
    }
    return cells
  }

  struct Summary {
    private(set) var objects = 0
    private(set) var values = 0
    /// The k-th smallest number, counting each number once per object that has it.
    private(set) var low = 0.0
    private(set) var high = 0.0
    private(set) var wholeObjects = 0
    private(set) var dayObjects = 0
    /// Numbers with a bin of their own: 0 and small whole numbers that at least k objects have.
    ///
    /// Such numbers reveal nothing about the objects.
    fileprivate(set) var points: [(number: Double, count: Int)] = []

    private static let smallNumbers = -1.0...127.0

    init(of counts: ValueCounts, k: Int, isWhole: Bool, hasPoints: Bool) throws {
      var before = 0
      var tail: [(number: Double, count: Int)] = []
      var tailCount = 0
      try counts.visit { number, count in
        values += 1
        objects += count
        if number == number.rounded() { wholeObjects += count }
        if number / 86_400 == (number / 86_400).rounded() { dayObjects += count }
        let isSmall = Self.isSmall(number, isWhole: isWhole)
        if hasPoints, isSmall, count >= k {
          points.append((number, count))
          return
        }
        if before < k { low = number }
        before += count
        tail.append((number, count))
        tailCount += count
        while let first = tail.first, tailCount - first.count >= k {
          tail.removeFirst()
          tailCount -= first.count
        }
      }
      high = max(low, tail.first?.number ?? low)
    }

    static func isSmall(_ number: Double, isWhole: Bool) -> Bool {
      isWhole ? smallNumbers.contains(number) && number == number.rounded() : number == 0
    }

    var spreadObjects: Int { objects - points.reduce(0) { $0 + $1.count } }
    var spreadValues: Int { values - points.count }
  }

  /// Groups the cells of a grid into bins.
  ///
  /// Each bin has at least k objects and three distinct values. The outermost edges are derived
  /// from adjacent bins, so that they do not reveal the smallest and the largest number. Cells with
  /// too few objects are merged with their neighbors.
  struct BinBuilder {
    struct Cell: Hashable {
      var count = 0
      var values = 0
    }

    private struct Group {
      var first: Int
      var last: Int
      var cell: Cell
      let isCell: Bool
    }

    private static let fewestValues = 3

    let grid: Grid
    let k: Int

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
      // The number of leftover objects before the first bin, to be added to that bin. Later
      // leftovers join the previous bin.
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
        // Merged cells do not extend across zero, so a range around zero is checked separately.
        if isFull(merged(cells) { -size <= $0 && $0 < size }), cells[0].key < 0 {
          return Bin(from: grid.edge(-size), to: grid.edge(size), count: total)
        }
      }
      return Bin(at: 0, count: total)
    }

    private func merged(_ cells: [(key: Int, value: Cell)], where isWanted: (Int) -> Bool) -> Cell {
      cells.reduce(into: Cell()) { sum, cell in
        guard isWanted(cell.key) else { return }
        sum.count += cell.value.count
        sum.values += cell.value.values
      }
    }

    /// The index of the merged cell, which consists of `size` grid cells, that contains a grid
    /// cell.
    ///
    /// The index is rounded down on both sides of zero.
    private static func place(of index: Int, _ size: Int) -> Int {
      index >= 0 ? index / size : (index + 1) / size - 1
    }
  }
}

extension NumberBins {
  static func sizes(k: Int) -> NumberBins {
    NumberBins(k: k, isWhole: true, isDate: false, isSize: true)
  }

  init(k: Int, type: AttributeType) {
    let isSize = type.measure == .lengths || type.measure == .sizes
    self.init(k: k, isWhole: type.isWhole || isSize, isDate: type.measure == .dates, isSize: isSize)
  }
}

extension Bin {
  fileprivate var whole: Bin {
    let first = from.rounded(.up)
    return Bin(from: first, to: max(to.rounded(.up), first + 1), count: count)
  }
}

extension [Bin] {
  /// Adds the difference between a total and the bins' counts to the fullest bin, to hide the
  /// number of objects that the bins omit.
  func filled(to total: Int) -> [Bin] {
    var bins = self
    let missing = total - reduce(0) { $0 + $1.count }
    guard missing != 0, let fullest = bins.indices.max(by: { bins[$0].count < bins[$1].count })
    else { return bins }
    bins[fullest].count += missing
    return bins
  }
}

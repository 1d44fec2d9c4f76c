import DataModel

/// Makes the bins of a column's numbers.
struct NumberBins {
  /// The most bins beside the points: finer ones would cost more reading than they tell.
  private static let mostCells = 64
  /// Different values a cell has on average, so that no edge lies next to a known one.
  private static let valuesPerCell = 3

  let k: Int
  let isWhole: Bool
  let isDate: Bool

  init(k: Int, isWhole: Bool, isDate: Bool) {
    self.k = k
    self.isWhole = isWhole
    self.isDate = isDate
  }

  /// Bins for what is measured of an attribute's type.
  init(k: Int, type: AttributeType) {
    let isSize = type.measure == .lengths || type.measure == .sizes
    self.init(k: k, isWhole: type.isWhole || isSize, isDate: type.measure == .dates)
  }

  /// The bins of all numbers together with a summary of them; none for fewer than k.
  func bins(of counts: ValueCounts) throws -> (bins: [Bin], summary: ValueSummary) {
    let summary = try ValueSummary(of: counts, k: k, isWhole: isWhole, hasPoints: !isDate)
    guard summary.objects >= k else { return ([], summary) }
    var bins = summary.points.map { Bin(at: $0.number, count: $0.count) }
    if summary.spreadObjects >= k {
      let spread = try BinBuilder(grid: grid(for: summary), k: k).bins(
        of: cells(of: counts, summary)
      )
      bins += isWhole ? spread.map(\.whole) : spread
    }
    bins.sort { ($0.from, $0.to) < ($1.from, $1.to) }
    return (bins.filled(to: summary.objects), summary)
  }

  private func grid(for summary: ValueSummary) -> Grid {
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

  private func cells(
    of counts: ValueCounts,
    _ summary: ValueSummary
  ) throws -> [Int: BinBuilder.Cell] {
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
}

extension Bin {
  /// The bin with ends between which there are the same whole numbers.
  fileprivate var whole: Bin {
    let first = from.rounded(.up)
    return Bin(from: first, to: max(to.rounded(.up), first + 1), count: count)
  }
}

extension [Bin] {
  /// The bins with what is missing from a total counted with the fullest of them.
  ///
  /// Otherwise the difference would tell of the few that were left out.
  func filled(to total: Int) -> [Bin] {
    var bins = self
    let missing = total - reduce(0) { $0 + $1.count }
    guard missing != 0, let fullest = bins.indices.max(by: { bins[$0].count < bins[$1].count })
    else { return bins }
    bins[fullest].count += missing
    return bins
  }
}

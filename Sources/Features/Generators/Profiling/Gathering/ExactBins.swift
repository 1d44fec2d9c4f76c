import DataModel

/// Creates the bins of a profile without anonymity (k = 1), which may contain every number and
/// stays on one machine.
///
/// Sizes, common numbers and small whole numbers have bins of their own. Every other number begins
/// a bin that ends before the next number, so that a store with more objects gets more distinct
/// numbers.
struct ExactBins {
  private static let mostBins = 128
  private static let mostSizes = 256

  let isWhole: Bool
  let isDate: Bool
  let isSize: Bool

  func bins(of counts: ValueCounts, _ summary: NumberBins.Summary) throws -> [Bin] {
    let objects = summary.objects
    let hasAllSizes = isSize && summary.values <= Self.mostSizes
    func isPoint(_ number: Double, _ count: Int) -> Bool {
      hasAllSizes
        || StoreProfiler.SharingCounts.isCommon(count, among: objects)
          && count * Self.mostSizes >= objects
        || !isDate && NumberBins.Summary.isSmall(number, isWhole: isWhole)
    }
    var (points, spreadObjects, spreadValues): ([Bin], Int, Int) = ([], 0, 0)
    try counts.visit { number, count in
      guard !isPoint(number, count) else { return points.append(Bin(at: number, count: count)) }
      spreadObjects += count
      spreadValues += 1
    }
    let least = spreadValues <= Self.mostBins ? 1 : (spreadObjects - 1) / Self.mostBins + 1
    var groups: [Group] = []
    try counts.visit { number, count in
      guard !isPoint(number, count) else { return }
      if let last = groups.last, last.count < least {
        groups[groups.count - 1].count += count
        groups[groups.count - 1].last = number
      } else {
        groups.append(Group(first: number, last: number, count: count))
      }
    }
    return (points + spread(groups)).sorted { ($0.from, $0.to) < ($1.from, $1.to) }
  }

  private struct Group {
    let first: Double
    var last: Double
    var count: Int
  }

  private func spread(_ groups: [Group]) -> [Bin] {
    groups.indices.map { index in
      let group = groups[index]
      let next = index + 1 < groups.count ? groups[index + 1].first - group.last : .infinity
      let before = index > 0 ? group.first - groups[index - 1].last : .infinity
      if next.isInfinite, before.isInfinite, group.first == group.last { return cell(of: group) }
      // Limit the bin's width by the distances to adjacent numbers or, for the last bin, by the
      // precision of its number.
      let gap = min(next, before, next.isInfinite ? precision(group.last) : .infinity)
      let width = isWhole ? max(gap.rounded(.down), 1) : gap
      return Bin(from: group.first, to: max(group.last + width, group.first), count: group.count)
    }
  }

  private func cell(of group: Group) -> Bin {
    let unit = precision(group.first)
    let from = (group.first / unit).rounded(.down) * unit
    let bin = Bin(from: from, to: from + unit, count: group.count)
    return bin.from < bin.to && bin.from <= group.first
      ? bin : Bin(at: group.first, count: group.count)
  }

  private func precision(_ number: Double) -> Double {
    if isDate { return 86_400 }
    var unit = isWhole ? 1.0 : 1e-9
    while abs(number) >= unit * 100, unit < 1e300 { unit *= 10 }
    return unit
  }
}

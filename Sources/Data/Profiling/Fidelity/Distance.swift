/// Distances between the distributions of two stores, and how large chance makes them.
enum Distance {
  /// The quantile of Kolmogorov's distribution that one comparison in ten thousand exceeds.
  private static let factor = 2.2253

  /// The largest distance that two samples of one distribution have, but for one in ten thousand.
  static func chance(_ first: Int, _ second: Int) -> Double {
    guard first > 0, second > 0 else { return 1 }
    return min(factor * (1 / Double(first) + 1 / Double(second)).squareRoot(), 1)
  }

  /// Kolmogorov and Smirnov's distance of two columns, and the distance of the first one from a
  /// distribution that stands for it.
  static func kolmogorovSmirnov(
    _ first: ValueCounts,
    _ second: ValueCounts,
    model: (Double) -> Double
  ) throws -> (distance: Double, fit: Double, objects: (Int, Int)) {
    let totals = (try total(first), try total(second))
    guard totals.0 > 0, totals.1 > 0 else { return (totals == (0, 0) ? 0 : 1, 0, totals) }
    first.reset()
    second.reset()
    var (left, right) = (try first.next(), try second.next())
    var (below, belowSecond, distance, fit) = (0, 0, 0.0, 0.0)
    while let number = [left?.number, right?.number].compactMap(\.self).min() {
      if let same = left, same.number == number {
        below += same.count
        left = try first.next()
      }
      if let same = right, same.number == number {
        belowSecond += same.count
        right = try second.next()
      }
      let share = Double(below) / Double(totals.0)
      distance = max(distance, abs(share - Double(belowSecond) / Double(totals.1)))
      fit = max(fit, abs(share - model(number)))
    }
    return (distance, fit, totals)
  }

  private static func total(_ counts: ValueCounts) throws -> Int {
    var total = 0
    try counts.visit { total += $1 }
    return total
  }

  /// Half of what shares differ in all, those in no list among them.
  static func totalVariation(_ first: [Double], _ second: [Double]) -> Double {
    var sum = abs(first.reduce(0, +) - second.reduce(0, +))
    for index in 0..<max(first.count, second.count) {
      let left = index < first.count ? first[index] : 0
      sum += abs(left - (index < second.count ? second[index] : 0))
    }
    return sum / 2
  }
}

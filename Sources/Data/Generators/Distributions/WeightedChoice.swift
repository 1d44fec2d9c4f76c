/// An index chosen with given weights in constant time: Vose's alias method.
struct WeightedChoice: Distribution {
  private let thresholds: [Double]
  private let aliases: [Int]

  /// A choice among the weights' indices; negative weights count as 0, all 0 as equal.
  init(weights: [Double]) {
    let positive = weights.map { max($0, 0) }
    let sum = positive.reduce(0, +)
    let count = weights.count
    var scaled = positive.map { sum > 0 ? $0 / sum * Double(count) : 1 }
    var small = scaled.indices.filter { scaled[$0] < 1 }
    var large = scaled.indices.filter { scaled[$0] >= 1 }
    var thresholds = [Double](repeating: 1, count: count)
    var aliases = Array(0..<count)
    while let less = small.last, let more = large.last {
      small.removeLast()
      thresholds[less] = scaled[less]
      aliases[less] = more
      scaled[more] -= 1 - scaled[less]
      if scaled[more] < 1 {
        large.removeLast()
        small.append(more)
      }
    }
    self.thresholds = thresholds
    self.aliases = aliases
  }

  /// The chosen index.
  @inline(__always)
  func choice(_ draws: inout Draws) -> Int {
    let index = draws.below(thresholds.count)
    return draws.unit() < thresholds[index] ? index : aliases[index]
  }

  func value(row: Int, draws: inout Draws) -> Double { Double(choice(&draws)) }
}

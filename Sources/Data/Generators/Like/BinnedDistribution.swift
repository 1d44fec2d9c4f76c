import Profiling

/// Whole numbers of a profile's bins, each bin as often as it has objects.
struct BinnedDistribution: Distribution {
  let bins: [Bin]
  private let choice: WeightedChoice

  init(_ bins: [Bin]) {
    self.bins = bins
    choice = WeightedChoice(weights: bins.map { Double($0.count) })
  }

  func value(row: Int, draws: inout Draws) -> Double {
    guard !bins.isEmpty else { return 0 }
    let bin = bins[choice.choice(&draws)]
    guard !bin.isPoint else { return bin.from }
    return bin.from + (draws.unit() * (bin.to - bin.from)).rounded(.down)
  }
}

/// Draws how many of a number of children each parent gets.
struct FanOutCounts {
  let parents: Int
  let children: Int
  let popularity: Popularity
  let key: StreamKey

  /// The counts by parent; their sum is the number of children.
  func counts() -> [UInt32] {
    guard parents > 0, children > 0 else { return [UInt32](repeating: 0, count: parents) }
    switch popularity {
    case .uniform: return uniform()
    case .zipfian(let exponent): return zipfian(exponent)
    case .spread(let recipe): return spread(recipe.distribution())
    case .counts(let bins):
      return HistogramCounts(bins: bins, parents: parents, children: children, key: key).counts()
    }
  }

  // Independent Poisson counts are, given their sum, exactly what as many independent choices of a
  // parent give. A sum somewhat too small is aimed at, and the rest chosen one by one.
  private var aim: Double { max(0, Double(children) - 4 * Double(children).squareRoot()) }

  private func uniform() -> [UInt32] {
    let count = PoissonDistribution(mean: aim / Double(parents))
    let counts = poissonCounts { row, draws in count.value(row: row, draws: &draws) }
    return completed(counts) { $0.below(parents) }
  }

  private func zipfian(_ exponent: Double) -> [UInt32] {
    let ranks = Permutation(count: parents, key: key.derived("rank"))
    var sum = 0.0
    for rank in 1...parents { sum += ZipfianDistribution.weight(Double(rank), exponent) }
    let counts = poissonCounts { row, draws in
      let weight = ZipfianDistribution.weight(Double(ranks.preimage(of: row) + 1), exponent)
      return PoissonDistribution(mean: aim * weight / sum).value(row: row, draws: &draws)
    }
    let choice = ZipfianDistribution(exponent: exponent, count: parents)
    return completed(counts) { ranks.image(of: Int(choice.value(row: 0, draws: &$0)) - 1) }
  }

  private func poissonCounts(_ draw: (Int, inout Draws) -> Double) -> [UInt32] {
    let key = key.derived("count")
    return (0..<parents).map { row in
      var draws = key.draws(row: row)
      return UInt32(min(draw(row, &draws), Double(children)))
    }
  }

  private func completed(
    _ counts: [UInt32],
    choosing parent: (inout Draws) -> Int
  ) -> [UInt32] {
    var counts = counts
    var sum = counts.reduce(0) { $0 + Int($1) }
    var draws = key.derived("rest").draws(row: 0)
    while sum < children {
      counts[parent(&draws)] += 1
      sum += 1
    }
    // Hardly ever: each child too many is taken from where a random child is.
    while sum > children {
      var place = draws.below(sum)
      var parent = 0
      while place >= Int(counts[parent]) {
        place -= Int(counts[parent])
        parent += 1
      }
      counts[parent] -= 1
      sum -= 1
    }
    return counts
  }

  /// Counts in proportion to the draws, rounded so that they add up.
  private func spread(_ distribution: any Distribution) -> [UInt32] {
    let key = key.derived("count")
    var running: [Double] = [0]
    running.reserveCapacity(parents + 1)
    for row in 0..<parents {
      var draws = key.draws(row: row)
      let drawn = distribution.value(row: row, draws: &draws).rounded()
      running.append(running[row] + min(max(0, drawn), Double(Limits.mostObjects)))
    }
    guard running[parents] > 0 else { return uniform() }
    let factor = Double(children) / running[parents]
    var previous = 0
    return (1...parents).map { parent in
      let end =
        parent == parents ? children : min(Int((running[parent] * factor).rounded()), children)
      defer { previous = end }
      return UInt32(end - previous)
    }
  }
}

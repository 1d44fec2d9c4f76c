/// Another distribution, with what lies outside of bounds moved to them.
struct BoundedDistribution: Distribution {
  let base: any Distribution
  let minimum: Double?
  let maximum: Double?

  func value(row: Int, draws: inout Draws) -> Double {
    var value = base.value(row: row, draws: &draws)
    if let minimum, value < minimum { value = minimum }
    if let maximum, value > maximum { value = maximum }
    return value
  }
}

/// One of a few numbers, each with a weight.
struct WeightedNumbers: Distribution {
  let values: [Double]
  let choice: WeightedChoice

  func value(row: Int, draws: inout Draws) -> Double { values[choice.choice(&draws)] }
}

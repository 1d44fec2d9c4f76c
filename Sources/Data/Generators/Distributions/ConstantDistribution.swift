/// The same number for every row.
struct ConstantDistribution: Distribution {
  let constant: Double

  func value(row: Int, draws: inout Draws) -> Double { constant }
}

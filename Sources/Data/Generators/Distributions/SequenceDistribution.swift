/// Numbers that rise by a fixed step from row to row.
struct SequenceDistribution: Distribution {
  let start: Double
  let step: Double

  func value(row: Int, draws: inout Draws) -> Double { start + step * Double(row) }
}

/// Booleans whose probability moves in a line with a date of the same object.
struct TrendGenerator: CellGenerator {
  let date: AttributeSource
  /// When the line begins and ends, in seconds since 2001-01-01.
  let period: ClosedRange<Double>
  /// The probability at the beginning and at the end.
  let first: Double
  let last: Double

  func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
    date.fill(&cell, row: row)
    guard let time = cell.number else { return cell.setNull() }
    let length = period.upperBound - period.lowerBound
    let share = length > 0 ? min(max((time - period.lowerBound) / length, 0), 1) : 0
    cell.set(Int64(draws.happens(first + share * (last - first)) ? 1 : 0))
  }
}

extension Cell {
  /// The number of an integer or a real.
  var number: Double? {
    switch kind {
    case .integer: Double(integer)
    case .real: real
    default: nil
    }
  }
}

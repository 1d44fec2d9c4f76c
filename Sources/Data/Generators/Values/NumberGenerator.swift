/// Numbers of a distribution, in the form of the attribute's type.
struct NumberGenerator: CellGenerator {
  /// How the attribute's type keeps a number.
  enum Form: Hashable, Sendable {
    /// Whole numbers of a range; what falls outside moves to its ends.
    case integer(ClosedRange<Int64>)
    case double
    case float
    /// A decimal with at most so many digits after the point.
    case decimal(places: Int)
  }

  let distribution: any Distribution
  let form: Form

  func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
    form.set(distribution.value(row: row, draws: &draws), in: &cell)
  }
}

extension NumberGenerator.Form {
  /// Sets a cell to a number as the type keeps it.
  func set(_ number: Double, in cell: inout Cell) {
    // A distribution's far tail can leave the finite numbers, which no column holds.
    let number = min(max(number, -1e300), 1e300)
    switch self {
    case .integer(let range):
      let whole = number.rounded()
      // The ends first: a double beyond 2⁶³ has no integer.
      if whole <= Double(range.lowerBound) { return cell.set(range.lowerBound) }
      if whole >= Double(range.upperBound) { return cell.set(range.upperBound) }
      cell.set(Int64(whole))
    case .double: cell.set(number)
    case .float:
      let largest = Double(Float.greatestFiniteMagnitude)
      cell.set(Double(Float(min(max(number, -largest), largest))))
    case .decimal(let places):
      var scale = 1.0
      for _ in 0..<places { scale *= 10 }
      cell.setNumeric((number * scale).rounded() / scale)
    }
  }
}

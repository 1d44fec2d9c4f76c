import DataModel

/// One of a few values, each with a weight.
struct ChoiceGenerator: CellGenerator {
  private let values: [Value]
  private let choice: WeightedChoice

  init(values: [Value], weights: [Double]) {
    self.values = values
    choice = WeightedChoice(weights: weights)
  }

  func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
    cell.set(values[choice.choice(&draws)])
  }
}

/// The same value for every row.
struct ConstantGenerator: CellGenerator {
  let value: Value

  func fill(_ cell: inout Cell, row: Int, draws: inout Draws) { cell.set(value) }
}

/// Booleans, true with a given probability.
struct ChanceGenerator: CellGenerator {
  let probability: Double

  func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
    cell.set(Int64(draws.happens(probability) ? 1 : 0))
  }
}

/// A text with the row's number behind it, so that no two rows have the same one.
struct NumberedTextGenerator: TextGenerator {
  let base: any TextGenerator

  func append(to text: inout [UInt8], row: Int, draws: inout Draws) {
    base.append(to: &text, row: row, draws: &draws)
    text.append(" ")
    text.append(decimal: row + 1)
  }
}

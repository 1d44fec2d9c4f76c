/// A rule by which numbers are drawn.
///
/// A draw depends on the row number and the draws of its cell only, and on no C library function
/// whose last bit differs between machines.
protocol Distribution: Sendable {
  /// The number of one row; whole numbers come as such.
  func value(row: Int, draws: inout Draws) -> Double
}

extension Distribution {
  /// A draw for each of a number of objects: how often others choose it.
  func weights(count: Int, key: StreamKey) -> [Double] {
    let key = key.derived("weight")
    return (0..<count).map { row in
      var draws = key.draws(row: row)
      return value(row: row, draws: &draws)
    }
  }
}

/// Linear equations of a few unknowns.
enum LinearSystem {
  /// A pivot below this means that two columns of unit length are as good as one.
  private static let smallestPivot = 1e-7

  /// The solution of a symmetric system with a diagonal of about 1, `nil` where there is none.
  static func solve(_ matrix: [[Double]], _ right: [Double]) -> [Double]? {
    var (rows, right) = (matrix, right)
    for pivot in rows.indices {
      guard rows[pivot][pivot] > smallestPivot else { return nil }
      for row in rows.indices where row > pivot {
        let factor = rows[row][pivot] / rows[pivot][pivot]
        for column in pivot..<rows.count { rows[row][column] -= factor * rows[pivot][column] }
        right[row] -= factor * right[pivot]
      }
    }
    var solution = right
    for row in rows.indices.reversed() {
      for column in row + 1..<rows.count { solution[row] -= rows[row][column] * solution[column] }
      solution[row] /= rows[row][row]
    }
    return solution.allSatisfy(\.isFinite) ? solution : nil
  }
}

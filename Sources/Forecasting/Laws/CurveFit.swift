import Foundation

/// Fits costs that are not negative to points, by the least squares of relative errors.
package struct CurveFit: Sendable {
  /// A measured value at a size.
  package struct Point: Hashable, Sendable {
    package let size: Double
    package let value: Double
    /// Counters that were read with the value; laws stand for those that were not.
    package let counters: [String: Double]

    package init(size: Double, value: Double, counters: [String: Double] = [:]) {
      self.size = size
      self.value = value
      self.counters = counters
    }
  }

  /// The most terms of a curve: more of them cannot be told apart on a ladder.
  package static let mostTerms = 4
  /// Relative errors that are not worth a further term.
  let tolerance: Double

  package init(tolerance: Double) {
    self.tolerance = tolerance
  }

  /// A curve with what it has left unexplained.
  package struct Result: Hashable, Sendable {
    package let curve: Curve
    /// The relative error, as a root of the mean square.
    package let residual: Double
    /// Lower is better; every term has to pay for itself.
    let score: Double
  }

  /// The best curve of any of the terms, `nil` where no point is above 0.
  ///
  /// Every choice of terms is tried; terms that cannot be told apart on the points are never kept
  /// together.
  package func fit(_ points: [Point], _ terms: [Term]) -> Result? {
    let points = points.filter { $0.value > 0 }
    let terms = Array(terms.prefix(Self.mostTerms))
    guard !points.isEmpty, !terms.isEmpty else { return nil }
    let columns = terms.map { term in points.map { term.value(at: $0.size, $0.counters) / $0.value }
    }
    var best: Result?
    for choice in 1..<(1 << terms.count) {
      let chosen = terms.indices.filter { choice >> $0 & 1 == 1 }
      guard chosen.count <= points.count,
        let result = solve(chosen.map { (terms[$0], columns[$0]) }, count: points.count)
      else { continue }
      if result.score < best?.score ?? .infinity { best = result }
    }
    return best
  }

  /// The best curve of several lists of terms.
  package func fit(_ points: [Point], anyOf lists: [[Term]]) -> Result? {
    lists.compactMap { fit(points, $0) }.min { $0.score < $1.score }
  }

  private func solve(_ chosen: [(term: Term, column: [Double])], count: Int) -> Result? {
    let scales = chosen.map { max(norm($0.column), 1e-300) }
    let matrix = chosen.indices.map { row in
      chosen.indices.map { column in
        dot(chosen[row].column, chosen[column].column) / (scales[row] * scales[column])
      }
    }
    let right = chosen.indices.map { chosen[$0].column.reduce(0, +) / scales[$0] }
    guard let scaled = LinearSystem.solve(matrix, right), scaled.allSatisfy({ $0 >= 0 }) else {
      return nil
    }
    let costs = scaled.indices.map { scaled[$0] / scales[$0] }
    var squares = 0.0
    for point in 0..<count {
      let error = chosen.indices.reduce(-1.0) { $0 + costs[$1] * chosen[$1].column[point] }
      squares += error * error
    }
    let mean = squares / Double(count)
    return Result(
      curve: Curve(zip(chosen, costs).map { Curve.Part($0.term, $1) }),
      residual: mean.squareRoot(),
      score: Double(count) * log(mean + tolerance * tolerance) + 2 * Double(chosen.count)
    )
  }

  private func dot(_ left: [Double], _ right: [Double]) -> Double {
    zip(left, right).reduce(0) { $0 + $1.0 * $1.1 }
  }

  private func norm(_ values: [Double]) -> Double { dot(values, values).squareRoot() }
}

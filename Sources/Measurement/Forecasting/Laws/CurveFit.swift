import Foundation

/// Fits costs that are not negative to points, by the least squares of relative errors.
package struct CurveFit: Sendable {
  /// A measured value at a size.
  package struct Point: Hashable, Sendable {
    package let size: Double
    package let value: Double
    /// Counters that were read with the value; laws stand for those that were not.
    package let counters: [String: Double]
    /// By what the page cache was made smaller; 1 as a rule.
    package let cacheDivisor: Double
    /// How much its relative error counts.
    package let weight: Double
    /// The part of the value that is known and not fitted.
    package let known: Double
    /// The variance of the value's logarithm by how it was measured.
    package let noise: Double

    package init(
      size: Double,
      value: Double,
      counters: [String: Double] = [:],
      cacheDivisor: Double = 1,
      weight: Double = 1,
      known: Double = 0,
      noise: Double = 0
    ) {
      self.size = size
      self.value = value
      self.counters = counters
      self.cacheDivisor = cacheDivisor
      self.weight = weight
      self.known = known
      self.noise = noise
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
    let columns = terms.map { term in
      points.map { term.value(at: $0) / $0.value * $0.weight.squareRoot() }
    }
    let targets = points.map { (1 - $0.known / $0.value) * $0.weight.squareRoot() }
    let products = Products(columns, targets)
    let weight = points.reduce(0) { $0 + $1.weight }
    var best: Result?
    for choice in 1..<(1 << terms.count) {
      let chosen = terms.indices.filter { choice >> $0 & 1 == 1 }
      guard chosen.count <= points.count, let solution = products.solve(chosen) else { continue }
      let mean = solution.squares / weight
      let score =
        Double(points.count) * log(mean + tolerance * tolerance) + 2 * Double(chosen.count)
      guard score < best?.score ?? .infinity else { continue }
      best = Result(
        curve: Curve(zip(chosen, solution.costs).map { Curve.Part(terms[$0], $1) }),
        residual: mean.squareRoot(),
        score: score
      )
    }
    return best
  }

  /// The best curve of several lists of terms.
  package func fit(_ points: [Point], anyOf lists: [[Term]]) -> Result? {
    lists.compactMap { fit(points, $0) }.min { $0.score < $1.score }
  }
}

/// The scalar products that every choice of terms is solved from.
private struct Products {
  private let columns: [[Double]]
  private let targets: [Double]
  private let square: Double
  private let scales: [Double]

  init(_ terms: [[Double]], _ values: [Double]) {
    columns = terms.map { left in terms.map { Self.dot(left, $0) } }
    targets = terms.map { Self.dot($0, values) }
    square = Self.dot(values, values)
    scales = terms.indices.map { [columns] in max(columns[$0][$0].squareRoot(), 1e-300) }
  }

  /// Costs of some terms with the sum of the squares that they leave; `nil` where they cannot be
  /// told apart, or where one would be negative.
  func solve(_ chosen: [Int]) -> (costs: [Double], squares: Double)? {
    let matrix = chosen.map { row in
      chosen.map { columns[row][$0] / (scales[row] * scales[$0]) }
    }
    let right = chosen.map { targets[$0] / scales[$0] }
    guard let scaled = LinearSystem.solve(matrix, right), scaled.allSatisfy({ $0 >= 0 }) else {
      return nil
    }
    // What a least-squares solution leaves: the targets' square less what the terms explain.
    var squares = square
    for (index, value) in scaled.enumerated() { squares -= value * right[index] }
    return (zip(chosen, scaled).map { $1 / scales[$0] }, max(squares, 0))
  }

  private static func dot(_ left: [Double], _ right: [Double]) -> Double {
    var sum = 0.0
    for index in left.indices { sum += left[index] * right[index] }
    return sum
  }
}

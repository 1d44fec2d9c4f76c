import Foundation

/// Fits non-negative costs to points, by least squares of relative errors.
struct CurveFit: Sendable {
  struct Point: Hashable, Sendable {
    let size: Double
    let value: Double
    /// The counters that were measured with the value; counters that are missing are estimated by
    /// cost models.
    var counters: [String: Double] = [:]
    /// The factor by which the page cache is scaled down; usually 1.
    var cacheDivisor = 1.0
    var weight = 1.0
    /// The part of the value that is known and therefore not fitted.
    var known = 0.0
    /// The variance of the value's logarithm that measurement noise causes.
    var noise = 0.0
  }

  struct Result: Hashable, Sendable {
    let curve: Curve
    /// The root mean square of the relative errors.
    let residual: Double
    /// The score, which penalizes each term; lower is better.
    let score: Double
  }

  /// The maximum number of terms in a curve; a ladder (runs on stores of increasing size) cannot
  /// distinguish more terms.
  private static let mostTerms = 6
  /// The relative error below which a further term is not worthwhile.
  let tolerance: Double

  /// Fits all combinations of the terms and returns the best curve; returns `nil` if no point has a
  /// positive value.
  ///
  /// Terms that cannot be distinguished on the points are never combined.
  func fit(_ points: [Point], _ terms: [Term]) -> Result? {
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
        curve: Curve(parts: zip(chosen, solution.costs).map { .init(terms[$0], $1) }),
        residual: mean.squareRoot(),
        score: score
      )
    }
    return best
  }

  func fit(
    _ points: [Point],
    anyOf lists: [[Term]],
    where isPossible: (Curve) -> Bool = { _ in true }
  ) -> Result? {
    lists.compactMap { fit(points, $0) }.filter { isPossible($0.curve) }
      .min { $0.score < $1.score }
  }
}

/// The scalar products needed to solve for the costs of any combination of terms.
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

  /// Returns the costs of the chosen terms and the remaining sum of squares, or `nil` if the terms
  /// cannot be distinguished or a cost would be negative.
  func solve(_ chosen: [Int]) -> (costs: [Double], squares: Double)? {
    let matrix = chosen.map { row in
      chosen.map { columns[row][$0] / (scales[row] * scales[$0]) }
    }
    let right = chosen.map { targets[$0] / scales[$0] }
    guard let scaled = Self.solve(matrix, right), scaled.allSatisfy({ $0 >= 0 }) else { return nil }
    // The residual of a least-squares solution: the squared norm of the targets minus the explained
    // part.
    var squares = square
    for (index, value) in scaled.enumerated() { squares -= value * right[index] }
    return (zip(chosen, scaled).map { $1 / scales[$0] }, max(squares, 0))
  }

  private static func solve(_ matrix: [[Double]], _ right: [Double]) -> [Double]? {
    // A smaller pivot means that two columns, scaled to unit length, cannot be distinguished.
    let smallestPivot = 1e-7
    var (rows, right) = (matrix, right)
    for pivot in rows.indices {
      guard rows[pivot][pivot] > smallestPivot else { return nil }
      for row in rows.indices where row > pivot {
        let factor = rows[row][pivot] / rows[pivot][pivot]
        for column in pivot..<rows.count { rows[row][column] -= factor * rows[pivot][column] }
        right[row] -= factor * right[pivot]
      }
    }
    for row in rows.indices.reversed() {
      for column in row + 1..<rows.count { right[row] -= rows[row][column] * right[column] }
      right[row] /= rows[row][row]
    }
    return right.allSatisfy(\.isFinite) ? right : nil
  }

  private static func dot(_ left: [Double], _ right: [Double]) -> Double {
    var sum = 0.0
    for index in left.indices { sum += left[index] * right[index] }
    return sum
  }
}

/// The cost model of one counter, selected by how well it extrapolates within the ladder (runs on
/// stores of increasing size).
package struct CounterLaw: Hashable, Sendable {
  static let pagesRead = "sqlite.cacheMisses"
  static let pagesWritten = "sqlite.cacheWrites"
  /// The counter of pages written to the main file, either by checkpoints from the log or directly
  /// without a log.
  static let pagesCopied = "vfs.main.writes"
  static let syncs = "vfs.syncs"
  /// The kinds of page access, each of which has its own unit cost.
  static let pages = [pagesRead, pagesWritten, pagesCopied]
  private static let pagesFound = "sqlite.cacheHits"

  /// The metric's name, such as `sqlite.cacheMisses`.
  package let counter: String
  /// The model in words, such as `straight line` or `misses beyond a bend` (a size at which the
  /// growth changes).
  package let name: String
  let curve: Curve
  /// The relative error at the ladder's largest size if the model is fitted to sizes up to a
  /// quarter of it; `nil` if there are too few such sizes.
  package let extrapolationError: Double?

  /// Counters have no measurement noise, so any deviation is an error of the model.
  private static let fit = CurveFit(tolerance: 0.005)

  /// Fits every model to a counter and selects the best; returns `nil` unless the counter is
  /// positive at more than half of the ladder's sizes.
  package init?(_ counter: String, on rungs: [Rung]) {
    let points = rungs.map {
      CurveFit.Point(size: $0.size, value: $0.counters[counter] ?? 0)
    }
    guard points.count(where: { $0.value > 0 }) * 2 > points.count, let top = points.last else {
      return nil
    }
    let lower = points.filter { $0.size <= top.size / 4 }
    let most = Self.mostPages(counter, on: rungs)
    let farthest = top.size * Forecast.farthest
    func isPossible(_ curve: Curve) -> Bool { curve(farthest) <= most * farthest }
    var best: (name: String, curve: Curve, rank: Double, error: Double?)?
    for (name, lists) in Self.laws(for: points) {
      guard let whole = Self.fit.fit(points, anyOf: lists, where: isPossible) else { continue }
      let early =
        lower.count >= 4 ? Self.fit.fit(lower, anyOf: lists, where: isPossible) : nil
      let error = early.map { abs($0.curve(top.size) / max(top.value, 1) - 1) }
      // A model that fits all sizes but would not have predicted the largest size is less
      // trustworthy.
      let rank = whole.residual + (error ?? whole.residual) / 4
      if rank < best?.rank ?? .infinity { best = (name, whole.curve, rank, error) }
    }
    guard let best else { return nil }
    self.counter = counter
    (name, curve, extrapolationError) = (best.name, best.curve, best.error)
  }

  /// The maximum number of pages per object that a model may predict: the pages that SQLite
  /// requested.
  ///
  /// The maximum is infinite for counters other than pages, and if cache hits were not counted.
  private static func mostPages(_ counter: String, on rungs: [Rung]) -> Double {
    guard pages.contains(counter),
      rungs.contains(where: { $0.counters[pagesFound] ?? 0 > 0 })
    else { return .infinity }
    return rungs.map { rung in
      ((rung.counters[pagesFound] ?? 0) + (rung.counters[pagesRead] ?? 0)) / rung.size
    }.max() ?? .infinity
  }

  private static func laws(for points: [CurveFit.Point]) -> [(name: String, lists: [[Term]])] {
    let bends = Term.bends(on: points.map(\.size), step: 1.6)
    return [
      ("straight line", [[.constant, .objects]]),
      ("n log n", [[.constant, .objects, .sorting]]),
      (
        "misses beyond a bend",
        finer(bends, of: points) { [.constant, .objects, .misses(bend: $0)] }
      ),
      (
        "pages dirtied by batches",
        finer(bends, of: points) { [.constant, .objects, .dirtying(batch: $0)] }
      ),
    ]
  }

  /// Returns lists of terms with the best-fitting bend (the size at which the growth changes) and
  /// with bends near it.
  private static func finer(
    _ bends: [Double],
    of points: [CurveFit.Point],
    _ terms: (Double) -> [Term]
  ) -> [[Term]] {
    let scores = bends.map { (bend: $0, score: fit.fit(points, terms($0))?.score ?? .infinity) }
    guard let best = scores.min(by: { $0.score < $1.score })?.bend, let last = bends.last else {
      return []
    }
    // Beyond the last candidate bend, a single point would determine the curve.
    return [0.7, 0.8, 0.9, 1, 1.12, 1.25, 1.4].map { best * $0 }.filter { $0 <= last }.map(terms)
  }
}

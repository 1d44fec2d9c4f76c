import Foundation

/// The structural law of one counter, chosen by how well it extrapolates inside the ladder.
package struct CounterLaw: Hashable, Sendable {
  /// The metric's name, such as `sqlite.cacheMisses`.
  package let counter: String
  /// In words: `straight line`, `misses beyond a bend`.
  package let name: String
  package let curve: Curve
  /// The relative error at the top rung of the law fitted to the rungs up to a quarter of it;
  /// `nil` where too few rungs lie below.
  package let extrapolationError: Double?

  /// Counters repeat to the last digit: only the law itself can be wrong.
  private static let fit = CurveFit(tolerance: 0.005)

  /// Fits every law to a counter; `nil` where it is 0 on more than half of the rungs.
  package init?(_ counter: String, on rungs: [Rung]) {
    let points = rungs.map {
      CurveFit.Point(size: $0.size, value: $0.counters[counter] ?? 0)
    }
    guard points.count(where: { $0.value > 0 }) * 2 > points.count, let top = points.last else {
      return nil
    }
    let lower = points.filter { $0.size <= top.size / 4 }
    var best: (law: (name: String, curve: Curve), rank: Double, error: Double?)?
    for (name, lists) in Self.laws(for: points) {
      guard let whole = Self.fit.fit(points, anyOf: lists) else { continue }
      let early = lower.count >= 4 ? Self.fit.fit(lower, anyOf: lists) : nil
      let error = early.map { abs($0.curve(top.size) / max(top.value, 1) - 1) }
      // A law that explains all rungs but could not have foretold the top is still a guess.
      let rank = whole.residual + (error ?? whole.residual) / 4
      if rank < best?.rank ?? .infinity { best = ((name, whole.curve), rank, error) }
    }
    guard let best else { return nil }
    self.counter = counter
    name = best.law.name
    curve = best.law.curve
    extrapolationError = best.error
  }

  /// Terms of the bend that fits best, and of those near it.
  private static func finer(
    _ bends: [Double],
    of points: [CurveFit.Point],
    _ terms: (Double) -> [Term]
  ) -> [[Term]] {
    let scores = bends.map { (bend: $0, score: fit.fit(points, terms($0))?.score ?? .infinity) }
    guard let best = scores.min(by: { $0.score < $1.score })?.bend else { return [] }
    return [0.7, 0.8, 0.9, 1, 1.12, 1.25, 1.4].map { terms(best * $0) }
  }

  private static func laws(for points: [CurveFit.Point]) -> [(name: String, lists: [[Term]])] {
    let bends = BendGrid.sizes(of: points.map(\.size), step: 1.6)
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
}

/// Sizes at which a law may bend, close enough together to hit any bend well.
enum BendGrid {
  /// From above the smallest rung, where a bend is as good as a constant, to so many times the largest.
  static func sizes(of rungs: [Double], step: Double, beyond: Double = 0.75) -> [Double] {
    guard let first = rungs.first, let last = rungs.last else { return [] }
    var sizes: [Double] = []
    // A bend in the last octave has too few rungs beyond it to be told from a scatter.
    var size = first * step
    while size < last * beyond {
      sizes.append(size)
      size *= step
    }
    return sizes
  }
}

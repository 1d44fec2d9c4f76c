import Foundation

/// A type of explanation for a cost.
///
/// An explanation is fitted to all or the lower rungs (sizes) of a ladder (runs on stores of
/// increasing size), and to the probes (runs with a smaller cache) at these sizes.
struct Family: Sendable {
  let name: String
  let fit: @Sendable (_ rungs: [Rung], _ probes: [Rung]) -> SummedCurves?
}

/// A cost as the sum of the costs of its phases.
struct SummedCurves: Hashable, Sendable {
  struct Phase: Hashable, Sendable {
    let name: String
    let curve: Curve
  }

  let phases: [Phase]

  func callAsFunction(_ size: Double) -> Double {
    phases.reduce(0) { $0 + $1.curve(size) }
  }

  /// The cost at a measured point, with measured counters instead of their cost models.
  func value(at point: CurveFit.Point) -> Double {
    phases.reduce(0) { $0 + $1.curve.value(at: point) }
  }
}

/// A weighted set of explanations for one cost; the weights depend on how well each extrapolates
/// within the ladder.
package struct Ensemble: Hashable, Sendable {
  /// An explanation with its weight.
  package struct Member: Hashable, Sendable {
    package let name: String
    let curves: SummedCurves
    package let weight: Double

    /// The smallest size from which the cost grows at a different rate (a bend); `nil` if the
    /// explanation has no bend.
    package var firstBend: Double? { curves.phases.compactMap(\.curve.bend).min() }
  }

  /// The explanations in descending order of weight.
  package let members: [Member]
  package let growth: ErrorGrowth
  /// For each rung (ladder size), the ratio of measured to predicted cost, minus 1.
  package let residuals: [Double]
  /// The largest measured size, on the axis of the curves.
  package let top: Double
  /// The error of the explanations for runs with a smaller cache, as a standard deviation of
  /// logarithms; 0 if there are no such runs.
  package let probeError: Double

  /// Fits every family of explanations; returns `nil` if too few rungs were measured or no family
  /// fits them.
  ///
  /// `axis` returns the variable of the curves, usually the number of objects.
  init?(
    _ families: [Family],
    rungs: [Rung],
    probes: [Rung] = [],
    prior: ErrorGrowth.Prior,
    axis: (Rung) -> Double = { $0.size },
    noise: (Rung) -> Double = { _ in 0 },
    value: (Rung) -> Double?
  ) {
    let rungs = rungs.filter { value($0) ?? 0 > 0 }.sorted { axis($0) < axis($1) }
    guard rungs.count >= LadderData.fewestRungs, let last = rungs.last else { return nil }
    func point(_ rung: Rung) -> CurveFit.Point {
      CurveFit.Point(
        size: axis(rung),
        value: value(rung) ?? 0,
        counters: rung.counters,
        cacheDivisor: Double(rung.cacheDivisor),
        weight: noise(rung) > 0 ? rung.weight : 1,
        noise: noise(rung)
      )
    }
    let points = rungs.map(point)
    let probes = probes.filter { value($0) ?? 0 > 0 }
    let probed = probes.map(point)
    let origins = RollingOrigin(rungs: rungs, probes: probes, points: points, probed: probed)
    let fits = families.compactMap { family in
      family.fit(rungs, probes).map { curves in
        (name: family.name, curves: curves, predictions: origins.predictions(by: family))
      }
    }
    let trust = fits.map { origins.trust(in: $0.predictions, fitted: $0.curves) }
    let total = trust.reduce(0, +)
    guard total > 0 else { return nil }
    let members = zip(fits, trust).map {
      Member(name: $0.name, curves: $0.curves, weight: $1 / total)
    }
    self.members = members.sorted { $0.weight > $1.weight }
    growth = ErrorGrowth(
      origins.errors(of: zip(fits, members).map { ($0.predictions, $1.weight) }),
      prior: prior
    )
    // Use measured counters instead of cost models, because they explain peculiarities of a single
    // store, such as a few huge objects.
    func logarithm(at point: CurveFit.Point) -> Double {
      members.reduce(0) { $0 + $1.weight * log(max($1.curves.value(at: point), 1e-12)) }
    }
    residuals = points.map { $0.value / exp(logarithm(at: $0)) - 1 }
    top = axis(last)
    let squares = probed.map { probe in
      let error = log(probe.value) - logarithm(at: probe)
      return error * error - probe.noise
    }
    probeError = max(squares.mean, 0).squareRoot()
  }

  func callAsFunction(_ size: Double) -> Double { Self.mean(of: members, at: size).value }

  /// The variance of the prediction's logarithm, from the extrapolation error and the differences
  /// between explanations.
  func variance(at size: Double) -> Double {
    let deviation = growth.deviation(doublings: max(0, log2(size / top)))
    let probed = size > top ? probeError : 0
    return deviation * deviation + probed * probed
      + Self.mean(of: members, at: size).spread
  }

  /// The dispersion of the residuals in the upper half of the ladder.
  ///
  /// The dispersion is a scaled median, so that a single disturbed rung does not count as misfit.
  package var misfit: Double {
    1.4826 * (residuals.suffix((residuals.count + 1) / 2).map(abs).median ?? 0)
  }

  /// The weighted mean and variance of the logarithms; the mean is returned as a cost.
  private static func mean(of members: [Member], at size: Double) -> (value: Double, spread: Double)
  {
    let logs = members.map { (weight: $0.weight, log: log(max($0.curves(size), 1e-12))) }
    let mean = logs.reduce(0) { $0 + $1.weight * $1.log }
    let spread = logs.reduce(0) { $0 + $1.weight * ($1.log - mean) * ($1.log - mean) }
    return (exp(mean), spread)
  }

  /// The parts of the cost at a size, by phase and term, such as `migrate per object`, in
  /// descending order.
  package func contributions(at size: Double) -> [(name: String, share: Double)] {
    var costs: [String: Double] = [:]
    for member in members {
      for phase in member.curves.phases {
        for part in phase.curve.parts where part.cost > 0 {
          costs["\(phase.name) \(part.term.name)", default: 0] +=
            member.weight * part.cost * part.term(size)
        }
      }
    }
    let total = costs.values.sorted().reduce(0, +)
    return costs.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map {
      ($0.key, total > 0 ? $0.value / total : 0)
    }
  }
}

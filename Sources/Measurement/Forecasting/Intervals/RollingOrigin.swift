import Foundation

/// Extrapolation tried inside the ladder: fitted up to one rung, held against those above it.
struct RollingOrigin {
  /// Logarithms of predictions by origin and target, `nil` where nothing was predicted.
  typealias Foretold = [[Double?]]

  let rungs: [Rung]
  /// Runs with a smaller cache, known from the rung on that they were measured at.
  let probes: [Probe]
  /// The measured cost of each rung.
  let points: [CurveFit.Point]
  /// That of each probe.
  let probed: [CurveFit.Point]

  /// The first rung that is extrapolated from: a fit needs some below it.
  private var firstOrigin: Int { LadderData.fewestRungs - 1 }

  private var origins: Range<Int> { firstOrigin..<max(firstOrigin, rungs.count - 1) }

  /// What a family would have said of the rungs above each origin.
  func foretold(by family: Family) -> Foretold {
    origins.map { origin in
      let known = probes.filter { $0.rung.size <= rungs[origin].size * 1.01 }
      let curves = family.fit(Array(rungs[...origin]), known)
      return points.indices.map { target in
        guard target > origin, let value = curves?(points[target].size), value > 0 else {
          return nil
        }
        return log(value)
      }
    }
  }

  /// The errors of a weighted mean of families.
  func errors(of families: [(foretold: Foretold, weight: Double)]) -> [ErrorGrowth.Trial] {
    origins.enumerated().flatMap { index, origin in
      points.indices.compactMap { target -> ErrorGrowth.Trial? in
        let known = families.compactMap { family in
          family.foretold[index][target].map { ($0, family.weight) }
        }
        let weight = known.reduce(0) { $0 + $1.1 }
        guard weight > 0 else { return nil }
        let mean = known.reduce(0) { $0 + $1.0 * $1.1 } / weight
        return ErrorGrowth.Trial(
          origin: origin,
          doublings: log2(points[target].size / points[origin].size),
          error: mean - log(points[target].value),
          noise: points[target].noise,
          weight: points[origin].weight * points[target].weight
        )
      }
    }
  }

  /// What a family is to be trusted: from what it leaves unexplained of the upper rungs, and from its
  /// errors of extrapolating, those far out counting most.
  ///
  /// Each as in a likelihood, but for the errors of what scatters: origins share their targets, and
  /// what one target has by luck would decide. Those count by their inverse; weights that are nearer
  /// to each other foretell better (Stock and Watson 2004).
  func trust(in foretold: Foretold, fitted curves: SummedCurves) -> Double {
    let upper = points.suffix((points.count + 1) / 2)
    let errors =
      upper.map { log(max(curves($0.size), 1e-12) / $0.value) }
      + probed.map { log(max(curves.value(at: $0), 1e-12) / $0.value) }
    let misfit = errors.map { $0 * $0 }.mean
    // Half the effective number of origins.
    let power = Double(min(max(origins.count, 1), 6)) / 2
    let inside = pow(misfit + Self.luck, -power)
    let trials = self.errors(of: [(foretold, 1)])
    guard !trials.isEmpty else { return inside }
    let weights = trials.reduce(0) { $0 + $1.doublings * $1.weight }
    let squares = trials.reduce(0) { $0 + $1.doublings * $1.weight * $1.error * $1.error }
    let isExact = points.allSatisfy { $0.noise == 0 }
    return inside * pow(squares / weights + Self.luck, isExact ? -power : -0.5)
  }

  /// A percent more or less, squared.
  private static let luck = 0.01 * 0.01
}

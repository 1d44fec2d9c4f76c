/// The ways of explaining the time of a migration, phase by phase.
struct TimeFamilies: Sendable {
  /// Page misses and page writes, by their metrics.
  static let misses = "sqlite.cacheMisses"
  static let writes = "sqlite.cacheWrites"

  /// The relative scatter of a run.
  let noise: Double

  var all: [Family] {
    [
      Family(name: "linear") { rungs, _ in byPhase(rungs, [.constant, .objects]) },
      Family(name: "n log n") { rungs, _ in byPhase(rungs, [.constant, .objects, .sorting]) },
      Family(name: "structural") { rungs, probes in
        structural(rungs, probes, growing: .objects)
      },
      Family(name: "structural n log n") { rungs, probes in
        structural(rungs, probes, growing: .sorting)
      },
    ]
  }

  /// Costs of pages beside one that grows with the objects; pages are counted, and their counts
  /// extrapolated by laws of their own.
  private func structural(
    _ rungs: [Rung],
    _ probes: [Probe],
    growing: Term
  ) -> SummedCurves? {
    let counted = (rungs + probes.map(\.imitation)).sorted { $0.size < $1.size }
    let pages = [Self.misses, Self.writes].compactMap { name in
      CounterLaw(name, on: counted).map { Term.counter(name, $0.curve) }
    }
    guard !pages.isEmpty else { return nil }
    return byPhase(rungs + probes.map(\.rung), [.constant, growing] + pages)
  }

  private func byPhase(_ rungs: [Rung], _ terms: [Term]) -> SummedCurves? {
    var phases: [SummedCurves.Phase] = []
    let fit = CurveFit(tolerance: max(noise, 0.02))
    for (name, points) in Self.phases(of: rungs) {
      guard let result = fit.fit(points, terms) else { continue }
      phases.append(SummedCurves.Phase(name: name, curve: result.curve))
    }
    return phases.isEmpty ? nil : SummedCurves(phases: phases)
  }

  /// The phases with their times, those that matter apart and the rest together.
  private static func phases(of rungs: [Rung]) -> [(name: String, points: [CurveFit.Point])] {
    guard let top = rungs.max(by: { $0.seconds < $1.seconds }) else { return [] }
    let names = top.phases.keys.sorted().filter { (top.phases[$0] ?? 0) >= top.seconds * 0.02 }
    let apart = names.map { name in (name, points(of: rungs) { $0.phases[name] ?? 0 }) }
    let rest = points(of: rungs) { rung in
      let known = names.reduce(0) { $0 + (rung.phases[$1] ?? 0) }
      return max(0, rung.seconds - known)
    }
    return apart + [("rest", rest)]
  }

  private static func points(
    of rungs: [Rung],
    _ seconds: (Rung) -> Double
  ) -> [CurveFit.Point] {
    rungs.map {
      CurveFit.Point(
        size: $0.size,
        value: seconds($0),
        counters: $0.counters,
        cacheDivisor: Double($0.cacheDivisor),
        weight: $0.weight
      )
    }
  }
}

/// The ways of explaining the time of a migration, phase by phase.
struct TimeFamilies: Sendable {
  /// Page misses and page writes, by their metrics.
  static let misses = "sqlite.cacheMisses"
  static let writes = "sqlite.cacheWrites"

  /// The relative scatter of a run.
  let noise: Double
  /// What a page costs, measured otherwise; `nil` where it was not.
  var unitCosts: UnitCosts?

  var all: [Family] {
    [
      Family(name: "linear") { rungs in
        byPhase(rungs) { _ in [.constant, .objects] }
      },
      Family(name: "n log n") { rungs in
        byPhase(rungs) { _ in [.constant, .objects, .sorting] }
      },
      Family(name: "structural") { rungs in
        let counters = [Self.misses, Self.writes].compactMap { name in
          CounterLaw(name, on: rungs).map { Term.counter(Self.title(name), $0.curve) }
        }
        guard !counters.isEmpty else { return nil }
        return byPhase(rungs) { _ in [.constant, .objects] + counters }
      },
    ]
  }

  private func byPhase(
    _ rungs: [Rung],
    _ terms: (_ phase: String) -> [Term]
  ) -> SummedCurves? {
    var phases: [SummedCurves.Phase] = []
    for (name, points) in Self.phases(of: rungs) {
      var fit = CurveFit(tolerance: max(noise, 0.02))
      fit.leans = leans(terms(name))
      guard let result = fit.fit(points, terms(name)) else { continue }
      phases.append(SummedCurves.Phase(name: name, curve: result.curve))
    }
    return phases.isEmpty ? nil : SummedCurves(phases: phases)
  }

  private func leans(_ terms: [Term]) -> [CurveFit.Lean] {
    guard let unitCosts else { return [] }
    return terms.compactMap { term in
      guard case .counter(let name, _) = term else { return nil }
      let cost = name == Self.title(Self.misses) ? unitCosts.pageRead : unitCosts.pageWrite
      return CurveFit.Lean(term: term, cost: cost)
    }
  }

  /// The phases with their times, those that matter apart and the rest together.
  private static func phases(of rungs: [Rung]) -> [(name: String, points: [CurveFit.Point])] {
    guard let top = rungs.last else { return [] }
    let names = top.phases.keys.sorted().filter { (top.phases[$0] ?? 0) >= top.seconds * 0.02 }
    let apart = names.map { name in
      (name, rungs.map { CurveFit.Point(size: $0.size, value: $0.phases[name] ?? 0) })
    }
    let rest = rungs.map { rung in
      let known = names.reduce(0) { $0 + (rung.phases[$1] ?? 0) }
      return CurveFit.Point(size: rung.size, value: max(0, rung.seconds - known))
    }
    return apart + [("rest", rest)]
  }

  private static func title(_ counter: String) -> String {
    counter == misses ? "pages read" : "pages written"
  }
}

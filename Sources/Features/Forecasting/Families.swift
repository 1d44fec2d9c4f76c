extension Family {
  /// The types of explanation for the time of a migration, phase by phase.
  ///
  /// `noise` is the run-to-run variation. If duplicates are deleted in batches, `batch` is the size
  /// of a store that fills one.
  static func time(noise: Double, batch: Double?) -> [Family] {
    let fit = CurveFit(tolerance: max(noise, 0.02))
    let batches = batch.map { each in
      Family(name: "batches") { rungs, probes in
        let checkpoints = checkpoints(rungs)
        let lists = bends(rungs, probes).map {
          [.constant, .objects, .batches(each: each), .rereading(each: each, bend: $0)]
            + checkpoints
        }
        return byPhase(rungs + probes, lists, fit)
      }
    }
    return [batches].compactMap(\.self) + [
      Family(name: "linear") { rungs, _ in byPhase(rungs, [[.constant, .objects]], fit) },
      Family(name: "n log n") { rungs, _ in
        byPhase(rungs, [[.constant, .objects, .sorting]], fit)
      },
      Family(name: "structural") { structural($0, $1, growing: .objects, fit) },
      Family(name: "structural n log n") { structural($0, $1, growing: .sorting, fit) },
    ]
  }

  /// The cost of a checkpoint in addition to its pages, as measured in runs with a smaller log.
  private static func checkpoints(_ rungs: [Rung]) -> [Term] {
    guard let law = CounterLaw(CounterLaw.syncs, on: rungs) else { return [] }
    return [.counter(law.counter, law.curve)]
  }

  /// Page costs in addition to a cost that grows with the number of objects.
  ///
  /// The numbers of pages are extrapolated by separate cost models.
  private static func structural(
    _ rungs: [Rung],
    _ probes: [Rung],
    growing: Term,
    _ fit: CurveFit
  ) -> SummedCurves? {
    let counted = Rung.imitating(rungs, probes)
    let pages = CounterLaw.pages.compactMap { name in
      CounterLaw(name, on: counted).map { Term.counter(name, $0.curve) }
    }
    guard !pages.isEmpty else { return nil }
    return byPhase(
      rungs + probes,
      [[.constant, growing] + pages + (probes.isEmpty ? [] : checkpoints(rungs))],
      fit
    )
  }

  /// The sizes at which a cost may bend (change its rate of growth), up to those that the probes
  /// (runs with a smaller cache) imitate.
  private static func bends(_ rungs: [Rung], _ probes: [Rung]) -> [Double] {
    let sizes = rungs.map(\.size) + probes.map(\.imitatedSize)
    return Term.bends(on: sizes.sorted(), step: 1.6)
  }

  private static func byPhase(
    _ rungs: [Rung],
    _ lists: [[Term]],
    _ fit: CurveFit
  ) -> SummedCurves? {
    let phases = phases(of: rungs).compactMap { name, points in
      fit.fit(points, anyOf: lists).map { SummedCurves.Phase(name: name, curve: $0.curve) }
    }
    return phases.isEmpty ? nil : SummedCurves(phases: phases)
  }

  /// The times of the phases; short phases are combined.
  private static func phases(of rungs: [Rung]) -> [(name: String, points: [CurveFit.Point])] {
    guard let top = rungs.max(by: { $0.seconds < $1.seconds }) else { return [] }
    let names = top.phases.keys.sorted().filter { (top.phases[$0] ?? 0) >= top.seconds * 0.02 }
    func points(_ seconds: (Rung) -> Double) -> [CurveFit.Point] {
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
    let apart = names.map { name in (name, points { $0.phases[name] ?? 0 }) }
    let rest = points { rung in
      let known = names.reduce(0) { $0 + (rung.phases[$1] ?? 0) }
      return max(0, rung.seconds - known)
    }
    return apart + [("rest", rest)]
  }
}

/// The types of explanation for peak memory and peak disk usage.
struct SpaceFamilies {
  let batchSize: Int?

  // MARK: Memory

  func memory(_ rungs: [Rung], _ probes: [Rung]) -> [Family] {
    let batches = Self.caching("batches and page caches", growing: []) { rungs in
      bends(of: rungs).flatMap { sizes in
        [sizes.map { .filling(bend: $0) }, sizes.map { .caching(bend: $0) }]
      }
    }
    let growing = Self.growing
    guard batchSize != nil, let own = Self.misfit(batches, rungs, probes) else { return growing }
    let best = growing.compactMap { Self.misfit($0, rungs, probes) }.min() ?? .infinity
    return own < max(best * 2, 0.02) ? [batches] : growing
  }

  /// The root mean square error of a memory model; `nil` if the model does not fit.
  private static func misfit(_ family: Family, _ rungs: [Rung], _ probes: [Rung]) -> Double? {
    family.fit(rungs, probes).map { curves in
      memoryPoints(rungs + probes).map { curves.value(at: $0) / $0.value - 1 }.rootMeanSquare
    }
  }

  private static func memoryPoints(_ rungs: [Rung]) -> [CurveFit.Point] {
    rungs.compactMap { rung in
      rung.peakMemory.map {
        CurveFit.Point(size: rung.size, value: $0, cacheDivisor: Double(rung.cacheDivisor))
      }
    }
  }

  /// The sizes at which the batches of one or two entities become full.
  private func bends(of rungs: [Rung]) -> [[Double]] {
    guard let batchSize else { return [] }
    let shape = EntityShape(rungs)
    let sizes = shape.entities.compactMap { shape.size(where: $0, reaches: Double(batchSize)) }
    let pairs = sizes.indices.flatMap { first in
      sizes[(first + 1)...].map { [sizes[first], $0] }
    }
    return [[]] + sizes.map { [$0] } + pairs
  }

  /// Explanations in which memory grows with the objects, while caches fill and hash tables double.
  private static var growing: [Family] {
    let value: @Sendable (Rung) -> Double? = { $0.peakMemory }
    return [
      family("linear", value) { _ in [[.constant, .objects]] },
      family("doubling tables", value) { rungs in
        let tables = Term.doubling(EntityShape(rungs))
        return [[.constant, .objects, tables]]
          + Term.bends(on: rungs.map(\.size), step: 1.25).map {
            [.constant, .objects, tables, .filling(bend: $0)]
          }
      },
      family("filling arenas", value) { rungs in
        Term.bends(on: rungs.map(\.size), step: 1.25).map {
          [.constant, .objects, .filling(bend: $0)]
        }
      },
      caching("filling page caches") { _ in [[]] },
      caching("doubling tables and page caches") { [[.doubling(EntityShape($0))]] },
      caching("filling arenas and page caches") { rungs in
        Term.bends(on: rungs.map(\.size), step: 1.6, beyond: 1).map { [.filling(bend: $0)] }
      },
    ]
  }

  /// Explanations that combine other terms with page caches; runs with smaller caches determine the
  /// size of the caches more precisely.
  private static func caching(
    _ name: String,
    growing: [Term] = [.objects],
    beside terms: @escaping @Sendable ([Rung]) -> [[Term]]
  ) -> Family {
    Family(name: name) { rungs, probes in
      // Beyond this multiple of the largest measured size, even the smallest cache does not fill
      // up, so its effect is unknown.
      let reach = probes.map { Double($0.cacheDivisor) / 2 }.max() ?? 0.75
      let caches = Term.bends(on: rungs.map(\.size), step: 1.6, beyond: reach)
      let lists = terms(rungs).flatMap { others -> [[Term]] in
        let others: [Term] = [.constant] + growing + others
        return caches.map { others + [Term.caching(bend: $0)] }
      }
      return whole(name, CurveFit(tolerance: 0.01).fit(memoryPoints(rungs + probes), anyOf: lists))
    }
  }

  // MARK: Disk

  /// The explanations for disk usage: whole copies of the store, and logs.
  ///
  /// The log of a single transaction grows with the store; the log of a batch only until each of
  /// its entries dirties a different page.
  var disk: [Family] {
    func family(_ name: String, _ terms: @escaping @Sendable ([Rung]) -> [[Term]]) -> Family {
      Self.family(name, { $0.peakDisk }, { $0.storeBytes }, tolerance: 0.003, terms)
    }
    return [
      Family(name: "copies and logs") { rungs, _ in copiesAndLogs(rungs) },
      family("linear") { _ in [[.constant, .objects]] },
      // Copies may omit a fixed part of the store, such as pages that are free before the first
      // vacuum.
      family("copies of everything but a fixed part of the store") { rungs in
        let least = rungs.map(\.storeBytes).min() ?? 0
        return [0.25, 0.5, 0.75, 1].map { [.objects, .exceeding(start: least * $0)] }
      },
    ]
  }

  private func copiesAndLogs(_ rungs: [Rung]) -> SummedCurves? {
    let known = rungs.filter { $0.peakDisk != nil && $0.storeBytes > 0 }
    let ratios = known.map { ($0.peakDisk ?? 0) / $0.storeBytes }
    let copies = (ratios.min() ?? 0).rounded(.down)
    let points = known.map { rung in
      CurveFit.Point(
        size: rung.storeBytes,
        value: rung.peakDisk ?? 0,
        known: copies * rung.storeBytes
      )
    }
    let fit = CurveFit(tolerance: 0.003).fit(points, anyOf: logs(of: rungs))
    guard let logs = fit else { return nil }
    let whole = Curve(parts: [Curve.Part(.objects, copies)] + logs.curve.parts)
    return SummedCurves(phases: [.init(name: "disk", curve: whole)])
  }

  /// The terms for the size of a log.
  ///
  /// The log of a single transaction grows in proportion to the store; the log of a batch is
  /// limited by its pages and its largest objects.
  private func logs(of rungs: [Rung]) -> [[Term]] {
    guard batchSize != nil else { return [[.constant, .objects]] }
    let reaches = Term.bends(on: rungs.map(\.storeBytes), step: 1.6, beyond: 8)
    let last = rungs.last.map { $0.storeBytes / $0.size } ?? 0
    return bends(of: rungs).flatMap { bends -> [[Term]] in
      let full: [Term] = [.constant] + bends.map { .filling(bend: $0 * last) }
      return [full] + reaches.map { full + [Term.saturating(reach: $0)] }
    }
  }

  static let store: [Family] = {
    let size: @Sendable (Rung) -> Double? = { $0.storeBytes > 0 ? $0.storeBytes : nil }
    return [family("linear", size) { _ in [[.constant, .objects]] }]
  }()

  private static func family(
    _ name: String,
    _ value: @escaping @Sendable (Rung) -> Double?,
    _ axis: @escaping @Sendable (Rung) -> Double = { $0.size },
    tolerance: Double = 0.01,
    _ terms: @escaping @Sendable ([Rung]) -> [[Term]]
  ) -> Family {
    Family(name: name) { rungs, _ in
      let points = rungs.compactMap { rung in
        value(rung).map { CurveFit.Point(size: axis(rung), value: $0) }
      }
      return whole(name, CurveFit(tolerance: tolerance).fit(points, anyOf: terms(rungs)))
    }
  }

  private static func whole(_ name: String, _ fit: CurveFit.Result?) -> SummedCurves? {
    fit.map { SummedCurves(phases: [.init(name: name, curve: $0.curve)]) }
  }
}

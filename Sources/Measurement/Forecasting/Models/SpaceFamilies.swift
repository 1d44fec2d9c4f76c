/// The ways of explaining peak memory and peak disk.
struct SpaceFamilies {
  /// The objects of a batch, where the migration works in batches.
  let batchSize: Int?

  /// A batch holds no more than its objects and the page caches; where that explains the ladder,
  /// nothing grows with the store beyond.
  func memory(_ rungs: [Rung], _ probes: [Probe]) -> [Family] {
    let batches = Self.caching("batches and page caches", growing: []) { rungs in
      bends(of: rungs).map { $0.map { .filling(bend: $0) } }
    }
    let growing = Self.growing
    guard batchSize != nil, let own = batches.misfit(rungs, probes) else { return growing }
    let best = growing.compactMap { $0.misfit(rungs, probes) }.min() ?? .infinity
    return own < max(best * 2, 0.02) ? [batches] : growing
  }

  /// Sizes at which the batches of one or two entities are full for the first time.
  private func bends(of rungs: [Rung]) -> [[Double]] {
    guard let batchSize else { return [] }
    let shape = EntityShape(rungs)
    let sizes = shape.entities.compactMap { shape.size(where: $0, reaches: Double(batchSize)) }
    let pairs = sizes.indices.flatMap { first in
      sizes[(first + 1)...].map { [sizes[first], $0] }
    }
    return [[]] + sizes.map { [$0] } + pairs
  }

  /// Caches fill, arrays and hash tables double, and what is kept of each object adds up.
  private static var growing: [Family] {
    let value: @Sendable (Rung) -> Double? = { $0.peakMemory }
    return [
      family("linear", value, tolerance: 0.01) { _ in [[.constant, .objects]] },
      family("doubling tables", value, tolerance: 0.01) { rungs in
        let tables = Term.doubling(EntityShape(rungs))
        return [[.constant, .objects, tables]]
          + BendGrid.sizes(of: rungs.map(\.size), step: 1.25).map {
            [.constant, .objects, tables, .filling(bend: $0)]
          }
      },
      family("filling arenas", value, tolerance: 0.01) { rungs in
        BendGrid.sizes(of: rungs.map(\.size), step: 1.25).map {
          [.constant, .objects, .filling(bend: $0)]
        }
      },
      caching("filling page caches") { _ in [[]] },
      caching("doubling tables and page caches") { [[.doubling(EntityShape($0))]] },
      caching("filling arenas and page caches") { rungs in
        BendGrid.sizes(of: rungs.map(\.size), step: 1.6, beyond: 1).map { [.filling(bend: $0)] }
      },
    ]
  }

  /// Whole copies of the store, and logs: those of one transaction grow with the store, those of
  /// batches only until each of its entries dirties a page of its own.
  var disk: [Family] {
    let linear = Self.family(
      "linear",
      { $0.peakDisk },
      { $0.storeBytes },
      tolerance: 0.003,
      { _ in [[.constant, .objects]] }
    )
    // What all stores have alike, as free pages of a first vacuum, need not be copied.
    let exceeding = Self.family(
      "copies of what stores have beyond a fixed part",
      { $0.peakDisk },
      { $0.storeBytes },
      tolerance: 0.003,
      { rungs in
        let least = rungs.map(\.storeBytes).min() ?? 0
        return [0.25, 0.5, 0.75, 1].map { [.objects, .exceeding(start: least * $0)] }
      }
    )
    let copies = Family(name: "copies and logs") { rungs, _ in copiesAndLogs(rungs) }
    return [copies, linear, exceeding]
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
    let whole = Curve([Curve.Part(.objects, copies)] + logs.curve.parts)
    return SummedCurves(phases: [.init(name: "disk", curve: whole)])
  }

  /// What a log may be made of: a share of the store where all is one transaction, otherwise the
  /// pages that a batch dirties and the largest objects that one holds.
  private func logs(of rungs: [Rung]) -> [[Term]] {
    guard batchSize != nil else { return [[.constant, .objects]] }
    let reaches = BendGrid.sizes(of: rungs.map(\.storeBytes), step: 1.6, beyond: 8)
    let last = rungs.last.map { $0.storeBytes / $0.size } ?? 0
    return bends(of: rungs).flatMap { bends -> [[Term]] in
      let full: [Term] = [.constant] + bends.map { .filling(bend: $0 * last) }
      return [full] + reaches.map { full + [Term.saturating(reach: $0)] }
    }
  }

  /// The store's own bytes.
  static let store = [
    family("linear", storeSize, tolerance: 0.01) { _ in [[.constant, .objects]] }
  ]

  private static func storeSize(_ rung: Rung) -> Double? {
    rung.storeBytes > 0 ? rung.storeBytes : nil
  }

  private static func family(
    _ name: String,
    _ value: @escaping @Sendable (Rung) -> Double?,
    _ axis: @escaping @Sendable (Rung) -> Double = { $0.size },
    tolerance: Double,
    _ terms: @escaping @Sendable ([Rung]) -> [[Term]]
  ) -> Family {
    Family(name: name) { rungs, _ in
      let points = rungs.compactMap { rung in
        value(rung).map { CurveFit.Point(size: axis(rung), value: $0) }
      }
      return CurveFit(tolerance: tolerance).fit(points, anyOf: terms(rungs)).map { whole(name, $0) }
    }
  }

  /// Other terms beside page caches, whose size is known better the smaller they were made.
  private static func caching(
    _ name: String,
    growing: [Term] = [.objects],
    beside terms: @escaping @Sendable ([Rung]) -> [[Term]]
  ) -> Family {
    Family(name: name) { rungs, probes in
      // Beyond this not even the smallest cache is full at the top, and it could be anything.
      let reach = probes.map { Double($0.rung.cacheDivisor) / 2 }.max() ?? 0.75
      let caches = BendGrid.sizes(of: rungs.map(\.size), step: 1.6, beyond: reach)
      let lists = terms(rungs).flatMap { others -> [[Term]] in
        let others: [Term] = [.constant] + growing + others
        return caches.map { others + [Term.caching(bend: $0)] }
      }
      let points = memoryPoints(rungs, probes)
      return CurveFit(tolerance: 0.01).fit(points, anyOf: lists).map { whole(name, $0) }
    }
  }

  private static func whole(_ name: String, _ fit: CurveFit.Result) -> SummedCurves {
    SummedCurves(phases: [.init(name: name, curve: fit.curve)])
  }

  fileprivate static func memoryPoints(_ rungs: [Rung], _ probes: [Probe]) -> [CurveFit.Point] {
    (rungs + probes.map(\.rung)).compactMap { rung in
      rung.peakMemory.map {
        CurveFit.Point(size: rung.size, value: $0, cacheDivisor: Double(rung.cacheDivisor))
      }
    }
  }
}

extension Family {
  /// The root of the mean square of the errors of a law of memory; `nil` where none fits.
  fileprivate func misfit(_ rungs: [Rung], _ probes: [Probe]) -> Double? {
    guard let curves = fit(rungs, probes) else { return nil }
    return SpaceFamilies.memoryPoints(rungs, probes).map { curves.value(at: $0) / $0.value - 1 }
      .rootMeanSquare
  }
}

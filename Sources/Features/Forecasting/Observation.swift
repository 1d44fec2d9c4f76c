import Runner

/// The cost of one run of a migration on a store of one size.
package struct Observation: Codable, Hashable, Sendable {
  /// The number of objects by entity name.
  package var objects: [String: Int]
  package var seconds: Double
  /// Seconds by phase; phases do not overlap.
  package var phases: [String: Double] = [:]
  /// Peak memory in bytes; `nil` if not measured.
  package var peakMemory: Double?
  /// The peak size of all files in bytes, including those of the old store; `nil` if not measured.
  package var peakDisk: Double?
  /// The size of the store before the migration in bytes, including all its files.
  package var storeBytes = 0.0
  /// Exact counters by metric name.
  package var counters: [String: Double] = [:]
  /// Whether the run is a repetition of the anchor, the size that is measured again at regular
  /// intervals to detect drift.
  package var isAnchor = false
  /// The factor by which the page cache and, for a migration, its log and batches are scaled down;
  /// usually 1.
  package var cacheDivisor = 1
  /// The time in seconds of the yardstick, a fixed piece of work measured before and after this
  /// run; `nil` if not measured.
  package var yardstick: Double?

  /// The number of objects of all entities.
  package var size: Double { objects.values.reduce(0) { $0 + Double($1) } }

  /// Whether every number is finite and within its range.
  package var isSound: Bool {
    let costs = [seconds, storeBytes] + [peakMemory, peakDisk].compactMap { $0 }
    let others = phases.values.map { $0 } + counters.values.map { $0 }
    return size >= 1 && cacheDivisor >= 1 && seconds > 0 && objects.values.allSatisfy { $0 >= 0 }
      && yardstick.map { $0.isFinite && $0 > 0 } ?? true
      && (costs + others).allSatisfy { $0.isFinite && $0 >= 0 }
  }
}

extension Observation {
  /// Extracts the costs of a measured case; returns `nil` if its time was too short to measure.
  package init?(
    _ result: CaseResult,
    of store: StoreDescription,
    _ turn: LadderDesign.Turn,
    _ yardstick: Double?
  ) {
    func value(_ name: String) -> Double? {
      result.samples.first { $0.metric.name == name }?.trials.first?.first
    }
    guard let seconds = value(Metric.wallClock.name) else { return nil }
    var (phases, counters): ([String: Double], [String: Double]) = ([:], [:])
    for sample in result.samples {
      guard let measured = sample.trials.first?.first else { continue }
      let parts = sample.metric.name.split(separator: ".", maxSplits: 1)
      switch parts.first {
      case "phase": phases[String(parts.last ?? "")] = measured
      case "sqlite", "vfs", "files", "replay": counters[sample.metric.name] = measured
      case "objects" where sample.metric.name == DeletionBatches.counter:
        counters[sample.metric.name] = measured
      default: break
      }
    }
    self.init(
      objects: store.objects,
      seconds: seconds,
      phases: Self.apart(phases, of: seconds),
      peakMemory: value(Metric.peakMemory.name),
      peakDisk: value(Metric.peakDisk.name),
      storeBytes: Double(store.bytes),
      counters: counters,
      isAnchor: turn.isAnchor,
      cacheDivisor: turn.cacheDivisor,
      yardstick: yardstick
    )
  }

  /// Returns the phases without overlaps: if the phases add up to more than the total time,
  /// `migrate` contains other phases and is omitted.
  private static func apart(_ phases: [String: Double], of seconds: Double) -> [String: Double] {
    func overlap(_ phases: [String: Double]) -> Bool {
      phases.sorted { $0.key < $1.key }.reduce(0) { $0 + $1.value } > seconds * 1.001
    }
    guard overlap(phases) else { return phases }
    let inner = phases.filter { $0.key != "migrate" }
    return overlap(inner) ? [:] : inner
  }
}

/// The runs at one size, combined into their medians.
package struct Rung: Hashable, Sendable {
  /// The number of objects of all entities.
  package let size: Double
  package let objects: [String: Int]
  package let seconds: Double
  package let phases: [String: Double]
  package let peakMemory: Double?
  package let peakDisk: Double?
  package let storeBytes: Double
  package let counters: [String: Double]
  /// The times of the individual runs.
  package let runs: [Double]
  /// The factor by which the page cache is scaled down; usually 1.
  package var cacheDivisor = 1
  /// The weight of this size's time in the fit, relative to a long run.
  package var weight = 1.0
}

extension Rung {
  init?(_ observations: [Observation]) {
    guard let first = observations.first else { return nil }
    func medians(_ values: (Observation) -> [String: Double]) -> [String: Double] {
      let names = Set(observations.flatMap { values($0).keys })
      let pairs = names.map { name in
        (name, observations.map { values($0)[name] ?? 0 }.median ?? 0)
      }
      return Dictionary(pairs) { $1 }
    }
    let runs = observations.map(\.seconds)
    self.init(
      size: first.size,
      objects: first.objects,
      seconds: runs.median ?? 0,
      phases: medians(\.phases),
      peakMemory: observations.compactMap(\.peakMemory).median,
      peakDisk: observations.compactMap(\.peakDisk).median,
      storeBytes: observations.map(\.storeBytes).median ?? 0,
      counters: medians(\.counters),
      runs: runs,
      cacheDivisor: first.cacheDivisor
    )
  }
}

extension Rung {
  /// The number of objects in the store that a probe (a run with a smaller cache) imitates.
  package var imitatedSize: Double { size * Double(cacheDivisor) }

  /// Returns the rungs and, for each probe, the larger store that it imitates.
  ///
  /// The imitated store is larger than the probe's store by the factor by which the probe's cache,
  /// batches and log are smaller than usual.
  ///
  /// The cache misses per object depend on the share of the indexes that fits in the cache. The
  /// pages dirtied per object depend on the share that a batch touches. Both shares are the same in
  /// the imitated store. However, pages that every batch or checkpoint writes, regardless of its
  /// size, are counted too often. Probes that imitate a measured store show the number of such
  /// pages.
  package static func imitating(_ rungs: [Rung], _ probes: [Rung]) -> [Rung] {
    var fixed: [String: [Double]] = [:]
    for probe in probes {
      let times = Double(probe.cacheDivisor)
      guard let like = rungs.first(where: { abs($0.size / probe.imitatedSize - 1) < 0.01 }) else {
        continue
      }
      // Scale by bytes, because some stores' objects have far more bytes, and thus pages, than
      // others'.
      let share = probe.storeBytes > 0 ? like.storeBytes / probe.storeBytes : times
      for (name, count) in probe.counters {
        let excess = count * share - (like.counters[name] ?? 0)
        fixed[name, default: []].append(max(excess, 0) / ((times - 1) * like.size))
      }
    }
    return (rungs + probes.map { $0.imitation(fixed.mapValues(\.mean)) })
      .sorted { $0.size < $1.size }
  }

  /// The larger store that this probe imitates.
  ///
  /// For each counter, `fixed` contains the excess per object that smaller batches and logs cause.
  private func imitation(_ fixed: [String: Double]) -> Rung {
    let times = Double(cacheDivisor)
    let imitated = counters.map { name, count in
      (name, max(count * times - (fixed[name] ?? 0) * (times - 1) * imitatedSize, 0))
    }
    return Rung(
      size: imitatedSize,
      objects: objects,
      seconds: seconds,
      phases: phases,
      peakMemory: nil,
      peakDisk: nil,
      storeBytes: storeBytes,
      counters: Dictionary(uniqueKeysWithValues: imitated),
      runs: runs
    )
  }
}

import Runner

/// The cost of one run of a migration on a store of one size.
package struct Observation: Codable, Hashable, Sendable {
  /// Objects by entity name.
  package var objects: [String: Int]
  package var seconds: Double
  /// Seconds by phase; phases do not overlap.
  package var phases: [String: Double] = [:]
  /// Bytes; `nil` if not measured.
  package var peakMemory: Double?
  /// Bytes of all files together, the old store's among them; `nil` if it was not measured.
  package var peakDisk: Double?
  /// Bytes of the store before the migration, with all that belongs to it.
  package var storeBytes = 0.0
  /// Exact counters by metric name.
  package var counters: [String: Double] = [:]
  /// Whether the run belongs to the anchor, which comes again and again.
  package var isAnchor = false
  /// The divisor of the page cache and, of a migration, of its log and batches; usually 1.
  package var cacheDivisor = 1
  /// Seconds that a fixed piece of work took just before and after; `nil` if it was not measured.
  package var yardstick: Double?

  /// The objects of all entities together.
  package var size: Double { objects.values.reduce(0) { $0 + Double($1) } }

  /// Whether every number is finite and in its range.
  package var isSound: Bool {
    let costs = [seconds, storeBytes] + [peakMemory, peakDisk].compactMap { $0 }
    let others = phases.values.map { $0 } + counters.values.map { $0 }
    return size >= 1 && cacheDivisor >= 1 && seconds > 0 && objects.values.allSatisfy { $0 >= 0 }
      && yardstick.map { $0.isFinite && $0 > 0 } ?? true
      && (costs + others).allSatisfy { $0.isFinite && $0 >= 0 }
  }
}

extension Observation {
  /// The costs in a measured case; `nil` if its time was too short.
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

  /// Phases that do not overlap: where they sum up to more than the whole, `migrate` holds others.
  private static func apart(_ phases: [String: Double], of seconds: Double) -> [String: Double] {
    func overlap(_ phases: [String: Double]) -> Bool {
      phases.sorted { $0.key < $1.key }.reduce(0) { $0 + $1.value } > seconds * 1.001
    }
    guard overlap(phases) else { return phases }
    let inner = phases.filter { $0.key != "migrate" }
    return overlap(inner) ? [:] : inner
  }
}

/// The runs of one size, summed up by their medians.
package struct Rung: Hashable, Sendable {
  /// Objects of all entities together.
  package let size: Double
  package let objects: [String: Int]
  package let seconds: Double
  package let phases: [String: Double]
  package let peakMemory: Double?
  package let peakDisk: Double?
  package let storeBytes: Double
  package let counters: [String: Double]
  /// The times of the single runs.
  package let runs: [Double]
  /// The divisor of the page cache's size; usually 1.
  package var cacheDivisor = 1
  /// The weight of its time, compared with that of a long run.
  package var weight = 1.0
}

extension Rung {
  /// Sums up runs of one size; `nil` if there are none.
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
  /// The objects of the store that a probe imitates.
  package var imitatedSize: Double { size * Double(cacheDivisor) }

  /// The rungs and larger stores that the probes imitate: each as much larger as its cache, batches
  /// and log are smaller.
  ///
  /// What an object misses depends on the share of the indexes that the cache holds, and what it
  /// dirties on the share that a batch does; both are the same there. Pages that every batch and every
  /// checkpoint writes, of whatever size, are too many by as much as these are. How many, the probes
  /// show that imitate a measured store.
  package static func imitating(_ rungs: [Rung], _ probes: [Rung]) -> [Rung] {
    var fixed: [String: [Double]] = [:]
    for probe in probes {
      let times = Double(probe.cacheDivisor)
      guard let like = rungs.first(where: { abs($0.size / probe.imitatedSize - 1) < 0.01 }) else {
        continue
      }
      // Objects of a few stores have far more bytes, and so pages, than those of others.
      let share = probe.storeBytes > 0 ? like.storeBytes / probe.storeBytes : times
      for (name, count) in probe.counters {
        let excess = count * share - (like.counters[name] ?? 0)
        fixed[name, default: []].append(max(excess, 0) / ((times - 1) * like.size))
      }
    }
    return (rungs + probes.map { $0.imitation(fixed.mapValues(\.mean)) })
      .sorted { $0.size < $1.size }
  }

  /// The larger store, where so much of each counter and object is not due to the batches' size.
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

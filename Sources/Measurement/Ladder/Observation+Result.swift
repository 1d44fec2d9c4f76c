import Forecasting
import Measurement

extension Observation {
  /// What a measured case says of its migration; `nil` where its time was too short.
  init?(
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
      case "sqlite", "vfs", "files": counters[sample.metric.name] = measured
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

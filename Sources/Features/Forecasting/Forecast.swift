import Foundation
import Runner

/// Predicts the cost of a migration on stores of any size, from the measurements of a ladder (runs
/// on stores of increasing size).
package struct Forecast: Sendable {
  /// A size beyond which a cost may grow at a different rate.
  package struct Bend: Hashable, Sendable {
    /// The reason for the bend as a clause, such as `the store outgrows the page cache`.
    package let name: String
    /// The size in objects.
    package let size: Double

    /// The share of the largest measured size up to which a bend counts as measured; beyond it, too
    /// few measured sizes are larger than the bend.
    static let seen = 0.75
  }

  /// The multiple of the largest measured size up to which every cost model must stay plausible.
  static let farthest = 100.0

  /// The factor that scales a time's interval so that it contains nine of ten outcomes.
  ///
  /// The factor is a conformal calibration on the 34 preregistered migrations of the second to the
  /// fourth choice (Evidence/docs/forecast-method.md): their third-largest error is half of the
  /// uncalibrated half-width.
  private static let conformal = 0.5

  /// Above `poorFit`, the misfit of the cost models widens the interval; above `unbearableFit`, the
  /// time is not predicted.
  private static let (poorFit, unbearableFit) = (0.5, 2.0)

  /// The increase in the cost per object with each doubling beyond the ladder, as a logarithm.
  ///
  /// The processor's caches hold a smaller share of a larger store. The value was chosen on
  /// preregistered migrations that are now training cases (Evidence/docs/forecasting.md).
  private static let slowing = 0.01

  package let data: LadderData
  package let time: Ensemble?
  private let memory: Ensemble?
  /// The peak disk usage as a function of the bytes of the store itself.
  private let disk: Ensemble?
  private let storeBytes: Ensemble?
  package let shape: EntityShape
  package let bends: [Bend]
  /// The multiple of the largest measured size beyond which nothing is predicted.
  package var reach: Double
  /// The machine for which the forecast is made; `nil` for the machine on which the ladder was
  /// measured.
  package var machine: MachineScale?
  /// The cost of memory if the measuring machine returns free memory to its host; predicted times
  /// for that machine include this cost.
  package var memoryReturn: MemoryReturn?

  /// Fits all cost models to a ladder; `predict` refuses costs that could not be fitted.
  ///
  /// `batchSize` is the number of objects per batch, if the migration works in batches.
  package init(_ data: LadderData, bends: [Bend] = [], batchSize: Int? = nil) {
    let rungs = data.rungs
    let batch = DeletionBatches(rungs, batchSize: batchSize)
    self.data = data
    reach = data.reach
    self.bends = bends + [batch?.bend].compactMap(\.self)
    shape = EntityShape(rungs)
    let space = SpaceFamilies(batchSize: batchSize)
    time = Ensemble(
      Family.time(noise: data.scatter.share, batch: batch?.seen(to: data.top)),
      rungs: rungs,
      probes: data.probes,
      prior: ErrorGrowth.Prior(base: 0.05, perDoubling: 0.08),
      noise: { data.scatter.variance(ofMedian: $0) },
      value: { $0.seconds }
    )
    memory = Ensemble(
      space.memory(rungs, data.probes),
      rungs: rungs,
      probes: data.probes,
      prior: ErrorGrowth.Prior(base: 0.02, perDoubling: 0.03)
    ) { $0.peakMemory }
    disk = Ensemble(
      space.disk,
      rungs: rungs,
      prior: ErrorGrowth.Prior(base: 0.01, perDoubling: 0.01),
      axis: { $0.storeBytes },
      value: { $0.peakDisk }
    )
    storeBytes = Ensemble(storeBytes: rungs)
  }

  /// Predicts the cost of a migration, or returns the reason why there is no prediction.
  ///
  /// If the store's bytes are not given, they are predicted too.
  package func predict(
    _ resource: Resource,
    objects: Double,
    bytes: Double? = nil
  ) -> Result<Interval, NoForecast> {
    if let refusal = refusal(of: resource, objects: objects) { return .failure(refusal) }
    switch resource {
    case .time:
      // Memory delays occur on the measuring machine only, so omit them for another machine.
      let delay = machine == nil ? memoryDelay(objects: objects) : 0
      return .success(timeInterval(objects).delayed(by: delay))
    case .memory:
      guard let memory else { return .failure(.notMeasured) }
      return .success(interval(memory(objects), variance: memory.variance(at: objects), memory))
    case .disk:
      guard let disk, let storeBytes else { return .failure(.notMeasured) }
      let size = bytes ?? storeBytes(objects)
      let variance =
        disk.variance(at: size) + (bytes == nil ? storeBytes.variance(at: objects) : 0)
      return .success(interval(disk(size), variance: variance, disk))
    }
  }

  /// The time for a number of objects, with the intervals that contain 50, 80 and 90 of 100
  /// outcomes, or the reason why the time is unknown.
  package func timeBands(objects: Double) -> Result<TimeBands, NoForecast> {
    predict(.time, objects: objects).map { TimeBands($0, freedom: timeFreedom) }
  }

  /// The reason why a resource cannot be predicted at a size; `nil` if there is a prediction.
  package func refusal(of resource: Resource, objects: Double) -> NoForecast? {
    guard data.rungs.count >= LadderData.fewestRungs else {
      return .tooFewRungs(count: data.rungs.count)
    }
    guard objects <= data.top * reach else { return beyond }
    guard resource == .time else { return nil }
    if let time, time.misfit > Self.unbearableFit { return .poorFit(misfit: time.misfit) }
    if data.drift.share > Drift.bearable { return .drifted(share: data.drift.share) }
    let unseen = bends.filter { $0.size > data.top * Bend.seen && objects > $0.size * 2 }
      .min { $0.size < $1.size }
    return unseen.map {
      .pastBend(name: $0.name, size: Int(min($0.size, 1e15)), top: Int(data.top))
    }
  }

  private var beyond: NoForecast {
    .beyondLadder(top: Int(data.top), times: Int(reach), isQuick: data.isQuick)
  }

  private func timeInterval(_ objects: Double) -> Interval {
    guard let time else { return Interval(value: 0, low: 0, high: 0) }
    let slowing = exp(Self.slowing * max(0, log2(objects / time.top)))
    let seconds = time(objects) * slowing
    // The interval is for a single run at the machine's usual pace, so include the run-to-run
    // variation of the ladder.
    var variance = time.variance(at: objects) + data.scatter.variance(seconds: seconds)
    // If the machine's speed drifted, add half of the drift as a standard deviation.
    if !data.drift.isTolerable { variance += data.drift.share * data.drift.share / 4 }
    let syncs = data.rungs.last.map { ($0.counters[CounterLaw.syncs] ?? 0) / $0.size } ?? 0
    variance *= Self.conformal * Self.conformal
    if time.misfit > Self.poorFit { variance += pow(log(1 + time.misfit), 2) }
    guard let machine else { return interval(seconds, variance: variance, time) }
    let value = machine.time(seconds, syncs: syncs * objects)
    return interval(value, variance: variance + machine.variance, time, machine.freedom)
  }

  private var timeFreedom: Double {
    min(time?.growth.freedom ?? 1, machine?.freedom ?? .infinity)
  }

  private func interval(
    _ value: Double,
    variance: Double,
    _ ensemble: Ensemble,
    _ freedom: Double? = nil
  ) -> Interval {
    let freedom = min(ensemble.growth.freedom, freedom ?? .infinity)
    let reach = StudentT.quantile90(freedom: freedom) * variance.squareRoot()
    return Interval(value: value, low: value * exp(-reach), high: value * exp(reach)).atLeast(0.05)
  }
}

extension Interval {
  /// Adds a delay to the interval: the full delay to the value and the upper end, and half of it to
  /// the lower end.
  fileprivate func delayed(by seconds: Double) -> Interval {
    Interval(value: value + seconds, low: low + seconds / 2, high: high + seconds)
  }

  fileprivate func atLeast(_ share: Double) -> Interval {
    Interval(value: value, low: min(low, value * (1 - share)), high: max(high, value * (1 + share)))
  }
}

// MARK: Sizes

extension Forecast {
  /// The predicted cost of migrating a store, with the size of the store.
  package struct SizeAnswer {
    package let objects: Double
    /// The store's bytes; `nil` if no store size was measured in bytes.
    package let storeBytes: Double?
    package let time: Result<Interval, NoForecast>
    package let memory: Result<Interval, NoForecast>
    package let disk: Result<Interval, NoForecast>

    /// The reasons why parts of the answer are unknown.
    package var refusals: [NoForecast] {
      [time, memory, disk].compactMap { found in
        if case .failure(let refusal) = found { refusal } else { nil }
      }
    }
  }

  /// Predicts the cost for a size; returns `nil` if the size cannot be converted to objects, for
  /// example from bytes if no store's bytes were measured.
  package func answer(to size: StoreSize) -> SizeAnswer? {
    guard let objects = objects(of: size) else { return nil }
    let bytes: Double? = if case .bytes(let bytes) = size { bytes } else { nil }
    return SizeAnswer(
      objects: objects,
      storeBytes: bytes ?? storeBytes?(objects),
      time: predict(.time, objects: objects),
      memory: predict(.memory, objects: objects),
      disk: predict(.disk, objects: objects, bytes: bytes)
    )
  }

  /// The number of objects for a size; `nil` if it cannot be converted, for example from bytes if
  /// no store's bytes were measured.
  package func objects(of size: StoreSize) -> Double? { sizeScale.objects(of: size) }

  /// Converts store sizes to objects, based on the stores of the ladder.
  var sizeScale: SizeScale {
    SizeScale(shape: shape) { [storeBytes] in storeBytes?.objects(ofBytes: $0) }
  }
}

extension Ensemble {
  /// Fits the bytes of a ladder's stores as a function of their objects; returns `nil` if no bytes
  /// were measured.
  init?(storeBytes rungs: [Rung]) {
    self.init(
      SpaceFamilies.store,
      rungs: rungs,
      prior: ErrorGrowth.Prior(base: 0.01, perDoubling: 0.01)
    ) { $0.storeBytes }
  }

  /// The number of objects in a store with a given number of bytes, for the ensemble that predicts
  /// the bytes of stores.
  func objects(ofBytes bytes: Double) -> Double {
    var (low, high) = (0.0, SizeTable.mostObjects)
    for _ in 0..<80 {
      let middle = (low + high) / 2
      if self(middle) <= bytes { low = middle } else { high = middle }
    }
    return low
  }
}

// MARK: Budgets

extension Forecast {
  /// The sizes of the largest stores that fit a budget.
  package struct LargestStore: Hashable, Sendable {
    /// The number of objects up to which even the upper end of the interval is within the budget.
    package let atLeast: Double
    /// The number of objects up to which the predicted value is within the budget.
    package let probably: Double
    /// The number of objects up to which the lower end of the interval is within the budget.
    package let atMost: Double
    /// The largest size with a prediction.
    ///
    /// If `atLeast`, `probably` or `atMost` equals this size, even larger stores may fit.
    package let known: Double
    /// The reason why nothing is predicted beyond the largest known size.
    package let refusal: NoForecast?
  }

  /// The number of objects in the largest store that fits a budget; 0 if not even a store with one
  /// object fits.
  package func largestStore(within budget: ResourceBudget) -> Result<LargestStore, NoForecast> {
    let (known, refusal) = knownReach(of: budget.resource)
    guard let known else { return .failure(refusal ?? .notMeasured) }
    func largest(_ bound: (Interval) -> Double) -> Double {
      func fits(_ size: Double) -> Bool {
        guard case .success(let interval) = predict(budget.resource, objects: size) else {
          return false
        }
        return bound(interval) <= budget.limit
      }
      return Self.bisect(from: 1, to: known, fits)
    }
    return .success(
      LargestStore(
        atLeast: largest(\.high),
        probably: largest(\.value),
        atMost: largest(\.low),
        known: known,
        refusal: refusal
      )
    )
  }

  /// The largest size at which a resource is known, and the reason why larger sizes are not.
  private func knownReach(of resource: Resource) -> (size: Double?, refusal: NoForecast?) {
    let farthest = data.top * reach
    if case .failure(let refusal) = predict(resource, objects: data.top) { return (nil, refusal) }
    let unknown = refusal(of: resource, objects: farthest)
    guard unknown != nil else { return (farthest, beyond) }
    let size = Self.bisect(from: data.top, to: farthest) {
      refusal(of: resource, objects: $0) == nil
    }
    return (size, unknown)
  }

  /// Finds the largest size that fits, to a tenth of a percent; returns 0 if the smallest size does
  /// not fit.
  private static func bisect(
    from smallest: Double,
    to largest: Double,
    _ fits: (Double) -> Bool
  ) -> Double {
    guard fits(smallest) else { return 0 }
    guard !fits(largest) else { return largest }
    var (low, high) = (smallest, largest)
    while high / low > 1.001 {
      let middle = (low * high).squareRoot()
      if fits(middle) { low = middle } else { high = middle }
    }
    return low
  }
}

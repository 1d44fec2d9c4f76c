import Foundation
import Runner

/// What a migration is going to cost on stores of any size, learnt from a ladder.
package struct Forecast: Sendable {
  /// A size beyond which a cost may grow at another rate than below it.
  package struct Bend: Hashable, Sendable {
    /// What happens there, as a clause: `the store outgrows the page cache`.
    package let name: String
    /// Objects.
    package let size: Double

    /// Up to this share of the ladder's top a bend is seen: beyond, too few sizes lie past it.
    static let seen = 0.75
  }

  /// No cost model may become impossible up to this multiple of the ladder's top.
  static let farthest = 100.0

  /// The factor on the width of a time's interval, so that it holds nine of ten outcomes: the
  /// conformal step over the registered migrations of the second to the fourth choice, whose ladders
  /// were measured as those of today: the third largest of 34 errors is half of the reach without it.
  private static let conformal = 0.5

  /// If the cost models are further off than this, the interval is widened by as much; if they are
  /// off by more than a factor of three, the time is not predicted.
  private static let (poorFit, unbearableFit) = (0.5, 2.0)

  /// What each doubling beyond the ladder adds to the cost of an object, as a logarithm.
  ///
  /// More of the work finds its data in none of the processor's caches, which no small store shows.
  /// Chosen on the registered migrations that are training cases by now (Evidence/docs/forecasting.md).
  private static let slowing = 0.01

  package let data: LadderData
  package let time: Ensemble?
  private let memory: Ensemble?
  /// Peak disk, as a function of the store's own bytes.
  private let disk: Ensemble?
  private let storeBytes: Ensemble?
  package let shape: EntityShape
  package let bends: [Bend]
  /// Beyond this multiple of the ladder's top nothing is predicted.
  package var reach: Double
  /// The machine it is made for, `nil` for the one that the ladder was measured on.
  package var machine: MachineScale?
  /// That the machine which measures returns memory; times are later then.
  package var memoryReturn: MemoryReturn?

  /// Fits all cost models to a ladder; what cannot be fitted is refused by `predict`.
  ///
  /// `batchSize` is the objects of a batch, if the migration works in batches.
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

  /// The predicted cost of a migration, or the reason why there is no prediction.
  ///
  /// Without the store's bytes, they are predicted as well.
  package func predict(
    _ resource: Resource,
    objects: Double,
    bytes: Double? = nil
  ) -> Result<Interval, NoForecast> {
    if let refusal = refusal(of: resource, objects: objects) { return .failure(refusal) }
    switch resource {
    case .time:
      return .success(timeInterval(objects).delayed(by: memoryDelay(objects: objects)))
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

  /// The time for so many objects with the intervals that hold 50, 80 and 90 of 100 outcomes, or
  /// why it cannot be known.
  package func timeBands(objects: Double) -> Result<TimeBands, NoForecast> {
    predict(.time, objects: objects).map { TimeBands($0, freedom: timeFreedom) }
  }

  /// Why a resource cannot be predicted at a size; `nil` if it can.
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
    // The interval is for one run at the usual pace, which scatters as those of the ladder did.
    var variance = time.variance(at: objects) + data.scatter.variance(seconds: seconds)
    // The ladder's order is random: its middle is half the drift away from either end.
    if !data.drift.isTolerable { variance += data.drift.share * data.drift.share / 4 }
    let syncs = data.rungs.last.map { ($0.counters[CounterLaw.syncs] ?? 0) / $0.size } ?? 0
    variance *= Self.conformal * Self.conformal
    if time.misfit > Self.poorFit { variance += pow(log(1 + time.misfit), 2) }
    guard let machine else { return interval(seconds, variance: variance, time) }
    let value = machine.time(seconds, syncs: syncs * objects)
    return interval(value, variance: variance + machine.variance, time, machine.freedom)
  }

  /// The degrees of freedom of a time's interval.
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
  /// The interval if taking memory again costs so much, or half of it at least.
  fileprivate func delayed(by seconds: Double) -> Interval {
    Interval(value: value + seconds, low: low + seconds / 2, high: high + seconds)
  }

  /// The interval, at least this share of its value wide on either side.
  fileprivate func atLeast(_ share: Double) -> Interval {
    Interval(value: value, low: min(low, value * (1 - share)), high: max(high, value * (1 + share)))
  }
}

// MARK: Sizes

extension Forecast {
  /// What a migration of a store takes, and how large that store is.
  package struct SizeAnswer {
    package let objects: Double
    /// `nil` if no store's size was measured.
    package let storeBytes: Double?
    package let time: Result<Interval, NoForecast>
    package let memory: Result<Interval, NoForecast>
    package let disk: Result<Interval, NoForecast>

    /// Why something of it is unknown.
    package var refusals: [NoForecast] {
      [time, memory, disk].compactMap { found in
        if case .failure(let refusal) = found { refusal } else { nil }
      }
    }
  }

  /// Answers for a size; `nil` for bytes if no store's size was measured.
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

  /// The objects of a size; `nil` for bytes if no store's size was measured.
  package func objects(of size: StoreSize) -> Double? { sizeScale.objects(of: size) }

  /// The scale of the stores that the ladder was measured on.
  var sizeScale: SizeScale {
    SizeScale(shape: shape) { [storeBytes] in storeBytes?.objects(ofBytes: $0) }
  }
}

extension Ensemble {
  /// The bytes of a ladder's stores as a function of their objects; `nil` if none were measured.
  init?(storeBytes rungs: [Rung]) {
    self.init(
      SpaceFamilies.store,
      rungs: rungs,
      prior: ErrorGrowth.Prior(base: 0.01, perDoubling: 0.01)
    ) { $0.storeBytes }
  }

  /// The objects of a store of so many bytes, if this is the ensemble of the stores' bytes.
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
  /// The largest stores that fit a budget.
  package struct LargestStore: Hashable, Sendable {
    /// Objects up to which even the upper end of the interval fits.
    package let atLeast: Double
    /// Objects up to which the prediction fits.
    package let probably: Double
    /// Objects up to which the lower end of the interval fits.
    package let atMost: Double
    /// The largest size with a prediction; if the other three are equal to it, even that store fits.
    package let known: Double
    /// Why nothing is known beyond.
    package let refusal: NoForecast?
  }

  /// The objects of the largest store that fits a budget; 0 if not even the smallest rung does.
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

  /// The largest size that a resource is known at, and why no more.
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

  /// The largest size that fits, to a tenth of a percent; 0 if the smallest one does not.
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

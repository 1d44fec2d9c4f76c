import Foundation
import Runner

/// What exact counters come to on stores of any size, learnt from a ladder.
///
/// For work whose time is not predicted, such as the replay of a log.
package struct CounterForecast: Sendable {
  /// A counter that is predicted.
  package struct Counter: Hashable, Sendable {
    /// The metric's name, such as `sqlite.cacheMisses`.
    package let metric: String
    /// In words: `pages read`.
    package let name: String

    init(_ metric: String, _ name: String) { (self.metric, self.name) = (metric, name) }
  }

  /// What a replay counts: its work by SQL, by SQLite's steps, and by what it moves.
  package static let counters = [
    Counter("replay.statements", "statements"), Counter("replay.rows", "rows read"),
    Counter("sqlite.vmSteps", "SQLite's steps"), Counter(CounterLaw.pagesRead, "pages read"),
    Counter(CounterLaw.pagesWritten, "pages written"), Counter("vfs.readBytes", "bytes read"),
    Counter("vfs.writeBytes", "bytes written"),
  ]

  /// The metric of the pages that are read.
  package static let pagesRead = CounterLaw.pagesRead

  package let data: LadderData
  private let ensembles: [String: Ensemble]
  private let stores: Ensemble?
  /// Rows that the work scans, where it sorts them and keeps a fixed number.
  private let sorted: Ensemble?

  /// Learns from a ladder; what cannot be learnt is refused when it is asked for.
  package init(_ data: LadderData) {
    self.data = data
    let pairs = Self.counters.compactMap { counter in
      Self.ensemble(counter.metric, data).map { (counter.metric, $0) }
    }
    ensembles = Dictionary(pairs) { $1 }
    stores = Ensemble(storeBytes: data.rungs)
    let keepsFew =
      data.rungs.contains { $0.counters["sqlite.sorts"] ?? 0 > 0 }
      && Self.isFixed("replay.rows", data) && !Self.isFixed(Self.steps, data)
    sorted = keepsFew ? Self.ensemble("sqlite.fullScanSteps", data) : nil
  }

  private static let steps = "sqlite.vmSteps"
  /// SQLite's steps for a row that a sort leaves out at once: it reads the row's sort key, compares
  /// it with the last one kept, and goes on.
  private static let leastStepsPerRow = 6.0

  /// Whether a counter does not grow with the store, but for the levels of indexes: by less than a
  /// tenth with each doubling in the upper half of the ladder.
  private static func isFixed(_ metric: String, _ data: LadderData) -> Bool {
    let values = data.rungs.compactMap { rung in
      rung.counters[metric].map { (size: rung.size, value: $0) }
    }
    let upper = values.suffix((values.count + 1) / 2)
    guard let first = upper.first, let last = upper.last, first.value > 0, last.size > first.size
    else { return false }
    return log(last.value / first.value) < log(1.1) * log2(last.size / first.size)
  }

  /// Counters repeat to the last digit: only the way in which one grows can be wrong.
  private static func ensemble(_ metric: String, _ data: LadderData) -> Ensemble? {
    // Work of a fixed number of steps cannot move pages in proportion to the store.
    if isFixed(steps, data) {
      return Ensemble(
        Family.fixedWork(metric, top: data.top),
        rungs: data.rungs,
        prior: ErrorGrowth.Prior(base: 0.02, perDoubling: 0.03),
        value: { $0.counters[metric] }
      )
    }
    // A smaller cache changes what is read, and nothing else in proportion.
    let isRead = metric == CounterLaw.pagesRead || metric == "vfs.readBytes"
    return Ensemble(
      Family.counter(metric),
      rungs: data.rungs,
      probes: isRead ? data.probes : [],
      prior: ErrorGrowth.Prior(base: 0.02, perDoubling: 0.03),
      value: { $0.counters[metric] }
    )
  }

  /// The counters that are above 0 on any size.
  package var counted: [Counter] {
    Self.counters.filter { counter in data.rungs.contains { $0.counters[counter.metric] ?? 0 > 0 } }
  }

  /// How a counter grows, in words: `straight line`; `nil` where that is not known.
  package func growth(of counter: Counter) -> String? {
    ensembles[counter.metric]?.members.first?.name
  }

  /// The predicted value of a counter with its 90 % interval, or why it cannot be known.
  package func predict(_ counter: Counter, objects: Double) -> Result<Interval, Refusal> {
    guard data.rungs.count >= LadderData.fewestRungs else {
      return .failure(.tooFewRungs(count: data.rungs.count))
    }
    guard objects <= data.top * Forecast.reach else {
      return .failure(.beyondLadder(top: Int(data.top)))
    }
    guard counted.contains(counter) else {
      return .success(Interval(value: 0, low: 0, high: 0))
    }
    guard let ensemble = ensembles[counter.metric] else { return .failure(.notMeasured) }
    if ensemble.misfit > 0.5 { return .failure(.poorFit(misfit: ensemble.misfit)) }
    let value = ensemble(objects)
    let reach =
      StudentT.quantile90(freedom: ensemble.growth.freedom)
      * ensemble.variance(at: objects).squareRoot()
    let found = Interval(value: value, low: value * exp(-reach), high: value * exp(reach))
    guard counter.metric == Self.steps, let sorted else { return .success(found) }
    // Among more rows, fewer are among the first ones when the sort meets them: steps for each row
    // fall from some size on, which no smaller store shows.
    let least = min(sorted(objects) * Self.leastStepsPerRow, found.low)
    return .success(
      Interval(value: (least * found.high).squareRoot(), low: least, high: found.high)
    )
  }

  /// The objects of a size; `nil` for bytes where no store's size was measured.
  package func objects(of size: StoreSize) -> Double? {
    let scale = SizeScale(shape: EntityShape(data.rungs)) { [stores] in
      stores?.objects(ofBytes: $0)
    }
    return scale.objects(of: size)
  }

  /// The bytes of a store of so many objects; `nil` where no store's size was measured.
  package func storeBytes(objects: Double) -> Double? { stores?(objects) }
}

extension Family {
  private static func counter(
    _ name: String,
    _ metric: String,
    _ terms: @escaping @Sendable ([Rung]) -> [[Term]]
  ) -> Family {
    Family(name: name) { rungs, probes in
      let points = (rungs + probes).compactMap { rung in
        rung.counters[metric].map {
          CurveFit.Point(size: rung.size, value: $0, cacheDivisor: Double(rung.cacheDivisor))
        }
      }
      let lists = terms(rungs + probes)
      return CurveFit(tolerance: 0.005).fit(points, anyOf: lists).map {
        SummedCurves(phases: [.init(name: name, curve: $0.curve)])
      }
    }
  }

  /// The ways in which a counter of a fixed number of lookups grows: with the levels of indexes, and
  /// until each lookup has a page of its own.
  ///
  /// Pages below it show little of the size where that is, so each size is an explanation of its own,
  /// from a fraction of the ladder's top to many times it.
  static func fixedWork(_ metric: String, top: Double) -> [Family] {
    let levels = counter("levels of indexes", metric) { _ in [[.constant, .logarithm]] }
    return [levels]
      + (-5...5).map { power in
        counter("a fixed number of lookups", metric) { _ in
          [1, 1.26, 1.59].map {
            [.constant, .logarithm, .saturating(reach: top * pow(2, Double(power)) * $0)]
          }
        }
      }
  }

  /// The ways in which a counter grows with the store.
  static func counter(_ metric: String) -> [Family] {
    func family(_ name: String, _ terms: @escaping @Sendable ([Rung]) -> [[Term]]) -> Family {
      counter(name, metric, terms)
    }
    @Sendable func bends(_ rungs: [Rung]) -> [Double] {
      // Beyond this not even the smallest cache is full at the top.
      let reach = rungs.map { Double($0.cacheDivisor) / 2 }.max() ?? 0.75
      return Term.bends(on: rungs.map(\.size).sorted(), step: 1.6, beyond: max(reach, 0.75))
    }
    return [
      family("straight line") { _ in [[.constant, .objects]] },
      family("n log n") { _ in [[.constant, .objects, .sorting]] },
      family("levels of indexes") { _ in [[.constant, .objects, .logarithm]] },
      family("misses beyond a bend") { rungs in
        bends(rungs).map { [.constant, .objects, .misses(bend: $0)] }
      },
      family("a fixed number of lookups") { rungs in
        bends(rungs).map { [.constant, .objects, .logarithm, .saturating(reach: $0)] }
      },
      family("filled once") { rungs in
        bends(rungs).map { [.constant, .objects, .filling(bend: $0)] }
      },
    ]
  }
}

import Basics
import Forecasting
import Foundation
import Runner

/// A registered forecast of a migration's time, memory or disk space, with the measured outcome.
struct RegisteredVerdict: LedgerRecord {
  static var columns: [LedgerColumn<Self>] {
    [
      .value("number", \.number), .value("ladder", \.ladder), .value("objects", \.objects),
      .exact("truth", \.truth), .exact("predicted", \.predicted), .exact("low", \.low),
      .exact("high", \.high), .exact("line", \.line), .exact("lineLow", \.lineLow),
      .exact("lineHigh", \.lineHigh), .value("refusal", \.refusal),
    ]
  }

  var number = 0
  var ladder = RegisteredCase.Ladder.full
  var objects = 0
  /// The measured outcome in seconds or bytes, as the median of the runs; 0 if the runs failed.
  var truth = 0.0
  /// The forecast, with `low` and `high` as its interval; 0 if the forecast was refused.
  var predicted = 0.0
  var low = 0.0
  var high = 0.0
  /// The prediction by a straight line through the ladder; `lineLow` and `lineHigh` are its
  /// interval.
  var line = 0.0
  var lineLow = 0.0
  var lineHigh = 0.0
  var refusal = ""
  var seconds: Double { 0 }

  var isJudged: Bool { truth > 0 && predicted > 0 }
  var isHeld: Bool { isJudged && (low...high).contains(truth) }
  var error: Double? { isJudged ? predicted / truth - 1 : nil }
  /// The half-width of the interval: √(high / low) − 1.
  var halfWidth: Double? { isJudged && low > 0 ? (high / low).squareRoot() - 1 : nil }

  private var interval: Interval { Interval(value: predicted, low: low, high: high) }
  private var lineInterval: Interval { Interval(value: line, low: lineLow, high: lineHigh) }

  var score: Double? { isJudged ? interval.score(of: truth) : nil }
  var lineScore: Double? { truth > 0 ? lineInterval.score(of: truth) : nil }
  var lineError: Double? { truth > 0 ? line / truth - 1 : nil }
  var isLineHeld: Bool { truth > 0 && (lineLow...lineHigh).contains(truth) }
}

extension RegisteredVerdict {
  /// Judges the forecast made from the sizes up to the ladder's top by the outcome of the largest
  /// size.
  static func all(
    _ resources: [Resource],
    of registered: RegisteredCase,
    _ kept: RegisteredObservations
  ) -> [RegisteredVerdict] {
    let top = Double(registered.ladder.top / kept.divisor) * 1.05
    let observations = kept.observations.filter { $0.size <= top }
    let learnt = LadderData(observations)
    let beyond = kept.observations.filter { $0.size > top }
    let truth = LadderData(beyond, pace: Pace([])).rungs.last
    let size = truth?.size ?? Double(registered.objects / kept.divisor)
    var forecast = Forecast(learnt, batchSize: kept.batchSize)
    forecast.memoryReturn = kept.memoryReturn
    // The first five draws were predicted up to a reach of 100. Their results led to a lower limit,
    // which all later draws respect.
    forecast.reach = 100
    return resources.map { resource in
      var verdict = RegisteredVerdict(
        number: registered.number,
        ladder: registered.ladder,
        objects: Int(size),
        truth: truth?.value(of: resource) ?? 0
      )
      let plain = observations.filter { $0.cacheDivisor == 1 }
      let line =
        resource == .time
        ? StraightLine(learnt)
        : StraightLine(
          plain.compactMap { run in run.peak(of: resource).map { (run.size, $0) } }
        )
      verdict.take(forecast.predict(resource, objects: size), line?.predict(objects: size))
      // A migration that reached its time limit is a miss for time, memory and disk space.
      if truth == nil { verdict.refusal = kept.failure ?? "the size was not measured" }
      verdict.refusal.removeAll { $0 == "\"" || $0.isNewline }
      return verdict
    }
  }

  private mutating func take(_ found: Result<Interval, NoForecast>, _ straight: Interval?) {
    switch found {
    case .success(let interval):
      (predicted, low, high) = (interval.value, interval.low, interval.high)
    case .failure(let refused): refusal = "\(refused)"
    }
    if let straight { (line, lineLow, lineHigh) = (straight.value, straight.low, straight.high) }
  }
}

extension Rung {
  fileprivate func value(of resource: Resource) -> Double? {
    switch resource {
    case .time: seconds
    case .memory: peakMemory
    case .disk: peakDisk
    }
  }
}

extension Observation {
  fileprivate func peak(of resource: Resource) -> Double? {
    switch resource {
    case .time: seconds
    case .memory: peakMemory
    case .disk: peakDisk
    }
  }
}

struct RegisteredReport {
  let cases: [RegisteredCase]
  let verdicts: [RegisteredVerdict]
  var resource = Resource.time

  static let table = TextTable(
    [
      .right("", 3), .left("workload", 22), .left("ladder", 6), .right("objects", 9),
      .right("error", 7), .right("±", 6), .left("held", 4), .right("score", 6),
      .right("line", 7), .right("score", 7),
    ],
    overflow: .widen
  )

  var lines: [String] { rows + [""] + summary }

  var rows: [String] {
    let word = resource.rawValue
    return [
      "Registered migrations: error of the \(word), half-width √(upper/lower) − 1, whether the 90 %",
      "interval held, its score as a share of the \(word); then a straight line's error and score.",
      Self.table.header,
    ] + cases.map(line)
  }

  private func line(_ registered: RegisteredCase) -> String {
    let name =
      registered.file.split(separator: "/").last.map { String($0.dropLast(5)) } ?? registered.file
    guard let verdict = verdicts.first(where: { $0.number == registered.number }) else {
      return Self.table.line([
        "\(registered.number)", name, registered.ladder.rawValue, registered.objects.grouped,
        "-", "-", "to do", "-", "-", "-",
      ])
    }
    func share(_ value: Double?) -> String {
      value.map { Figures.percent($0, decimals: 1) } ?? "-"
    }
    func plain(_ value: Double?) -> String {
      value.map { Figures.plain($0, decimals: 2) } ?? "-"
    }
    let held =
      verdict.isJudged ? (verdict.isHeld ? "yes" : "no") : (isMiss(verdict) ? "no" : "ref.")
    return Self.table.line([
      "\(registered.number)", name, registered.ladder.rawValue, verdict.objects.grouped,
      share(verdict.error), share(verdict.halfWidth), held, plain(verdict.score),
      share(verdict.lineError), plain(verdict.lineScore),
    ])
  }

  static func mean(_ scores: [Double]) -> String {
    Figures.plain(scores.reduce(0, +) / Double(max(scores.count, 1)), decimals: 2)
  }

  /// Whether a verdict is a miss; so is a refused forecast, unless its refusal was registered as
  /// expected.
  func isMiss(_ verdict: RegisteredVerdict) -> Bool {
    guard !verdict.isJudged else { return !verdict.isHeld }
    return cases.first { $0.number == verdict.number }?.isRefusalExpected != true
  }

  var summary: [String] {
    guard !verdicts.isEmpty else { return ["Nothing was measured yet."] }
    let held = verdicts.count { !isMiss($0) }
    let line = verdicts.count(where: \.isLineHeld)
    var lines = [
      "held: \(held) of \(verdicts.count), \(cases.count) registered (aim 24 to 30 of 30); "
        + "the line's: \(line)"
    ]
    for ladder in RegisteredCase.Ladder.allCases {
      let own = verdicts.filter { $0.ladder == ladder && $0.isJudged }
      guard !own.isEmpty else { continue }
      let factor = ladder == .quick ? 2.0 : 1
      let errors = own.compactMap(\.error).map { abs($0) }
      lines.append(
        "\(ladder.rawValue) ladder, \(own.count): median error "
          + "\(Figures.percent(errors.median, decimals: 1)) (aim \(Figures.percent(0.1 * factor, decimals: 0))), "
          + "median half-width \(Figures.percent(own.compactMap(\.halfWidth).median, decimals: 1)) "
          + "(aim \(Figures.percent(0.25 * factor, decimals: 0))); the line's error "
          + Figures.percent(own.compactMap(\.lineError).map { abs($0) }.median, decimals: 1)
      )
    }
    let scored = verdicts.filter(\.isJudged)
    lines.append(
      "mean interval score, smaller is better: forecast \(Self.mean(scored.compactMap(\.score))), "
        + "straight line \(Self.mean(scored.compactMap(\.lineScore)))"
    )
    return lines + refusals
  }

  var refusals: [String] {
    verdicts.sorted { $0.number < $1.number }.filter { !$0.refusal.isEmpty }
      .map { "\($0.number): \($0.refusal)" }
  }
}

extension LedgerColumn {
  /// A column that stores numbers with full precision.
  fileprivate static func exact(
    _ name: String,
    _ path: WritableKeyPath<Record, Double>
  ) -> LedgerColumn {
    .value(name, path)
  }
}

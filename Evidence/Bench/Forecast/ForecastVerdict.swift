import Basics
import Forecasting
import Foundation

/// A forecast compared with measurements of a larger store.
struct ForecastVerdict {
  let name: String
  let kind: ForecastBenchCase.Kind
  let objects: Double
  /// The relative error of the predicted time; `nil` without a prediction or measurement.
  ///
  /// `timeError` refers to times at the machine's usual speed on the ladder, `rawTimeError` to the
  /// times as measured.
  let timeError: Double?
  let rawTimeError: Double?
  let memoryError: Double?
  let diskError: Double?
  /// Whether the 90 % interval of the time contains the median of the runs; `runsHeld` has the
  /// answer for each run.
  let isHeld: Bool?
  let runsHeld: [Bool]
  let halfWidth: Double?
  /// The factor by which the interval must be scaled to just contain the median of the runs.
  let score: Double?
  let refusal: NoForecast?

  static func all(
    of outcome: LadderRun.Outcome,
    _ benchCase: ForecastBenchCase,
    top: Double
  ) -> [ForecastVerdict] {
    let learnt = LadderData(outcome.observations.filter { $0.size <= top * 1.05 })
    let forecast = Forecast(learnt, batchSize: outcome.batchSize)
    let beyond = outcome.observations.filter { $0.size > top * 1.05 }
    let truths = LadderData(beyond, pace: learnt.pace).rungs
    let raw = LadderData(beyond, pace: Pace([])).rungs
    return zip(truths, raw).map { ForecastVerdict(benchCase, forecast, truth: $0, raw: $1) }
  }

  private init(_ benchCase: ForecastBenchCase, _ forecast: Forecast, truth: Rung, raw: Rung) {
    func error(_ resource: Resource, _ measured: Double?) -> Double? {
      guard let measured, measured > 0,
        case .success(let interval) = forecast.predict(
          resource,
          objects: truth.size,
          bytes: truth.storeBytes
        )
      else { return nil }
      return interval.value / measured - 1
    }
    name = benchCase.name
    kind = benchCase.kind
    objects = truth.size
    timeError = error(.time, truth.seconds)
    rawTimeError = error(.time, raw.seconds)
    memoryError = error(.memory, truth.peakMemory)
    diskError = error(.disk, truth.peakDisk)
    switch forecast.predict(.time, objects: truth.size) {
    case .success(let interval):
      isHeld = interval.contains(truth.seconds)
      runsHeld = truth.runs.map { interval.contains($0) }
      halfWidth = interval.halfWidth
      score = abs(log(truth.seconds / interval.value)) / log(interval.high / interval.value)
      refusal = nil
    case .failure(let found):
      (isHeld, runsHeld, halfWidth, score, refusal) = (nil, [], nil, nil, found)
    }
  }

  static let table = TextTable(
    [
      .left("migration", 30), .right("objects", 9), .right("time", 6), .right("as run", 6),
      .right("held", 4), .right("±", 5), .right("memory", 6), .right("disk", 6),
    ],
    overflow: .widen
  )

  var line: String {
    func text(_ error: Double?) -> String { error.map { $0.percent } ?? "-" }
    let held = runsHeld.isEmpty ? "-" : "\(runsHeld.count { $0 })/\(runsHeld.count)"
    return Self.table.line([
      name, Int(objects).grouped, text(timeError), text(rawTimeError), held, text(halfWidth),
      text(memoryError), text(diskError),
    ])
  }

  struct Summary {
    let verdicts: [ForecastVerdict]

    var text: String {
      var lines = ["", "\(verdicts.count) predictions beyond the ladder, median errors:"]
      for kind in ForecastBenchCase.Kind.allCases {
        let own = verdicts.filter { $0.kind == kind }
        let aim = kind == .streaming ? "10 %" : "25 %"
        let errors = own.compactMap(\.timeError)
        lines.append(
          "  time, \(kind.rawValue): \(Self.median(errors)) of \(errors.count), aim \(aim); "
            + "\(Self.median(own.compactMap(\.rawTimeError))) as run"
        )
      }
      lines.append("  peak memory: \(Self.median(verdicts.compactMap(\.memoryError))), aim 10 %")
      lines.append("  peak disk: \(Self.median(verdicts.compactMap(\.diskError))), aim 3 %")
      lines.append("90 % intervals held, aim 82 to 97 %:")
      for (name, held) in [
        ("truths", verdicts.compactMap(\.isHeld)), ("runs", verdicts.flatMap(\.runsHeld)),
      ] {
        let share = Double(held.count { $0 }) / Double(max(held.count, 1))
        lines.append("  \(held.count { $0 }) of \(held.count) \(name) (\(share.percent))")
      }
      if let factor = Self.factor(verdicts) {
        let others = leftOut
        lines.append(
          "  intervals \(Figures.plain(factor, decimals: 2)) times as wide would hold nine of ten; "
            + "with factors fitted to the other cases, \(others.count { $0 }) of \(others.count)"
        )
      }
      let width = Self.median(verdicts.compactMap(\.halfWidth))
      lines.append("  median half-width \(width), aim 25 %")
      for refused in verdicts where refused.refusal != nil {
        lines.append("  refused: \(refused.name) at \(Int(refused.objects).grouped)")
      }
      return lines.joined(separator: "\n")
    }

    /// The verdicts as CSV rows; errors and widths are shares.
    var csv: String {
      let head =
        "case,kind,objects,timeError,timeErrorAsRun,memoryError,diskError,held,runsHeld,runs,halfWidth"
      func text(_ value: Double?) -> String { value.map { Figures.plain($0, decimals: 4) } ?? "" }
      let rows = verdicts.map { verdict in
        [
          "\"\(verdict.name)\"", verdict.kind.rawValue, "\(Int(verdict.objects))",
          text(verdict.timeError), text(verdict.rawTimeError), text(verdict.memoryError),
          text(verdict.diskError), verdict.isHeld.map { "\($0)" } ?? "",
          "\(verdict.runsHeld.count { $0 })", "\(verdict.runsHeld.count)", text(verdict.halfWidth),
        ].joined(separator: ",")
      }
      return ([head] + rows).joined(separator: "\n") + "\n"
    }

    /// The factor by which intervals must be scaled to contain the next outcome in nine of ten
    /// cases; `nil` if there are too few verdicts.
    private static func factor(_ verdicts: [ForecastVerdict]) -> Double? {
      let scores = verdicts.compactMap(\.score).sorted()
      // The rank follows conformal prediction (Vovk, Gammerman and Shafer 2005).
      let rank = Int((0.9 * Double(scores.count + 1)).rounded(.up)) - 1
      return scores.indices.contains(rank) ? scores[rank] : nil
    }

    /// For each verdict, whether the factor of all other cases is enough to contain the outcome.
    private var leftOut: [Bool] {
      verdicts.compactMap { verdict in
        let others = verdicts.filter { $0.name != verdict.name }
        guard let score = verdict.score, let factor = Self.factor(others) else { return nil }
        return score <= factor
      }
    }

    private static func median(_ errors: [Double]) -> String {
      errors.isEmpty ? "nothing" : errors.map { abs($0) }.median.percent
    }
  }
}

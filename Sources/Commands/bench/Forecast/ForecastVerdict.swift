import Basics
import Forecasting
import Foundation
import Ladder

/// One forecast held against what a larger store took.
struct ForecastVerdict {
  let name: String
  let kind: ForecastBenchCase.Kind
  let objects: Double
  /// Relative errors of the predictions, `nil` where nothing was measured; those of times at the
  /// ladder's usual pace, and as they were measured.
  let timeError: Double?
  let rawTimeError: Double?
  let memoryError: Double?
  let diskError: Double?
  /// Whether the 90 % interval held the truth, the median of the runs, and each single run.
  let isHeld: Bool?
  let runsHeld: [Bool]
  let halfWidth: Double?
  /// By what the interval's reach would have to be multiplied to hold just the truth.
  let score: Double?
  /// Why nothing was predicted.
  let refusal: Refusal?

  /// The verdicts of all sizes beyond a ladder's top.
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

  /// The heads of the columns of lines.
  static let heads =
    "migration                       objects  time   as run  held  ±    memory disk"

  /// One line of 80 columns.
  var line: String {
    func text(_ error: Double?) -> String { error.map { $0.percent } ?? "-" }
    let held = runsHeld.isEmpty ? "-" : "\(runsHeld.count { $0 })/\(runsHeld.count)"
    let cells = [
      (Int(objects).grouped, 10), (text(timeError), 7), (text(rawTimeError), 7), (held, 5),
      (text(halfWidth), 6), (text(memoryError), 7), (text(diskError), 7),
    ]
    return name.padding(toLength: 30, withPad: " ", startingAt: 0)
      + cells.map { String(repeating: " ", count: max(1, $1 - $0.count)) + $0 }.joined()
  }
}

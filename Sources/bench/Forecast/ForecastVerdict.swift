import Forecasting
import Foundation
import Ladder

/// One forecast held against what a larger store took.
struct ForecastVerdict {
  let name: String
  let kind: ForecastBenchCase.Kind
  let objects: Double
  /// Relative errors of the predictions, `nil` where nothing was measured.
  let timeError: Double?
  let memoryError: Double?
  let diskError: Double?
  /// Whether the 90 % interval held the time of each single run, and how wide it is.
  let runsHeld: [Bool]
  let halfWidth: Double?
  /// Why nothing was predicted.
  let refusal: Refusal?

  /// The verdicts of all sizes beyond a ladder's top.
  static func all(
    of outcome: LadderRun.Outcome,
    _ kind: ForecastBenchCase.Kind,
    top: Double
  ) -> [ForecastVerdict] {
    let learnt = LadderData(outcome.observations.filter { $0.size <= top * 1.05 })
    let forecast = Forecast(learnt)
    let truths = LadderData(outcome.observations.filter { $0.size > top * 1.05 })
    return truths.rungs.map { ForecastVerdict(outcome.name, kind, forecast, truth: $0) }
  }

  private init(
    _ name: String,
    _ kind: ForecastBenchCase.Kind,
    _ forecast: Forecast,
    truth: Rung
  ) {
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
    self.name = name
    self.kind = kind
    objects = truth.size
    timeError = error(.time, truth.seconds)
    memoryError = error(.memory, truth.peakMemory)
    diskError = error(.disk, truth.peakDisk)
    switch forecast.predict(.time, objects: truth.size) {
    case .success(let interval):
      (runsHeld, halfWidth, refusal) = (
        truth.runs.map { interval.contains($0) }, interval.halfWidth, nil
      )
    case .failure(let found): (runsHeld, halfWidth, refusal) = ([], nil, found)
    }
  }

  /// One line of 80 columns.
  var line: String {
    func text(_ error: Double?) -> String { error.map { $0.percent } ?? "-" }
    let held = runsHeld.isEmpty ? "-" : "\(runsHeld.count { $0 })/\(runsHeld.count)"
    let cells = [
      Int(objects).grouped, text(timeError), held, text(halfWidth), text(memoryError),
      text(diskError),
    ]
    let short = name.count > 30 ? "…" + name.suffix(29) : name
    return short.padding(toLength: 31, withPad: " ", startingAt: 0)
      + cells.map { String(repeating: " ", count: max(1, 9 - $0.count)) + $0 }.joined()
  }
}

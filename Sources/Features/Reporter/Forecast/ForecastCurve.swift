import Forecasting
import Foundation
import Runner

/// A forecast of time on a grid of sizes, evenly spaced by their logarithms: what a chart draws.
struct ForecastCurve {
  struct Point {
    let objects: Double
    let bands: TimeBands
  }

  let points: [Point]
  /// The largest size that was measured.
  let measuredTo: Double

  private static let count = 33

  /// From the smallest size that was measured, or a larger one of the population, to the largest size
  /// of interest; sizes without an answer are left out.
  init(_ forecast: Forecast, upTo largest: Double) {
    let smallest = forecast.data.rungs.first?.size ?? 1
    let highest = max(largest, forecast.data.top) * 1.25
    measuredTo = forecast.data.top
    guard smallest > 0, highest > smallest else {
      points = []
      return
    }
    let step = pow(highest / smallest, 1 / Double(Self.count - 1))
    points = (0..<Self.count).compactMap { index in
      let objects = (smallest * pow(step, Double(index))).rounded()
      return (try? forecast.timeBands(objects: objects).get()).map {
        Point(objects: objects, bands: $0)
      }
    }
  }
}

extension ForecastReport {
  /// The largest size that anything is asked of: that of the users, or of `--to`.
  func largestSize(of forecast: Forecast) -> Double {
    max(
      population?.largest ?? 0,
      sizes.compactMap { forecast.objects(of: $0) }.max() ?? 0,
      forecast.data.top
    )
  }
}

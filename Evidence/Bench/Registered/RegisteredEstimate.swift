import Basics
import Forecasting
import Foundation
import Runner

/// Estimates how long registered migrations (drawn before measuring, to judge forecasts) take,
/// from those already measured.
struct RegisteredEstimate {
  /// The median time per object of the largest store, in seconds, by workload file.
  private let perObject: [String: Double]
  /// The smallest number of objects for which a workload file's migration reached the time limit.
  private let timedOut: [String: Int]
  /// The total duration divided by the timed part; the total includes making and copying stores,
  /// checks, and reserving memory.
  private let factor: Double

  /// The time limit of a run, in seconds.
  private static let limit = 600.0

  init?(from folder: RegisteredFolder) throws {
    var rates: [String: [Double]] = [:]
    var outs: [String: Int] = [:]
    var clocked: [Double] = []
    var starts: [Date] = []
    for registered in try folder.draw.records() {
      guard let kept = try RegisteredObservations.read(registered.number, in: folder.path) else {
        continue
      }
      let largest = kept.observations.map(\.size).max() ?? 0
      if kept.failure == nil, largest > 0 {
        let runs = kept.observations.filter { $0.size > largest * 0.99 }
        let seconds: Double = runs.map(\.seconds).median
        rates[registered.file, default: []].append(seconds / largest)
      } else {
        outs[registered.file] = min(outs[registered.file] ?? .max, registered.objects)
      }
      clocked.append(
        kept.observations.reduce(0) { $0 + $1.seconds } + (kept.failure == nil ? 0 : Self.limit)
      )
      if let start = try? Date(kept.environment.startedAt, strategy: .iso8601) {
        starts.append(start)
      }
    }
    guard let first = starts.min(), let last = starts.max(), clocked.count == starts.count,
      clocked.count > 1
    else { return nil }
    perObject = rates.mapValues { rates -> Double in rates.median }
    timedOut = outs
    // The duration of the last migration is left out, because its end is unknown.
    factor = last.timeIntervalSince(first) / clocked.dropLast().reduce(0, +)
  }

  func seconds(of cases: [RegisteredCase]) -> Double {
    let usual: Double = Array(perObject.values).median
    let clocked = cases.map { registered -> Double in
      if let objects = timedOut[registered.file], registered.objects * 2 >= objects {
        return Self.limit
      }
      let design = RegisteredMeasurement.design(of: registered, divisor: 1)
      let objects = design.turns.reduce(0) { $0 + $1.objects }
      return Double(objects) * (perObject[registered.file] ?? usual)
    }
    return clocked.reduce(0, +) * factor
  }
}

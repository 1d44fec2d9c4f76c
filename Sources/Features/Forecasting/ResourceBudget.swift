import Basics
import Foundation
import Runner

/// A resource of a device that a migration uses.
package enum Resource: String, CaseIterable, Codable, Hashable, Sendable {
  case time
  case memory
  case disk
}

/// A limit on a resource.
package struct ResourceBudget: Hashable, Sendable {
  package let resource: Resource
  /// The limit in seconds or bytes.
  package let limit: Double
  /// The name of the limit, such as `white screen`; empty for a budget from the command line.
  package let name: String

  package init(_ resource: Resource, limit: Double, name: String = "") {
    (self.resource, self.limit, self.name) = (resource, limit, name)
  }

  /// The limits that users notice: a screen that stays white for 3 s, and iOS terminating the app
  /// after 20 s.
  package static let launch = [
    ResourceBudget(.time, limit: 3, name: "white screen"),
    ResourceBudget(.time, limit: 20, name: "watchdog"),
  ]
}

extension ResourceBudget {
  /// The budget in words, such as `20 s (watchdog)` or `200 MB of memory`.
  package var title: String {
    switch resource {
    case .time: name.isEmpty ? shortTitle : "\(shortTitle) (\(name))"
    case .memory: "\(bytes) of memory"
    case .disk: "\(bytes) of disk"
    }
  }

  /// A short form of the budget for column titles.
  package var shortTitle: String {
    switch resource {
    case .time: Figures.seconds(limit, .significant)
    case .memory: bytes
    case .disk: "\(bytes) disk"
    }
  }

  private var bytes: String { Figures.bytes(limit, .significant) }
}

/// A prediction with an interval that contains nine of ten outcomes.
package struct Interval: Hashable, Sendable {
  package let value: Double
  package let low: Double
  package let high: Double

  package init(value: Double, low: Double, high: Double) {
    (self.value, self.low, self.high) = (value, low, high)
  }

  /// Half the width of the interval, relative to the prediction.
  package var halfWidth: Double { value > 0 ? (high - low) / 2 / value : 0 }

  package func contains(_ outcome: Double) -> Bool { (low...high).contains(outcome) }
}

/// The reason why there is no prediction for a size.
package enum NoForecast: Error, Hashable, Sendable, CustomStringConvertible {
  case tooFewRungs(count: Int)
  case beyondLadder(top: Int, times: Int, isQuick: Bool)
  case pastBend(name: String, size: Int, top: Int)
  case poorFit(misfit: Double)
  case drifted(share: Double)
  case notMeasured

  /// The number of objects in the largest store that a full ladder can predict.
  ///
  /// A ladder is a series of runs on stores of increasing size.
  private static let fullReach = Int(Double(LadderDesign.fullTop) * LadderData.fullReach)

  package var description: String { words(for: 0, like: nil) }

  /// The reason in words, with advice for a store with the given number of objects.
  ///
  /// `like` is the path of the store on which the ladder's stores are modeled.
  func words(for objects: Double, like: String?) -> String {
    switch self {
    case .tooFewRungs(let count):
      "\(Figures.counted(count, "measured size")); a forecast needs \(LadderData.fewestRungs)"
    case .beyondLadder(_, _, let isQuick):
      cause + "; " + Self.wayBeyond(objects, isQuick: isQuick, like: like)
    case .pastBend(let name, let size, let top):
      "\(name) at about \(size.grouped) objects, but the largest measured size is \(top.grouped)"
    case .poorFit(let misfit):
      "no cost model fits the measurements: the best is \(misfit.percent) off; measure on a quieter "
        + "machine"
    case .drifted(let share):
      "the machine's speed drifted by \(share.percent) during the measurements; measure again"
    case .notMeasured: "it was not measured"
    }
  }

  /// The reason, without the advice that is given for stores that are too large for the ladder.
  var cause: String {
    guard case .beyondLadder(let top, let times, _) = self else { return description }
    return "the size is more than \(times) times the largest measured size, \(top.grouped) objects"
  }

  /// Whether a full ladder predicts stores with the given number of objects.
  static func isInFullReach(_ objects: Double) -> Bool { objects <= Double(fullReach) }

  /// Advice on how to measure the cost of a store that is too large for the ladder.
  private static func wayBeyond(_ objects: Double, isQuick: Bool, like: String?) -> String {
    if isQuick, isInFullReach(objects) {
      return "without '--ladder quick', \(fullReach.grouped) objects are in reach"
    }
    guard let like else {
      return "'objects' below 'store' in the workload file makes such a store, and "
        + "'storebench run' measures it"
    }
    let count = Int(min(objects.rounded(.up), 1e15))
    return "'storebench generate --like \(ShellWord.quoted(like)) --to \(count)' makes such a "
      + "store, and 'storebench run --store' measures it"
  }
}

/// A predicted time with three nested intervals.
package struct TimeBands: Hashable, Sendable {
  /// The percentage of outcomes that each interval contains, in ascending order.
  package static let shares = [50, 80, 90]

  package let value: Double
  /// The intervals, from the narrowest to the widest.
  package let intervals: [Interval]

  /// Derives narrower intervals from the interval that contains 90 of 100 outcomes, using the
  /// quantiles of Student's t distribution.
  init(_ whole: Interval, freedom: Double) {
    value = whole.value
    let widest = Self.quantile(of: 90, freedom)
    intervals = Self.shares.map { share in
      let part = Self.quantile(of: share, freedom) / widest
      return Interval(
        value: whole.value,
        low: whole.value * pow(whole.low / whole.value, part),
        high: whole.value * pow(whole.high / whole.value, part)
      )
    }
  }

  private static func quantile(of share: Int, _ freedom: Double) -> Double {
    StudentT(degrees: min(max(freedom.rounded(.down), 1), StudentT.normalDegrees))
      .upperQuantile((1 - Double(share) / 100) / 2)
  }
}

import ArgumentParser
import Basics
import Runner
import SQLite

/// How launches are killed.
struct KillOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Kill so many launches, half by SIGKILL and half by a loss of power; or one in each case "
        + "where a failure says: write:17, write:17:4711.",
      valueName: "kills"
    )
  )
  var kill: String?

  @Option(
    help: ArgumentHelp(
      "Kill each launch after this time and launch again, five times: 20s.",
      valueName: "time"
    )
  )
  var watchdog: String?

  var areAsked: Bool { kill != nil || watchdog != nil }

  /// Whether times are told: not where launches are killed at events.
  var needTimes: Bool { kill == nil }

  func validate() throws {
    if let kill, Self.choice(kill, seed: 0) == nil {
      throw ValidationError(
        "'--kill' must be a number from 1 to 1000000 or a point such as write:17, not '\(kill)'"
      )
    }
    if let watchdog, Self.seconds(watchdog) == nil {
      throw ValidationError("'--watchdog' must be a time such as 20s or 0.5s, not '\(watchdog)'")
    }
    if kill != nil, watchdog != nil {
      throw ValidationError("'--kill' and '--watchdog' are two questions: ask one at a time")
    }
  }

  /// The points of `--kill`.
  static func choice(_ text: String, seed: UInt64) -> KillChoice? {
    if let count = Int(text) {
      return (1...1_000_000).contains(count) ? .count(count, seed: seed) : nil
    }
    return KillPoint(text).map { .point($0) }
  }

  /// Seconds of a time from a millisecond to an hour.
  static func seconds(_ text: String) -> Double? {
    Quantity.seconds(text, in: 0.001...3600)
  }
}

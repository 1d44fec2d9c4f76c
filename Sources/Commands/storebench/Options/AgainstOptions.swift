import ArgumentParser
import Basics
import Measurement
import Runner

/// What a live comparison is told besides its files.
struct AgainstOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Compare with another side, live: a workload file or folder, pragma:cache_size=500, "
        + "model:FILE, set:batchSize=1, git:main, binary:FILE, sqlite:FILE.",
      valueName: "side"
    )
  )
  var against: String?

  @Option(
    help: ArgumentHelp("Time for a comparison of all cases: 90s, 10m, 2h.", valueName: "time")
  )
  var budget = "10m"

  @Option(
    help: ArgumentHelp(
      "The smallest change to be found, for 'unchanged'. (default: 2%)",
      valueName: "percent"
    )
  )
  var margin: String?

  @Option(
    help: ArgumentHelp(
      "A change smaller than this fails nothing. (default: 1%)",
      valueName: "percent"
    )
  )
  var floor: String?

  @Option(help: "Decides every coin of a comparison, and where launches are killed.")
  var seed: UInt64 = 1

  @Flag(help: "End with status 3 where a comparison cannot tell.")
  var requireVerdict = false

  func validate() throws {
    if Self.seconds(budget) == nil {
      throw ValidationError("'--budget' must be a time such as 90s, 10m or 2h, not '\(budget)'")
    }
    for (name, text) in [("margin", margin), ("floor", floor)] {
      if let text, Self.share(text) == nil {
        throw ValidationError("'--\(name)' must be from 0.1% to 50%, not '\(text)'")
      }
    }
    guard against == nil else { return }
    for (name, isSet) in [
      ("margin", margin != nil), ("floor", floor != nil), ("require-verdict", requireVerdict),
    ] where isSet {
      throw ValidationError("'--\(name)' is for a comparison: add '--against'")
    }
  }

  var budgetSeconds: Double { Self.seconds(budget) ?? 600 }

  var policy: LivePolicy {
    var policy = LivePolicy()
    policy.margin = margin.flatMap(Self.share) ?? policy.margin
    policy.floor = floor.flatMap(Self.share) ?? policy.floor
    return policy
  }

  /// Seconds of a time from 1 s to a week.
  static func seconds(_ text: String) -> Double? {
    Quantity.seconds(text, in: 1...604_800)
  }

  private static func share(_ text: String) -> Double? {
    Quantity.share(text, in: 0.001...0.5)
  }
}

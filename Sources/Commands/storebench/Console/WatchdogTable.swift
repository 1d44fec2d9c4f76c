import Basics
import Measurement
import Reporter
import Runner

/// What a watchdog lets come to an end, as a person reads it.
struct WatchdogTable {
  let cases: [WatchedCase]
  let seconds: Double
  /// Columns of the terminal.
  let width: Int

  var text: String {
    let limit = Figures.seconds(seconds)
    var lines = ["launches killed after \(limit), \(WatchdogRun.relaunches) relaunches"]
    for watched in cases {
      lines.append("")
      lines += TerminalText.wrapped(watched.id, to: width)
      lines += TerminalText.wrapped(sentence(of: watched), to: width - 2).map { "  " + $0 }
    }
    let isEstimated = cases.contains { if case .neverFinishes = $0.ending { true } else { false } }
    if isEstimated { lines += ["", Self.estimate] }
    return lines.joined(separator: "\n")
  }

  private static let estimate =
    "N by proportion: the objects of the store, times the limit, divided by the time\n"
    + "of one launch that nobody killed; 'storebench forecast --within' fits a curve"

  private func sentence(of watched: WatchedCase) -> String {
    let size = watched.objects.grouped + " objects"
    let time = watched.undisturbed.map { Figures.seconds($0) + " undisturbed" }
    return "\(size), \(time ?? "not timed"): \(ending(of: watched))"
  }

  private func ending(of watched: WatchedCase) -> String {
    switch watched.ending {
    case .finished(1): return "finishes in the first launch"
    case .finished(let launch): return "finishes in launch \(launch)"
    case .goesOn(let launches): return "not finished after \(launches) launches, each added to it"
    case .neverFinishes(let launches):
      guard let most = watched.objects(within: seconds) else {
        return "never finishes: \(launches) launches have kept nothing"
      }
      return "never finishes above \(most.grouped) objects: "
        + "\(launches) launches have kept nothing"
    case .failed(let cause): return "failed: \(cause)"
    }
  }
}

import Basics
import Measurement

/// What a self-test says of the machine, and what would help.
enum SelftestWords {
  static func judgement(of report: SelftestReport) -> (String, Ink) {
    switch report.judgement {
    case .good:
      return ("This machine keeps the promise, as far as this self-test can tell.", .green)
    case .tooNoisy(let seconds):
      return (
        "This machine is too noisy: to find a change of 2 % takes about "
          + "\(LiveWords.duration(seconds)) a case, not one minute.", .yellow
      )
    case .tooManyAlarms:
      return ("More false alarms than promised: this is a defect, please report it.", .red)
    case .missedPlanted:
      return ("A planted change of counters was not found, or counters did not repeat.", .red)
    case .failedCases: return ("Cases of the self-test failed, so that it shows nothing.", .red)
    case .unknown: return ("Too few comparisons to tell: give it more --minutes.", .yellow)
    }
  }

  static func advice(for report: SelftestReport) -> [String] {
    switch report.judgement {
    case .tooNoisy:
      [
        "What helps: stop other programs; give a virtual machine cores of its own; turn off "
          + "frequency scaling and power saving; compare longer cases, or with a larger --budget "
          + "and --margin."
      ]
    default: []
    }
  }

  static func noise(of report: SelftestReport) -> String {
    guard let scatter = report.scatter, let seconds = report.blockSeconds else { return "" }
    let search = [0.05, 0.02, 0.01].compactMap { change in
      report.secondsToFind(change: change).map {
        "\(LiveWords.level(change)) in \(LiveWords.duration($0))"
      }
    }
    return "Blocks of \(Int((seconds * 1000).rounded())) ms scatter by "
      + "\(LiveWords.percent(scatter)); at this, four of five changes would be found: "
      + search.joined(separator: ", ") + ". Where nothing changed, a suite of "
      + "\(report.casesPerSuite) raises an alarm with a probability of at most "
      + "\(LiveWords.level(report.suiteLevel)), whatever the noise; few suites can show that "
      + "only within the bounds above: --hours tightens them."
  }
}

import Basics
import Compare
import Runner

/// A self-test as a person reads it: rates with their bounds, then what they mean.
package struct SelftestTable: Sendable {
  /// Whether escape sequences may colour the text.
  package var isColoured: Bool
  /// Columns of the terminal, at least 60.
  package var width: Int

  package init(isColoured: Bool = false, width: Int = 80) {
    self.isColoured = isColoured
    self.width = max(width, 60)
  }

  /// The whole table.
  package func text(of report: SelftestReport) -> String {
    var lines: [String] = headline(of: report) + [""]
    lines += times(of: report) + [""]
    lines += counters(of: report)
    lines += failures(of: report)
    lines += [""] + closing(of: report)
    return lines.map { $0 + "\n" }.joined()
  }

  private var palette: Palette { Palette(isColoured: isColoured) }

  private func headline(of report: SelftestReport) -> [String] {
    let title = wrapped("Self-test of live comparisons", ink: .bold)
    guard let environment = report.environment else { return title }
    let duration = Figures.minutes(report.seconds)
    return title + Headline.brief(environment, and: [duration], width: width)
  }

  // MARK: Times

  private func times(of report: SelftestReport) -> [String] {
    let head = row("the time of a case", "changed", "of", "rate, 95 % bounds", "each", ink: .faint)
    let suites = row(
      "equal on both sides, suites of \(report.casesPerSuite)",
      "\(report.suitesWithAlarm)",
      "\(report.suites)",
      rate(report.suitesWithAlarm, of: report.suites),
      each(report.null.seconds, report.suites),
      ink: report.suitesWithAlarm == 0 ? .plain : .yellow
    )
    let cases = row(
      "equal on both sides, cases",
      "\(report.null.changed)",
      "\(report.null.count)",
      rate(report.null.changed, of: report.null.count),
      each(report.null.seconds, report.null.count),
      ink: report.null.changed == 0 ? .plain : .yellow
    )
    let slowed = report.slowed.map { tries in
      row(
        "\(LiveWords.level(tries.planted)) more time on one side",
        "\(tries.changed)",
        "\(tries.count)",
        rate(tries.changed, of: tries.count),
        each(tries.seconds, tries.count)
      )
    }
    return [head, suites, cases] + slowed
  }

  private func rate(_ hits: Int, of tries: Int) -> String {
    guard tries > 0 else { return "–" }
    let bounds = RateInterval(hits: hits, of: tries)
    let percent = { (share: Double) in Figures.fixed(share * 100, decimals: share < 0.1 ? 1 : 0) }
    return "\(percent(bounds.lower)) to \(percent(bounds.upper)) %"
  }

  private func each(_ seconds: Double, _ count: Int) -> String {
    count == 0 ? "–" : Figures.fixed(seconds / Double(count), decimals: 1) + " s"
  }

  private func row(
    _ name: String,
    _ changed: String,
    _ count: String,
    _ rate: String,
    _ each: String,
    ink: Ink = .plain
  ) -> String {
    let table = TextTable(
      [.left("", width - 44), .right("", 8), .right("", 5), .right("", 18), .right("", 7)],
      margin: 2
    )
    return palette.paint(table.line([name, changed, count, rate, each]), ink)
  }

  // MARK: Counters

  private func counters(of report: SelftestReport) -> [String] {
    let found = report.planted.filter(\.isFound).count
    let title = "  injected in the work, found by counters: \(found) of "
    return [palette.paint(title + "\(report.planted.count) found", .faint)]
      + report.planted.flatMap(lines)
  }

  private func lines(of planted: SelftestReport.Planted) -> [String] {
    palette.wrapped(planted.words, to: width - 2, indent: 2)
      + palette.wrapped(
        finding(of: planted),
        to: width,
        indent: 4,
        ink: planted.isFound && planted.repeats ? .plain : .red
      )
  }

  private func finding(of planted: SelftestReport.Planted) -> String {
    if let failure = planted.failure { return "FAILED: \(failure)" }
    guard let metric = planted.metric else { return "NOT FOUND: no exact cost rose" }
    let values = [planted.base, planted.head].map { Figures.grouped($0) }
    let repeats = planted.repeats ? "" : "; but two runs of the base DIFFER"
    return "found: \(metric.name) \(values[0]) → \(values[1])\(repeats)"
  }

  private func failures(of report: SelftestReport) -> [String] {
    report.failures.flatMap {
      palette.wrapped("FAILED: \($0)", to: width, indent: 2, ink: .red)
    }
  }

  // MARK: Closing

  private func closing(of report: SelftestReport) -> [String] {
    let (text, ink) = Words.judgement(of: report)
    return wrapped(text, ink: ink) + Words.advice(for: report).flatMap { wrapped($0) }
      + wrapped(Words.noise(of: report), ink: .faint)
  }

  private func wrapped(_ text: String, ink: Ink = .plain) -> [String] {
    palette.wrapped(text, to: width, ink: ink)
  }

  /// What a self-test says of the machine, and what would help.
  enum Words {
    static func judgement(of report: SelftestReport) -> (String, Ink) {
      switch report.judgement {
      case .good:
        return (
          "The false-positive rate on this machine is within specification in this self-test.",
          .green
        )
      case .tooNoisy(let seconds):
        return (
          "This machine is too noisy: finding a change of 2 % takes about "
            + "\(Figures.minutes(seconds)) per case, not one minute.", .yellow
        )
      case .tooManyAlarms:
        return ("More false alarms than specified: this is a defect, please report it.", .red)
      case .missedPlanted:
        return ("An injected change of counters was not found, or counters did not repeat.", .red)
      case .failedCases: return ("Cases of the self-test failed, so it shows nothing.", .red)
      case .unknown: return ("Too few comparisons: use more --minutes.", .yellow)
      }
    }

    static func advice(for report: SelftestReport) -> [String] {
      switch report.judgement {
      case .tooNoisy:
        [
          "What helps: stop other programs; give a virtual machine dedicated cores; turn off "
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
          "\(LiveWords.level(change)) in \(Figures.minutes($0))"
        }
      }
      return "Blocks of \(Int((seconds * 1000).rounded())) ms vary by \(Figures.percent(scatter)); "
        + "with this variation, four of five changes would be found: "
        + search.joined(separator: ", ") + ". If nothing changed, a suite of "
        + "\(report.casesPerSuite) cases raises an alarm with a probability of at most "
        + "\(LiveWords.level(report.suiteLevel)), whatever the noise. So few suites can confirm "
        + "this only within the bounds above: a longer run (--hours) narrows them."
    }
  }
}

import Basics
import Compare
import Runner

/// The results of a self-test as text: rates with their bounds, and an interpretation.
struct SelftestTable {
  /// The width of the table in columns, at least 60.
  let width: Int

  init(width: Int = 80) {
    self.width = max(width, 60)
  }

  func text(of report: SelftestReport) -> String {
    let lines =
      headline(of: report) + [""] + times(of: report) + [""] + counters(of: report)
      + report.failures.flatMap { indented("FAILED: \($0)", by: 2) } + [""] + closing(of: report)
    return lines.map { $0 + "\n" }.joined()
  }

  private func indented(_ text: String, by indent: Int) -> [String] {
    TerminalText.wrapped(text, to: width - indent).map { .blanks(indent) + $0 }
  }

  private func headline(of report: SelftestReport) -> [String] {
    let title = "Self-test of live comparisons"
    guard let environment = report.environment else { return [title] }
    let facts = [
      environment.startedAt, "\(environment.build) build", environment.machine,
      "\(environment.cores) cores", "SQLite \(environment.sqliteVersion)",
      Figures.minutes(report.seconds),
    ]
    return [title] + TerminalText.lines(of: facts, separator: " · ", to: width)
  }

  // MARK: Times

  private func times(of report: SelftestReport) -> [String] {
    let table = TextTable(
      [
        .left("the time of a case", width - 44), .right("changed", 8), .right("of", 5),
        .right("rate, 95 % bounds", 18), .right("each", 7),
      ],
      margin: 2
    )
    func row(_ name: String, _ changed: Int, of count: Int, seconds: Double) -> String {
      table.line([
        name, "\(changed)", "\(count)", rate(changed, of: count), each(seconds, count),
      ])
    }
    let null = report.null
    return [
      table.header,
      row(
        "equal on both sides, suites of \(report.casesPerSuite)",
        report.suitesWithAlarm,
        of: report.suites,
        seconds: null.seconds
      ),
      row("equal on both sides, cases", null.changed, of: null.count, seconds: null.seconds),
    ]
      + report.slowed.map { tries in
        row(
          "\(share(tries.planted)) more time on one side",
          tries.changed,
          of: tries.count,
          seconds: tries.seconds
        )
      }
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

  private func share(_ value: Double) -> String { Figures.significant(value * 100) + " %" }

  // MARK: Counters

  private func counters(of report: SelftestReport) -> [String] {
    let found = report.planted.count(where: \.isFound)
    let title = "  injected in the work, found by counters: \(found) of "
    return [title + "\(report.planted.count) found"]
      + report.planted.flatMap { planted in
        indented(planted.words, by: 2) + indented(finding(of: planted), by: 4)
      }
  }

  private func finding(of planted: SelftestReport.Planted) -> String {
    if let failure = planted.failure { return "FAILED: \(failure)" }
    guard let metric = planted.metric else { return "NOT FOUND: no exact cost rose" }
    let values = [planted.base, planted.head].map { Figures.grouped($0) }
    let repeats = planted.repeats ? "" : "; but two runs of the base DIFFER"
    return "found: \(metric.name) \(values[0]) → \(values[1])\(repeats)"
  }

  // MARK: Closing

  private func closing(of report: SelftestReport) -> [String] {
    [judgement(of: report), noise(of: report)].flatMap { TerminalText.wrapped($0, to: width) }
  }

  private func judgement(of report: SelftestReport) -> String {
    switch report.judgement {
    case .good:
      "The false-positive rate on this machine is within specification in this self-test."
    case .tooNoisy(let seconds):
      "This machine is too noisy: finding a change of 2 % takes about "
        + "\(Figures.minutes(seconds)) per case, not one minute. What helps: stop other programs; "
        + "give a virtual machine dedicated cores; turn off frequency scaling and power saving; "
        + "compare longer cases, or with a larger --budget and --margin."
    case .tooManyAlarms: "More false alarms than specified: this is a defect, please report it."
    case .missedPlanted:
      "An injected change of counters was not found, or counters did not repeat."
    case .failedCases: "Cases of the self-test failed, so it shows nothing."
    case .unknown: "Too few comparisons: use more --minutes."
    }
  }

  private func noise(of report: SelftestReport) -> String {
    guard let scatter = report.scatter, let seconds = report.blockSeconds else { return "" }
    let search = [0.05, 0.02, 0.01].compactMap { change in
      report.secondsToFind(change: change).map { "\(share(change)) in \(Figures.minutes($0))" }
    }
    return "Blocks of \(Int((seconds * 1000).rounded())) ms vary by \(Figures.percent(scatter)); "
      + "with this variation, four of five changes would be found: "
      + search.joined(separator: ", ") + ". If nothing changed, a suite of "
      + "\(report.casesPerSuite) cases raises an alarm with a probability of at most "
      + "\(share(report.suiteLevel)), whatever the noise. So few suites can confirm "
      + "this only within the bounds above: a longer run narrows them."
  }
}

import Basics
import Measurement

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
    let duration = LiveWords.duration(report.seconds)
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
    let figures = [(changed, 9), (count, 6), (rate, 19), (each, 8)].map { text, width in
      String(repeating: " ", count: max(width - TerminalText.width(text), 1)) + text
    }.joined()
    let room = width - 42 - 2
    let name = TerminalText.shortened(TerminalText.plain(name), to: room)
    let padding = String(repeating: " ", count: room - TerminalText.width(name))
    return palette.paint("  \(name)\(padding)\(figures)", ink)
  }

  // MARK: Counters

  private func counters(of report: SelftestReport) -> [String] {
    let found = report.planted.filter(\.isFound).count
    let title = "  planted in the work, looked for by counters: \(found) of "
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
    let (text, ink) = SelftestWords.judgement(of: report)
    return wrapped(text, ink: ink) + SelftestWords.advice(for: report).flatMap { wrapped($0) }
      + wrapped(SelftestWords.noise(of: report), ink: .faint)
  }

  private func wrapped(_ text: String, ink: Ink = .plain) -> [String] {
    palette.wrapped(text, to: width, ink: ink)
  }
}

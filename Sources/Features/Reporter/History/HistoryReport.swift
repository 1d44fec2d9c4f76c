import Basics
import Compare
import Runner

/// A history for readers: exact steps with their commits first, then times by environment.
package struct HistoryReport {
  private let history: History
  private let filter: (String) -> Bool

  /// A report of the cases that a filter takes.
  package init(_ history: History, filter: @escaping (String) -> Bool = { _ in true }) {
    (self.history, self.filter) = (history, filter)
  }

  /// For a terminal.
  package func text(width: Int) -> String { report(width: width).text }

  /// A page with the same content.
  package var html: String {
    TextPage(
      title: "History of \(Figures.counted(history.commits.count, "commit"))",
      kicker: "StoreBench history",
      made: "the history's files",
      [report(width: 100)]
    ).page.html
  }

  private func report(width: Int) -> ReportText {
    var report = ReportText(width: width)
    let commits = Figures.counted(history.commits.count, "commit")
    let days = [history.lines.first, history.lines.last].compactMap { $0?.startedAt.prefix(10) }
    report.heading("History of \(commits)")
    report.paragraph(days.isEmpty ? "no result" : days.joined(separator: " to "))
    addSteps(to: &report)
    addTimes(to: &report)
    return report
  }

  private func addSteps(to report: inout ReportText) {
    let steps = history.steps.filter { filter($0.series.caseID) }
    report.heading("EXACT COUNTERS: \(Figures.counted(steps.count, "change"))")
    if steps.isEmpty { report.paragraph("No counter differs between the commits.") }
    var last = ""
    for step in steps {
      let change =
        "\(step.after.commit) (\(step.after.startedAt.prefix(10))), after \(step.before.commit)"
      if change != last { report.paragraph(change) }
      last = change
      report.paragraph(
        "\(step.series.caseID): \(step.series.metric) \(text(step.before)) → \(text(step.after))"
          + percent(step.before.value, step.after.value),
        indent: 4,
        mark: "- "
      )
    }
  }

  private func addTimes(to report: inout ReportText) {
    let times = history.times.filter { filter($0.series.caseID) }
    for environment in Set(times.map(\.series.environment)).sorted() {
      let series = times.filter { $0.series.environment == environment }
      let quiet = series.count { $0.verdicts == [.noChange] }
      report.heading("TIMES: \(series.count) series, \(quiet) without a change")
      report.paragraph(environment)
      for series in series where series.verdicts != [.noChange] { add(series, to: &report) }
    }
  }

  private func add(_ series: History.TimeSeries, to report: inout ReportText) {
    let name = "\(series.series.caseID): \(series.series.metric)"
    for verdict in series.verdicts {
      switch verdict {
      case .noChange: break
      case .change(let place, let ratio, let alarm):
        let (after, before) = (series.points[place], series.points[place - 1])
        let words = ratio > 1 ? "rose" : "fell"
        report.paragraph(
          "\(name) \(words)\(percent(1, ratio)), probably at \(after.commit) (the one before: "
            + "\(before.commit)); detected at \(series.points[alarm].commit)",
          mark: "- "
        )
      case .autocorrelated(let correlation):
        let share = Int((correlation * 100).rounded())
        report.paragraph(
          "\(name): cannot tell: values of neighboring commits are correlated (autocorrelation "
            + "0.\(share < 10 ? "0" : "")\(min(share, 99))), which can also come from the "
            + "machine. To decide:",
          mark: "- "
        )
        report.command(command(series), indent: 4)
      case .tooFew(let count):
        report.paragraph(
          "\(name): cannot tell: it changed within \(count) commits, but \(ChangePointTest.fewest) "
            + "are needed to exclude the machine as the cause. To decide:",
          mark: "- "
        )
        report.command(command(series), indent: 4)
      }
    }
  }

  /// The live comparison of the present state with the commit before the likeliest change.
  private func command(_ series: History.TimeSeries) -> String {
    let place = ChangePointTest.split(series.points.map(\.value))
    let commit = series.points[max(place - 1, 0)].commit
    return "storebench compare-live Workloads/\(series.series.workload).yaml"
      + " --filter \(ShellWord.quoted(series.series.caseID)) --against git:\(ShellWord.quoted(commit))"
  }

  private func text(_ line: HistoryLine) -> String {
    line.series.unit.text(line.value, .significant)
  }

  private func percent(_ before: Double, _ after: Double) -> String {
    guard before > 0 else { return "" }
    let share = (after / before - 1) * 100
    let digits = abs(share) < 10 ? (share * 10).rounded() / 10 : share.rounded()
    return " (\(share > 0 ? "+" : "−")\(abs(digits).shortest) %)"
  }
}

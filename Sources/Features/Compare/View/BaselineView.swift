import Basics
import Reporting
import Runner

extension BaselineDifference {
  /// A report of the changes in a new baseline: changed properties and costs, and added or removed
  /// cases.
  package var report: Report {
    var report = Report(kind: "baseline", title: Report.Text(summary), source: "the result")
    let costs = Report.Table(
      "",
      [.init("Metric")] + ["Old", "New", "Change"].map { Report.Column($0, .number) }
        + [.init("Case", .code)],
      rows: changes.prefix(Self.mostListed).map { change in
        [
          .text(change.metric.name), .text(Figures.grouped(change.old)),
          .text(Figures.grouped(change.new)), .text(change.share), .text(change.caseID),
        ]
      }
    )
    report.sections = [
      Self.section("Changed facts", facts.map { "\($0.change)" }),
      .init("Changed costs", changes.isEmpty ? [] : [.table(costs)] + Self.rest(of: changes.count)),
      Self.section("New", new.map(\.text)), Self.section("Gone", gone.map(\.text)),
    ].filter { !$0.blocks.isEmpty }
    return report
  }

  private static var mostListed: Int { 100 }

  private static func section(_ title: String, _ lines: [Report.Text]) -> Report.Section {
    let list = Report.Block.list(Array(lines.prefix(mostListed)))
    return .init(title, lines.isEmpty ? [] : [list] + rest(of: lines.count))
  }

  private static func rest(of count: Int) -> [Report.Block] {
    count > mostListed ? [.note("and \(count - mostListed) more: the file has them all")] : []
  }

  private var summary: String {
    guard !isEmpty else { return "nothing changed: \(Figures.counted(count, "cost"))" }
    let higher = changes.count { $0.new > $0.old }
    let new = new.reduce(0) { $0 + $1.metrics.count }
    let gone = gone.reduce(0) { $0 + $1.metrics.count }
    return "\(Figures.counted(count, "cost")): \(higher) higher, \(changes.count - higher) lower, "
      + "\(new) new; \(gone) gone"
  }
}

extension BaselineDifference.Part {
  fileprivate var text: Report.Text {
    let costs = Figures.counted(metrics.count, "cost")
    return "\(caseID): \(isWholeCase ? costs : metrics.joined(separator: ", "))"
  }
}

extension BaselineDifference.Change {
  /// The relative change, such as `+3.30 %`; empty if the old value is zero.
  fileprivate var share: String {
    guard old > 0 else { return "" }
    return (new > old ? "+" : "−") + Figures.percent(abs(new - old) / old, decimals: 2)
  }
}

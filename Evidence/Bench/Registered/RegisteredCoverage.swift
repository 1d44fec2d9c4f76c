import Basics
import Forecasting
import Foundation
import Runner

/// Shows how often the predicted intervals contain the outcome, by ladder and reach.
///
/// The intervals are those of time, memory and disk space. The registered aims are printed next to
/// the results.
struct RegisteredCoverage {
  private let reports: [RegisteredReport]

  init(_ reports: [RegisteredReport]) { self.reports = reports }

  private struct Aim {
    let error: Double
    let halfWidth: Double
    /// The target share of intervals that contain the outcome: of all migrations, and of those with
    /// a reach of ``RegisteredCase/far`` or more.
    static let (held, farHeld) = (24.0 / 30, 11.0 / 15)

    init(of resource: Resource) {
      switch resource {
      case .time: (error, halfWidth) = (0.15, 0.3)
      case .memory: (error, halfWidth) = (0.1, 0.15)
      case .disk: (error, halfWidth) = (0.05, 0.1)
      }
    }
  }

  private static let reaches = ["< \(RegisteredCase.far)", "≥ \(RegisteredCase.far)"]

  private static let table = TextTable(columns, overflow: .widen)

  private static var columns: [TextTable.Column] {
    let parts = RegisteredCase.Ladder.allCases.flatMap { ladder in
      reaches.map { "\(ladder) \($0)" }
    }
    let titles = parts + ["all", reaches[1]]
    return [TextTable.Column.left("held", 8)] + titles.map { TextTable.Column.right($0, 10) }
  }

  var lines: [String] {
    ["Intervals that held, by the ladder and by how many times its top the store is:"]
      + [Self.table.header] + reports.map(row) + [""] + reports.flatMap(summary)
  }

  private func row(_ report: RegisteredReport) -> String {
    var parts: [(held: Int, all: Int)] = []
    for ladder in RegisteredCase.Ladder.allCases {
      for isFar in [false, true] {
        parts.append(held(report) { $0.ladder == ladder && $0.isFar == isFar })
      }
    }
    parts += [held(report) { _ in true }, held(report) { $0.isFar }]
    let cells = parts.map { "\($0.held) of \($0.all)" }
    return Self.table.line([report.resource.rawValue] + cells)
  }

  private func held(
    _ report: RegisteredReport,
    where isMeant: (RegisteredCase) -> Bool
  ) -> (held: Int, all: Int) {
    let numbers = Set(report.cases.filter(isMeant).map(\.number))
    let own = report.verdicts.filter { numbers.contains($0.number) }
    return (own.count { !report.isMiss($0) }, own.count)
  }

  /// Returns each aim with its result; a missing prediction or outcome counts as an infinite error.
  private func summary(_ report: RegisteredReport) -> [String] {
    let verdicts = report.verdicts
    guard !verdicts.isEmpty else { return ["\(report.resource): nothing was measured yet."] }
    let aim = Aim(of: report.resource)
    let error: Double = verdicts.map { verdict in verdict.error.map { abs($0) } ?? .infinity }
      .median
    let halfWidth: Double = verdicts.map { $0.halfWidth ?? .infinity }.median
    let all = held(report) { _ in true }
    let far = held(report) { $0.isFar }
    let scored = verdicts.filter(\.isJudged)
    let (own, line) = (scored.compactMap(\.score), scored.compactMap(\.lineScore))
    func met(_ isMet: Bool) -> String { isMet ? "met" : "missed" }
    func share(_ value: Double) -> String {
      value.isFinite ? Figures.percent(value, decimals: 1) : "infinite"
    }
    func text(_ held: (held: Int, all: Int), _ aim: Double) -> String {
      let least = Int((aim * Double(held.all) - 1e-9).rounded(.up))
      return "\(held.held) of \(held.all) (aim \(least)): \(met(held.held >= least))"
    }
    return [
      "\(report.resource), \(verdicts.count) of \(report.cases.count) measured",
      "  held \(text(all, Aim.held)); at \(RegisteredCase.far) times the top or more "
        + text(far, Aim.farHeld),
      "  median error \(share(error)) (aim \(share(aim.error))): \(met(error <= aim.error)); "
        + "median half-width \(share(halfWidth)) (aim \(share(aim.halfWidth))): "
        + met(halfWidth <= aim.halfWidth),
      "  mean interval score of \(scored.count): \(RegisteredReport.mean(own)), the straight line's "
        + "\(RegisteredReport.mean(line)): "
        + met(own.reduce(0, +) < line.reduce(0, +)),
    ] + report.refusals.map { "  " + $0 }
  }
}

import Basics
import Foundation
import Reporting
import Runner
import TestSupport
import Testing
import WorkloadKinds

@testable import Forecasting
@testable import StoreBenchCommand

/// The transcripts of README and Evidence/docs/blobs.md, rendered again from the results that
/// `Evidence/scripts/tour` keeps below Evidence/Results/tour.
struct TourTests {
  private func path(_ name: String) -> String { Repository.path("Evidence/Results/tour/" + name) }

  private func printed(_ arguments: [String]) -> String {
    let console = RecordingConsole()
    _ = Storebench.run(arguments, on: console.console)
    return console.output
  }

  /// The lines of a stored transcript, which must be lines of a report in that order.
  private func check(_ name: String, opens report: String) throws {
    let stored = try String(contentsOfFile: path(name), encoding: .utf8)
    #expect(report.hasPrefix(stored), "\(name) is not how the report begins:\n\(report)")
    #expect(stored.split(separator: "\n").count >= 4)
  }

  @Test func `how long users wait at the first launch`() throws {
    let report = try Self.forecast(in: path("forecast"))
    try check("forecast.txt", opens: report.report(explains: false).text(width: 80))
  }

  @Test func `what a pull request with one more index costs`() throws {
    let arguments = ["before", "after"].map { path("compare/\($0).json.gz") }
    try check("compare.txt", opens: printed(["compare"] + arguments))
  }

  @Test func `from which size on a blob should be a file`() throws {
    let report = printed(["report", path("blobs/result.json.gz")])
    try check("blobs.txt", opens: report)
    let table = try String(contentsOfFile: path("blobs-table.txt"), encoding: .utf8)
    #expect(report.contains(table), "\(report)")
  }

  /// The answer from a kept ladder: a file for each strategy, in the order of the plan.
  private static func forecast(in folder: String) throws -> ForecastReport {
    let workload = Repository.path("Workloads/main/migration.yaml")
    let plan = try Plan(paths: [workload], kinds: WorkloadCatalog.kinds)
    let cases = try LadderCase.all(of: plan, like: nil)
    let outcomes = cases.enumerated().map { index, planned in
      let file = LadderFile(path: "\(folder)/\(index + 1).json", design: .quick())
      return LadderRun.Outcome(planned, observations: file.observations, failure: nil)
    }
    #expect(outcomes.allSatisfy { !$0.observations.isEmpty })
    let store = try #require(cases.first).store
    let users = folder + "/users.csv"
    let population = try PopulationFile(
      csv: try String(contentsOfFile: users, encoding: .utf8),
      path: users,
      shape: EntityShape(
        smaller: try store.counts(objects: 10_000),
        larger: try store.counts(objects: 100_000)
      )
    )
    return ForecastReport(
      workload: "main/migration",
      environment: .example,
      outcomes: outcomes,
      questions: ForecastQuestions(population: population)
    )
  }
}

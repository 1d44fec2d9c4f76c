import Basics
import Foundation
import Reporting
import Runner
import TestSupport
import Testing
import WorkloadKinds

@testable import Forecasting
@testable import StoreBenchCommand

/// Tests that the transcripts in README and Evidence/docs/blobs.md match the results that
/// `Evidence/scripts/tour` stored under Evidence/Results/tour.
struct TourTests {
  private func path(_ name: String) -> String { Repository.path("Evidence/Results/tour/" + name) }

  /// The output of each command, cached because several tests read the same page.
  private static let outputs = Memo<[String], String>()

  private func printed(_ arguments: [String]) -> String {
    Self.outputs.value(of: arguments) {
      let console = RecordingConsole()
      _ = Storebench.run(arguments, on: console.console)
      return console.output
    }
  }

  /// Checks that a report begins with a stored transcript of at least four lines.
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

  @Test func `what the main job says first`() throws {
    try check("main.txt", opens: printed(["report", path("main/result.json.gz")]))
  }

  @Test func `from which size on a blob should be a file`() throws {
    let report = printed(["report", path("blobs/result.json.gz")])
    for name in ["blobs.txt", "blobs-table.txt"] {
      let part = try String(contentsOfFile: path(name), encoding: .utf8)
      #expect(part.split(separator: "\n").count >= 4 && report.contains(part), "\(report)")
    }
    try check("blobs-cold.txt", opens: printed(["report", path("blobs/cold.json.gz")]))
  }

  /// Three lines are allowed for the time and the paths that only `run` prints.
  @Test func `the main job prints at most 45 lines, and tables of six columns in 78 characters`() {
    let lines = printed(["report", path("main/result.json.gz")]).split(
      separator: "\n",
      omittingEmptySubsequences: false
    )
    // The last element is the empty text after the final newline.
    #expect(lines.last == "" && lines.count - 1 <= 42, "\(lines.joined(separator: "\n"))")
    #expect(lines.filter { $0.hasPrefix("main/") }.count == 4)
    for line in lines { #expect(TerminalText.width(String(line)) <= 80, "\(line)") }
    let heads = lines.indices.filter { lines[$0].hasPrefix("main/") }
    for head in heads {
      for row in lines[head...].prefix(while: { !$0.isEmpty }) {
        #expect(TerminalText.width(String(row)) <= 78, "\(row)")
      }
    }
  }

  @Test func `the page of the main job says at once how sure its title is, and what to do`() {
    let page = printed(["report", path("main/result.json.gz"), "--format", "html"])
      .replacing("\u{A0}", with: " ")
    let title = "<h1>Cascade delete: batch delete is the fastest strategy</h1>"
    let lead =
      "<p class=\"lead\">43.9 ms; object by object takes 5.0 times as long (2.7 to 9.5). 24 cases"
    for part in [
      title, lead, "<b>How sure:</b> Ratios have 98 % intervals, from ", "<b>Next:</b>",
      "<b>Not measured:</b>",
    ] {
      #expect(page.contains(part), "\(part)")
    }
  }

  @Test func `the ratio of a title is that of two medians, on the page, in a terminal and in JSON`()
    throws
  {
    let result = path("main/result.json.gz")
    let page = printed(["report", result, "--format", "html"]).replacing("\u{A0}", with: " ")
    let shown = page.matches(of: />(?<median>[0-9.]+) ms \([0-9.]+ ms to/).compactMap {
      Double($0.median)
    }
    let stated = /object by object takes (?<ratio>[0-9.]+) times as long/
    let ratio = try #require(page.firstMatch(of: stated).flatMap { Double($0.ratio) })
    // The title of the figure rounds the ratio to two digits.
    #expect(shown.count >= 2 && abs(shown[0] / shown[1] / ratio - 1) < 0.02, "\(shown) \(ratio)")
    let terminal = printed(["report", result]).split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
    #expect(terminal.firstMatch(of: stated).flatMap { Double($0.ratio) } == ratio)
    let json = try JSONSerialization.jsonObject(
      with: Data(printed(["report", result, "--format", "json"]).utf8)
    )
    let findings = try #require((json as? [String: Any])?["findings"] as? [[String: Any]])
    let figures = try #require(findings.first?["figures"] as? [[String: Any]])
    let value = try #require(figures.first?["value"] as? Double)
    #expect(abs(value / ratio - 1) < 0.02)
  }

  @Test func `the page of a log without findings says what to do next and what was not measured`() {
    let log = Repository.path("Workloads/replay/scrolling.log")
    let page = printed(["analyze", log, "--format", "html"])
    #expect(page.contains("<b>Next:</b> Nothing has to be done by these rules; "))
    #expect(page.contains("<b>Not measured:</b> Apple&#39;s own code, "))
  }

  @Test func `pages of 210 cases and of 3,569 costs have at most 200 KB`() {
    let sweep = printed(["report", path("blobs/result.json.gz"), "--format", "html"])
    #expect(sweep.utf8.count <= 200_000, "\(sweep.utf8.count)")
    #expect(sweep.components(separatedBy: "role=\"img\"").count == 2 + 8 + 1)
    #expect(!sweep.contains("separateEntity") && !sweep.contains("readOne"))
    let sides = ["before", "after"].map { path("compare/\($0).json.gz") }
    let comparison = printed(["compare"] + sides + ["--format", "html"])
    #expect(comparison.contains("</html>"))
    #expect(comparison.contains("changed: new index byTitle of Task (title).</p>"))
    #expect(comparison.utf8.count <= 200_000, "\(comparison.utf8.count)")
  }

  /// `report --format svg` must draw README's pictures from the stored results.
  @Test(arguments: [
    ("main", "total-time", "main-job"),
    ("blobs", "where-the-fastest-strategy-changes-with-size", "blobs"),
  ])
  func `the pictures of README are drawn from kept results`(
    result: String,
    figure: String,
    picture: String
  ) throws {
    let drawn = printed([
      "report", path("\(result)/result.json.gz"), "--format", "svg", "--figure", figure,
    ])
    let kept = try String(contentsOfFile: Repository.path("docs/\(picture).svg"), encoding: .utf8)
    // Compare only the numbers in the description, not the positions of the marks.
    func description(_ svg: String) -> Substring? {
      svg.firstMatch(of: /<desc[^>]*>(.*?)<\/desc>/)?.output.1
    }
    #expect(description(kept) != nil && description(drawn) == description(kept))
    #expect(kept.utf8.count < 60_000 && drawn.contains("<tspan class=\"strong\">"))
  }

  /// Returns the forecast from a stored ladder, which has a file for each strategy in the plan's
  /// order.
  private static func forecast(in folder: String) throws -> ForecastReport {
    let workload = Repository.path("Workloads/main/migration.yaml")
    var overrides = Overrides()
    overrides.variesAssumptions = true
    let plan = try Plan(paths: [workload], kinds: WorkloadCatalog.kinds, overrides: overrides)
    let cases = try LadderCase.all(of: plan, like: nil)
    let outcomes = cases.enumerated().map { index, planned in
      let file = LadderFile(path: "\(folder)/\(index + 1).json", design: .full())
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

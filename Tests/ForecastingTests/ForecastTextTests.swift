import Forecasting
import Foundation
import Ladder
import Measurement
import TestSupport
import Testing

@testable import storebench

struct ForecastTextTests {
  private let folder: TemporaryFolder
  private let batches = SyntheticLadder(
    seconds: { 0.01 + 8e-6 * $0 },
    secondsPerMiss: 6e-6,
    misses: { 4 * Term.misses(bend: 150_000 * $1)($0) }
  )
  private let oneSave = SyntheticLadder(
    seconds: { 0.01 + 9e-6 * $0 },
    memory: { 40e6 + 2000 * $0 }
  )

  init() throws {
    folder = try TemporaryFolder()
  }

  private func outcome(_ ladder: SyntheticLadder, _ name: String) -> LadderRun.Outcome {
    LadderRun.Outcome(name: name, observations: ladder.observations(seed: 5), failure: nil)
  }

  private func text(_ outcomes: [LadderRun.Outcome], _ questions: ForecastQuestions) throws
    -> String
  {
    let report = try ForecastReport(
      workload: "migration/sideBySide",
      environment: .example,
      outcomes: outcomes,
      questions: questions
    )
    return ForecastText(report: report, width: 80).text
  }

  @Test func `says what a migration takes, and what that rests on`() throws {
    let questions = ForecastQuestions(
      sizes: [.objects(64_000), .objects(1_000_000), .bytes(1e9), .objects(9e6)],
      budgets: ResourceBudget.launch + [ResourceBudget(.memory, limit: 200 * 1_048_576)]
    )
    let text = try text([outcome(batches, "engine=objectGraph,saves=batches")], questions)
    #expect(
      text.hasPrefix(
        """
        Forecast of migration/sideBySide
        AMD EPYC 7B13 · 2 cores · SQLite 3.40.1 · ext4 · release build

        Predicted for this Linux machine, with intervals that hold 9 of 10 outcomes.

        engine=objectGraph,saves=batches

              objects     time       90 % interval            memory              disk
        """
      )
    )
    let rows = text.split(separator: "\n")
    #expect(rows.contains { $0.hasPrefix("    1,000,000") && $0.contains(" to ") })
    #expect(rows.contains { $0.hasPrefix("    9,000,000  unknown: it is more than 100 times") })
    #expect(rows.contains { $0.hasPrefix("  20 s (watchdog)  ") })
    #expect(rows.contains { $0.hasPrefix("  200 MB of memory  ") })
    for ground in ["ladder: 13 sizes", "time at ", "explained by: ", "residuals: "] {
      #expect(rows.contains { $0.hasPrefix("  " + ground) }, "\(ground)")
    }
  }

  @Test func `puts strategies side by side for a population, and recommends one`() throws {
    let users = try folder.write(
      "objects,users\n1000,900\n119000,50\n400000,49\n50000000,1\n",
      to: "users.csv"
    )
    let questions = ForecastQuestions(
      sizes: [.objects(1_000_000)],
      population: try TextInput(path: users)
    )
    let names = ["engine=objectGraph,saves=batches", "engine=objectGraph,saves=one"]
    let text = try text([outcome(batches, names[0]), outcome(oneSave, names[1])], questions)
    let rows = text.split(separator: "\n")
    let head = try #require(rows.firstIndex { $0.hasPrefix("Users over ") })
    #expect(rows[head].hasSuffix("           3 s          20 s"))
    #expect(rows[head + 1].hasPrefix("  saves=batches ") && rows[head + 1].hasSuffix(" %"))
    #expect(rows[head + 2].hasPrefix("  saves=one ") && rows[head + 2].hasSuffix(" %"))
    #expect(rows.contains { $0.hasPrefix("Recommended: saves=one: ") })
  }

  @Test func `heads what was scaled to a device by its name`() throws {
    let observed = try folder.write(
      "device,task_count,project_count,duration_seconds\nphone,80000,20000,4\n",
      to: "observed.csv"
    )
    let questions = ForecastQuestions(
      sizes: [.objects(500_000)],
      observed: try TextInput(path: observed)
    )
    let text = try text([outcome(oneSave, "saves=one")], questions)
    #expect(text.contains("Predicted for phone, from 1 observed migration"))
  }

  @Test func `no line is wider than 80 columns`() throws {
    let long = "batchSize=1000,duplicates=removed,engine=objectGraph,saves=batches,to=models/tasks"
    let questions = ForecastQuestions(sizes: [.objects(1_000_000), .objects(1e10)])
    let text = try text([outcome(batches, long), outcome(oneSave, long + "/v2")], questions)
    for line in text.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
  }

  @Test func `tells programs the same`() throws {
    let report = try ForecastReport(
      workload: "w",
      environment: .example,
      outcomes: [outcome(oneSave, "saves=one")],
      questions: ForecastQuestions(sizes: [.objects(100_000), .objects(1e9)])
    )
    let json = try JSONSerialization.jsonObject(
      with: Data(try ForecastJSON(report: report).text.utf8)
    )
    let document = try #require(json as? [String: Any])
    let sections = try #require(document["forecasts"] as? [[String: Any]])
    let cases = try #require(sections.first?["cases"] as? [[String: Any]])
    let predictions = try #require(cases.first?["predictions"] as? [[String: Any]])
    let near = try #require(predictions.first?["time"] as? [String: Any])
    let far = try #require(predictions.last?["time"] as? [String: Any])
    let seconds = try #require(near["value"] as? Double)
    #expect(abs(seconds / oneSave.truth(100_000) - 1) < 0.1)
    #expect((far["refused"] as? String)?.contains("100 times the largest size") == true)
  }
}

import Foundation
import Runner
import TestSupport
import Testing

@testable import Forecasting
@testable import Reporter

struct ForecastTextTests {
  private let batches = SyntheticLadder(
    seconds: { 0.01 + 8e-6 * $0 },
    secondsPerMiss: 6e-6,
    misses: { 4 * Term.misses(bend: 150_000 * $1)($0) }
  )
  private let oneSave = SyntheticLadder(
    seconds: { 0.01 + 9e-6 * $0 },
    memory: { 40e6 + 2000 * $0 }
  )

  /// A ladder that takes a test no long time.
  private func quick(_ ladder: SyntheticLadder) -> SyntheticLadder {
    var quick = ladder
    quick.design = .quick(seed: 7)
    return quick
  }

  private let shape = EntityShape(
    smaller: ["Task": 800, "Project": 200],
    larger: ["Task": 80_000, "Project": 20_000]
  )

  private func migrations(_ csv: String) throws -> (path: String, migrations: [ObservedMigration]) {
    ("observed.csv", try ObservedMigration.read(csv: csv, path: "observed.csv", shape: shape))
  }

  private func outcome(_ ladder: SyntheticLadder, _ name: String) -> LadderRun.Outcome {
    LadderRun.Outcome(name: name, observations: ladder.observations(seed: 5), failure: nil)
  }

  private func text(_ outcomes: [LadderRun.Outcome], _ questions: ForecastQuestions) throws
    -> String
  {
    let report = ForecastReport(
      workload: "migration/sideBySide",
      environment: .example,
      outcomes: outcomes,
      questions: questions
    )
    return ForecastText(report: report, width: 80, explains: true).text
  }

  @Test func `draws the strategies of a forecast with the users who wait`() throws {
    let users = try PopulationFile(
      csv: "objects,users\n2000,900\n200000,90\n900000,10\n",
      path: "</title>users.csv",
      shape: shape
    )
    let report = ForecastReport(
      workload: "migration/sideBySide",
      environment: .example,
      outcomes: [outcome(quick(batches), "saves=batches"), outcome(quick(oneSave), "saves=one")],
      questions: ForecastQuestions(population: users)
    )
    let html = ForecastPage(report: report).html
    #expect(html == ForecastPage(report: report).html)
    #expect(!html.contains("</title>users.csv"))
    // Both widths of the main chart, and a small one for each strategy.
    #expect(html.components(separatedBy: "role=\"img\"").count == 5)
    #expect(html.contains("of users wait over 3\u{A0}s") && html.contains("watchdog"))
    #expect(!html.contains("nan") && !html.contains("inf\""))
    let json = try ForecastJSON(report: report).text
    for key in ["curve", "low50", "high90", "runs", "bins"] { #expect(json.contains("\"\(key)\"")) }
  }

  @Test func `says what a migration takes, and what that rests on`() throws {
    let questions = ForecastQuestions(
      sizes: [.objects(64_000), .objects(1_000_000), .bytes(1e9), .objects(19e6)],
      budgets: ResourceBudget.launch + [ResourceBudget(.memory, limit: 200 * 1_048_576)]
    )
    let text = try text([outcome(batches, "engine=objectGraph,saves=batches")], questions)
    #expect(
      text.hasPrefix(
        """
        Forecast of migration/sideBySide
        A store of 1,990,000 objects takes 54.2 s (90 % interval: 47.5 s to 61.9 s),
          220 MB of memory and 2.79 GB of disk.
        The time of a store of 19,000,000 objects is unknown: the size is more than
          100 times the largest measured size, 128,000 objects.
        Only one strategy was predicted. To compare several, name more files or set an
          axis, such as --set 'batchSize=[100, 1000]'.

        AMD EPYC 7B13 · 2 cores · SQLite 3.40.1 · ext4 · release build
        Objects are counted over all entities: 80 % Task, 20 % Project; '--to
          Task=40000' gives the size as objects of one entity.

        Predicted for this Linux machine, with 90 % intervals. A phone is a different
          machine. '--observed' scales these times to migrations measured on devices,
          '--on' to a machine profile that 'storebench calibrate --print-source'
          measures on the device.

        engine=objectGraph,saves=batches

            objects    store     time      90 % interval          memory            disk
        """
      )
    )
    let rows = text.split(separator: "\n")
    #expect(rows.contains { $0.hasPrefix("  1,000,000   477 MB") && $0.contains(" to ") })
    #expect(rows.contains { $0.hasPrefix(" 19,000,000  8.85 GB  unknown") })
    #expect(rows.filter { $0.hasPrefix("  unknown: the size is more than 100 times") }.count == 1)
    #expect(rows.contains { $0.hasPrefix("  20 s (watchdog)  ") })
    #expect(rows.contains { $0.hasPrefix("  200 MB of memory  ") })
    for ground in [
      "ladder: 15 sizes",
      "counters, with their extrapolation error: pages read",
      "time at ", "explained by: ", "residuals by size: ",
    ] {
      let words = ground.split(separator: " ").prefix(9).joined(separator: " ")
      #expect(rows.contains { $0.hasPrefix("  " + words) }, "\(ground)")
    }
    #expect(text.contains("Only one strategy was predicted."))
  }

  @Test func `shapes of the framework's own migration are a range, and none is recommended`()
    throws
  {
    let names = ["shape=inPlace", "shape=rebuild"]
    let report = ForecastReport(
      workload: "migration/lightweight",
      environment: .example,
      outcomes: [outcome(quick(batches), names[0]), outcome(quick(oneSave), names[1])],
      questions: ForecastQuestions(sizes: [.objects(50_000)])
    )
    #expect(report.sections[0].recommendation == nil)
    let text = ForecastText(report: report, width: 80).text
    let rows = text.split(separator: "\n")
    #expect(rows[1].hasPrefix("A store of 50,000 objects takes "))
    let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("it is not known which way is used"))
    #expect(rows.contains { $0.hasPrefix("  this migration") })
    #expect(!text.contains("shape="))
    #expect(!text.contains("→") && !text.contains("residuals"))
    #expect(rows.last == "For every size and budget, and how this was predicted, add --explain")
  }

  @Test func `what is refused hides nothing that is known, and says once why`() throws {
    var drifting = quick(oneSave)
    drifting.drift = 3
    let questions = ForecastQuestions(
      budgets: ResourceBudget.launch + [ResourceBudget(.memory, limit: 200 * 1_048_576)]
    )
    let text = try text([outcome(drifting, "saves=one")], questions)
    let rows = text.split(separator: "\n")
    let known = try #require(rows.first { $0.hasPrefix("     64,000") })
    #expect(known.contains("unknown") && known.contains(" MB ±"))
    #expect(rows.filter { $0.hasPrefix("  unknown: the machine's speed drifted by") }.count == 1)
    #expect(text.contains("'--again' repeats them"))
    #expect(rows.contains { $0.hasPrefix("  the interval is wide because") })
  }

  @Test func `puts strategies side by side for a population, and recommends one`() throws {
    let users = "objects,users\n1000,900\n119000,50\n400000,49\n50000000,1\n"
    let questions = ForecastQuestions(
      sizes: [.objects(1_000_000)],
      population: try PopulationFile(csv: users, path: "users.csv", shape: shape)
    )
    let names = ["engine=objectGraph,saves=batches", "engine=objectGraph,saves=one"]
    let text = try text([outcome(batches, names[0]), outcome(oneSave, names[1])], questions)
    let rows = text.split(separator: "\n")
    #expect(text.contains("half have up to 1,000 objects, 99 in 100"))
    #expect(text.contains("\nEvery strategy: engine=objectGraph\n"))
    let head = try #require(rows.firstIndex { $0.hasPrefix("Users over ") })
    #expect(rows[head].hasSuffix("             3 s            20 s"))
    #expect(rows[head + 1].hasPrefix("  saves=batches ") && rows[head + 1].hasSuffix(" %"))
    #expect(rows[head + 2].hasPrefix("→ saves=one ") && rows[head + 2].hasSuffix(" %"))
    #expect(rows.contains { $0.hasPrefix("Side by side at 1,000,000 objects") })
    #expect(rows.contains { $0.hasPrefix("Recommended: saves=one. ") })
  }

  @Test func `long names of strategies stay whole side by side`() throws {
    let names = [
      "batchSize=100,saves=batches,strategy=sideBySide", "saves=one,strategy=lightweight",
    ]
    let questions = ForecastQuestions(
      budgets: (1...5).map { ResourceBudget(.memory, limit: Double($0) * 1_048_576_000) }
    )
    let text = try text(
      [outcome(quick(batches), names[0]), outcome(quick(oneSave), names[1])],
      questions
    )
    let rows = text.split(separator: "\n")
    let head = try #require(rows.firstIndex { $0.hasPrefix("Objects that fit (conservative)") })
    #expect(
      rows[(head + 1)...].contains {
        ["→ ", "  "].contains($0.prefix(2)) && $0.dropFirst(2) == names[0]
      }
    )
    #expect(!text.contains("…"))
  }

  @Test func `says what was chosen in place of what the file says`() throws {
    let report = ForecastReport(
      workload: "migration/lightweight",
      environment: .example,
      outcomes: [],
      questions: ForecastQuestions(),
      notes: ["to the store's own model with one optional attribute more on 'Cart'"]
    )
    let text = ForecastText(report: report, width: 80, explains: true).text
    #expect(
      text.contains("\n· to the store's own model with one optional attribute more on 'Cart'\n")
    )
  }

  @Test func `a size can be that of one entity`() throws {
    let questions = ForecastQuestions(sizes: [.entities(["task": 80_000])])
    let text = try text([outcome(quick(batches), "saves=batches")], questions)
    #expect(text.contains("\n    100,000  "))
  }

  @Test func `heads what was scaled to a device by its name`() throws {
    let observed = "device,task_count,project_count,duration_seconds\nphone,80000,20000,4\n"
    let questions = ForecastQuestions(
      sizes: [.objects(500_000)],
      observed: try migrations(observed)
    )
    let text = try text([outcome(oneSave, "saves=one")], questions)
    let words = text.split { $0.isWhitespace }.joined(separator: " ")
    #expect(
      words.contains(
        "Predicted for phone, from 1 observed migration: 4.4 times the time of this machine"
      )
    )
    #expect(words.contains("For one migration alone, a dispersion of 25 %"))
  }

  @Test func `names the devices of which nothing can be said`() throws {
    let observed = "device,objects,duration_seconds\nphone,100000,4\ntablet,9000000,50\n"
    let questions = ForecastQuestions(observed: try migrations(observed))
    let text = try text([outcome(quick(oneSave), "saves=one")], questions)
    #expect(text.contains("Predicted for phone"))
    #expect(!text.contains("Predicted for tablet"))
    #expect(text.replacing("\n  ", with: " ").contains("no prediction for tablet, because"))
  }

  @Test func `no line is wider than 80 columns`() throws {
    let long = "batchSize=1000,duplicates=removed,engine=objectGraph,saves=batches,to=models/tasks"
    var drifting = quick(batches)
    drifting.drift = 3
    let users = "objects,users\n1000,900\n400000,49\n50000000,1\n"
    let questions = ForecastQuestions(
      sizes: [.objects(1_000_000), .objects(1e9)],
      budgets: (1...7).map { ResourceBudget(.memory, limit: Double($0) * 111 * 1_048_576) }
        + ResourceBudget.launch,
      population: try PopulationFile(csv: users, path: "users.csv", shape: shape)
    )
    let outcomes = [
      outcome(quick(batches), long), outcome(quick(oneSave), long + "/v2"), outcome(drifting, "b"),
    ]
    let text = try text(outcomes, questions)
    for line in text.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
  }

  @Test func `the time left comes before a name that a terminal cuts off`() {
    let turn = LadderDesign.Turn(objects: 4000)
    var progress = LadderProgress(turns: [turn, turn, turn], cases: 1)
    #expect(progress.text(after: 0) == "[1/3] ")
    progress.start(turn, of: String(repeating: "long", count: 30))
    progress.finish(turn)
    #expect(progress.text(after: 50).hasPrefix("[2/3] about 2 min left, 4,000 objects, long"))
  }

  @Test func `tells programs the same`() throws {
    let report = ForecastReport(
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
    #expect((far["refused"] as? String)?.contains("100 times the largest measured size") == true)
    let counters = try #require(cases.first?["counters"] as? [[String: Any]])
    #expect(counters.first?["name"] as? String == "sqlite.cacheMisses")
    #expect(counters.first?["extrapolationError"] as? Double != nil)
    let parts = try #require(cases.first?["parts"] as? [String: Double])
    #expect(abs(parts.values.reduce(0, +) - 1) < 1e-6)
  }
}

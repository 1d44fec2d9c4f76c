import Basics
import Foundation
import Reporting
import Runner
import TestSupport
import Testing

@testable import Forecasting

struct ForecastViewTests {
  private let batches = SyntheticLadder(
    seconds: { 0.01 + 8e-6 * $0 },
    secondsPerMiss: 6e-6,
    misses: { 4 * Term.misses(bend: 150_000 * $1)($0) }
  )
  private let oneSave = SyntheticLadder(seconds: { 0.01 + 9e-6 * $0 }, memory: { 40e6 + 2000 * $0 })

  /// The ladder with a design that is quick to compute.
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

  private func forecast(
    _ outcomes: [LadderRun.Outcome],
    _ questions: ForecastQuestions,
    notes: [String] = []
  ) -> ForecastReport {
    ForecastReport(
      workload: "migration/sideBySide",
      environment: .example,
      outcomes: outcomes,
      questions: questions,
      notes: notes
    )
  }

  /// The report's text without the terminal's line breaks.
  private func words(of report: Report) -> String {
    report.text(width: 80).split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  private func tables(in report: Report) -> [Report.Table] {
    func tables(in blocks: [Report.Block]) -> [Report.Table] {
      blocks.flatMap { block -> [Report.Table] in
        switch block {
        case .table(let table): return [table]
        case .details(_, let inner): return tables(in: inner)
        default: return []
        }
      }
    }
    return tables(in: report.sections.flatMap(\.blocks))
  }

  /// The number in a table cell; `nil` if the cell contains text.
  private func number(_ cell: Report.Cell) -> Double? {
    if case .number(let number) = cell.value { number } else { nil }
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
    let html = report.report().html
    #expect(html == report.report().html)
    #expect(!html.contains("</title>users.csv"))
    #expect(html.components(separatedBy: "role=\"img\"").count == 7)
    #expect(html.contains("of users wait over 3\u{A0}s") && html.contains("watchdog"))
    #expect(!html.contains("nan") && !html.contains("inf\""))
    let json = try report.jsonText()
    for key in ["curve", "low50", "high90", "runs", "bins"] { #expect(json.contains("\"\(key)\"")) }
  }

  @Test func `says what a migration takes, and what that rests on`() throws {
    let questions = ForecastQuestions(
      sizes: [.objects(64_000), .objects(1_000_000), .bytes(1e9), .objects(19e6)],
      budgets: ResourceBudget.launch + [ResourceBudget(.memory, limit: 200 * 1_048_576)]
    )
    let view = forecast([outcome(batches, "engine=objectGraph,saves=batches")], questions).report()
    #expect(
      view.title.plain
        == "A store of 1,990,000 objects takes 54.2 s (90 % interval: 47.5 s to 61.9 s), 220 MB of "
        + "memory and 2.79 GB of disk."
    )
    let verdict = try #require(view.verdict).plain
    #expect(
      verdict.hasPrefix(
        "The time of a store of 19,000,000 objects is not known: the size is more than 25 times "
          + "the largest measured size, 128,000 objects; 'objects' below 'store' in the workload file "
          + "makes such a store, and 'storebench run' measures it. Only one strategy was predicted."
      )
    )
    let words = words(of: view)
    for sentence in [
      "counted over all entities: 80 % Task, 20 % Project; '--to Task=40000' gives the size",
      "AMD EPYC 7B13, 2 cores", "SQLite 3.40.1",
      "Predicted for this Linux machine, with 90 % intervals. A phone is a different machine.",
      "object graph, saves batches", "- ladder: 15 sizes",
      "- counters, with their extrapolation error: pages read", "- time at ", "- explained by: ",
      "- residuals by size: ",
    ] { #expect(words.contains(sentence), "\(sentence)") }
    #expect(words.components(separatedBy: "? unknown: the size is more than 25 times").count == 2)
    let sizes = try #require(
      tables(in: view).first { $0.title == "Predictions with 90 % intervals" }
    )
    let stores = sizes.rows.map { number($0[1]) ?? 0 }
    #expect(abs(stores[1] / 500e6 - 1) < 0.01)
    #expect(sizes.rows.map { number($0[2]) == nil } == [false, false, false, true])
    let rows = view.text().split(separator: "\n")
    #expect(rows.contains { $0.contains("20 s (watchdog) ") })
    #expect(rows.contains { $0.contains("200 MB of memory ") })
  }

  @Test func `shapes of the framework's own migration are a range, and none is recommended`() {
    let report = forecast(
      [outcome(quick(batches), "shape=inPlace"), outcome(quick(oneSave), "shape=rebuild")],
      ForecastQuestions(sizes: [.objects(50_000)])
    )
    #expect(report.sections[0].recommendation == nil)
    let view = report.report(explains: false)
    #expect(view.title.plain.hasPrefix("A store of 50,000 objects takes "))
    let text = view.text(width: 80)
    #expect(words(of: view).contains("it is not known which way is used"))
    #expect(text.contains("\n  this migration"))
    #expect(!text.contains("shape=") && !text.contains("→") && !text.contains("residuals"))
    #expect(
      text.hasSuffix("For every size and budget, and how this was predicted, add --explain\n")
    )
  }

  @Test func `what is refused hides nothing that is known, and says once why`() throws {
    var drifting = quick(oneSave)
    drifting.drift = 3
    let questions = ForecastQuestions(
      budgets: ResourceBudget.launch + [ResourceBudget(.memory, limit: 200 * 1_048_576)]
    )
    let view = forecast([outcome(drifting, "saves=one")], questions).report()
    let rows = view.text().split(separator: "\n")
    let known = try #require(rows.first { $0.hasPrefix("     64,000") })
    #expect(known.contains("unknown") && known.hasSuffix(" %"))
    let words = words(of: view)
    #expect(words.components(separatedBy: "? unknown: the machine's speed drifted by").count == 2)
    #expect(words.contains("'--again' repeats them"))
    #expect(words.contains("the interval is wide because"))
  }

  @Test func `puts strategies side by side for a population, and recommends one`() throws {
    let users = "objects,users\n1000,900\n119000,50\n400000,49\n50000000,1\n"
    let questions = ForecastQuestions(
      sizes: [.objects(1_000_000)],
      population: try PopulationFile(csv: users, path: "users.csv", shape: shape)
    )
    let names = ["engine=objectGraph,saves=batches", "engine=objectGraph,saves=one"]
    let view = forecast([outcome(batches, names[0]), outcome(oneSave, names[1])], questions)
      .report()
    let words = words(of: view)
    #expect(words.contains("half have up to 1,000 objects, 99 in 100"))
    #expect(words.contains("Every strategy engine=objectGraph "))
    #expect(words.contains("Recommended: saves one. "))
    let rows = view.text().split(separator: "\n")
    let head = try #require(rows.firstIndex { $0.hasPrefix("  Users over a budget") })
    #expect(rows[head + 1].hasPrefix("  Strategy ") && rows[head + 1].hasSuffix(" 20 s"))
    #expect(rows[head + 2].hasPrefix("  saves batches ") && rows[head + 2].hasSuffix(" %"))
    #expect(rows[head + 3].hasPrefix("  → saves one ") && rows[head + 3].hasSuffix(" %"))
    #expect(rows.contains { $0.hasPrefix("  At 1,000,000 objects") })
  }

  private func way(
    _ name: String,
    _ ladder: SyntheticLadder,
    goal: String = "v2, backup: copy",
    isLowerBound: Bool = false,
    frameworkWay: String? = nil,
    assumptions: [Behaviour] = []
  ) -> LadderRun.Outcome {
    LadderRun.Outcome(
      name: name,
      goal: goal,
      isLowerBound: isLowerBound,
      frameworkWay: frameworkWay,
      assumptions: assumptions,
      observations: quick(ladder).observations(seed: 5),
      failure: nil
    )
  }

  private let fast = SyntheticLadder(seconds: { 0.001 + 1e-6 * $0 })

  @Test func `recommends what an app can ship, and names what it was not compared with`() throws {
    let questions = ForecastQuestions(sizes: [.objects(100_000)])
    let report = forecast(
      [
        way("engine=objectGraph,saves=batches", batches),
        way("engine=objectGraph,saves=one", oneSave),
        way("engine=bareSQL", fast, isLowerBound: true),
        way("strategy=customStage", fast, goal: "v2, backup: none"),
      ],
      questions
    )
    #expect(report.sections[0].recommendation?.name == "engine=objectGraph,saves=batches")
    let words = words(of: report.report())
    #expect(
      words.hasPrefix("With object graph, saves batches, a store of 100,000 objects takes ")
    )
    #expect(words.contains("Not compared: SQL: lower bound (which no app can ship); "))
    #expect(words.contains("custom stage (other final data, or other safeguards)."))
  }

  private func inPlace(_ value: String, or other: String) -> Behaviour {
    Behaviour(
      name: "lightweightMigration",
      value: value,
      evidence: .assumed,
      parameter: "shape",
      alternatives: [other]
    )
  }

  @Test func `a lightweight migration that fits the budgets is enough, whatever is faster`() {
    let own = way(
      "strategy=lightweight",
      oneSave,
      frameworkWay: "lightweight",
      assumptions: [inPlace("inPlace", or: "rebuild")]
    )
    let report = forecast(
      [way("strategy=sideBySide", fast), own],
      ForecastQuestions(sizes: [.objects(100_000)])
    )
    #expect(report.sections[0].recommendation?.name == "strategy=lightweight")
    let words = words(of: report.report())
    #expect(words.hasPrefix("Lightweight is enough: at most "))
    #expect(
      words.contains(
        "for the largest store, 100,000 objects; no other way is needed, if "
          + "lightweight migration is in place, which is assumed"
      )
    )
    #expect(!words.contains("Recommended:"))
    #expect(report.report().certainty?.plain.hasPrefix("90 % intervals from ") == true)
  }

  @Test func `without users or sizes nothing is said of a largest store`() {
    let own = way("strategy=lightweight", fast, frameworkWay: "lightweight")
    let words = words(of: forecast([own], ForecastQuestions()).report())
    #expect(words.hasPrefix("Lightweight is enough: at most "), "\(words)")
    #expect(words.contains(" for stores of up to 256,000 objects; no other way is needed."))
  }

  @Test func `a lightweight migration is enough without a condition if both ways were measured`()
    throws
  {
    let both = [("inPlace", "rebuild"), ("rebuild", "inPlace")].map { own, other in
      way(
        "shape=\(own),strategy=lightweight",
        own == "inPlace" ? fast : oneSave,
        frameworkWay: "lightweight",
        assumptions: [inPlace(own, or: other)]
      )
    }
    let report = forecast(
      both + [way("shape=inPlace,strategy=sideBySide", batches)],
      ForecastQuestions(sizes: [.objects(100_000)])
    )
    let slower = report.sections[0].answers[1].forecast
    let most = Figures.seconds(try slower.predict(.time, objects: 100_000).get().high)
    let words = words(of: report.report())
    #expect(words.hasPrefix("Lightweight is enough: at most \(most) for the largest store"))
    #expect(!words.contains("which is assumed"))
  }

  @Test func `a lightweight migration over a budget is not enough, and its own goal is named`() {
    let questions = ForecastQuestions(sizes: [.objects(100_000)])
    let slow = SyntheticLadder(seconds: { 0.01 + 60e-6 * $0 })
    let over = forecast(
      [
        way("strategy=lightweight", slow, frameworkWay: "lightweight"),
        way("strategy=sideBySide", fast),
      ],
      questions
    )
    #expect(over.sections[0].recommendation?.name == "strategy=sideBySide")
    #expect(words(of: over.report()).contains("Recommended: side by side."))
    let other = forecast(
      [
        way("strategy=sideBySide,saves=one", fast),
        way("strategy=sideBySide,saves=batches", batches),
        way("strategy=lightweight", fast, goal: "v2 with duplicates", frameworkWay: "lightweight"),
      ],
      questions
    )
    let text = words(of: other.report())
    #expect(text.hasPrefix("Lightweight is enough: "), "\(text)")
    #expect(text.contains("; no other way is needed for 'v2 with duplicates'."), "\(text)")
    #expect(
      text.contains(
        "Not compared: side by side, saves one; side by side, saves batches (other final data"
      )
    )
  }

  @Test func `what only a lower bound is faster than needs no recommendation`() throws {
    let report = forecast(
      [way("engine=objectGraph", batches), way("engine=bareSQL", fast, isLowerBound: true)],
      ForecastQuestions(sizes: [.objects(100_000)])
    )
    #expect(report.sections[0].recommendation == nil)
    #expect(report.sections[0].best.map(\.name) == ["engine=objectGraph"])
    #expect(words(of: report.report()).hasPrefix("With object graph, a store of 100,000 "))
  }

  @Test func `says how the memory of the recommended strategy grows, unless a budget limits it`() {
    let hungry = SyntheticLadder(seconds: { 0.001 + 1e-6 * $0 }, memory: { 40.3e6 + 1000 * $0 })
    let outcomes = [way("batchSize=0", hungry), way("batchSize=1000", batches)]
    var questions = ForecastQuestions(sizes: [.objects(400_000)])
    let text = words(of: forecast(outcomes, questions).report())
    #expect(text.contains("Recommended: batch size 0. "), "\(text)")
    #expect(text.contains(". Its memory grows with the store, from 39"), "\(text)")
    #expect(text.contains(" at 400,000, where batch size 1,000 takes "), "\(text)")
    questions.budgets.append(ResourceBudget(.memory, limit: 200 * 1_048_576))
    #expect(!words(of: forecast(outcomes, questions).report()).contains("Its memory grows"))
  }

  @Test func `each requested size has a table of all strategies`() {
    let outcomes = [outcome(quick(batches), "saves=batches"), outcome(quick(oneSave), "saves=one")]
    func titles(_ sizes: [StoreSize]) -> [String] {
      let report = forecast(outcomes, ForecastQuestions(sizes: sizes)).report(explains: false)
      return tables(in: report).map(\.title).filter { $0.hasPrefix("At ") }
    }
    let end = " objects, with the 90 % interval of the time"
    let both = titles([.objects(90_000), .objects(50_000)])
    #expect(both == ["At 50,000\(end)", "At 90,000\(end)"])
    #expect(titles([]) == ["At 256,000\(end)"])
  }

  @Test func `long names of strategies stay whole side by side`() {
    let names = [
      "batchSize=100,saves=batches,strategy=sideBySide", "saves=one,strategy=lightweight",
    ]
    let questions = ForecastQuestions(
      budgets: (1...5).map { ResourceBudget(.memory, limit: Double($0) * 1_048_576_000) }
    )
    let text = forecast(
      [outcome(quick(batches), names[0]), outcome(quick(oneSave), names[1])],
      questions
    ).report().text(width: 80)
    for part in ["side by side,", "batch size 100,", "saves batches"] {
      #expect(text.contains(part))
    }
    #expect(!text.contains("…"))
  }

  @Test func `says what was chosen in place of what the file says, even if nothing was measured`() {
    let note = "to the store's own model with one optional attribute more on 'Cart'"
    let view = forecast([], ForecastQuestions(), notes: [note]).report()
    #expect(view.title.plain == "No strategy of migration/sideBySide was measured")
    #expect(view.text().contains("\nNote       \(note)\n"))
  }

  @Test func `a size can be that of one entity`() {
    let questions = ForecastQuestions(sizes: [.entities(["task": 80_000])])
    let view = forecast([outcome(quick(batches), "saves=batches")], questions).report()
    #expect(view.title.plain.hasPrefix("A store of 100,000 objects takes "))
  }

  @Test func `heads what was scaled to a device by its name`() throws {
    let observed = "device,task_count,project_count,duration_seconds\nphone,80000,20000,4\n"
    let questions = ForecastQuestions(
      sizes: [.objects(500_000)],
      observed: try migrations(observed)
    )
    let words = words(of: forecast([outcome(oneSave, "saves=one")], questions).report())
    #expect(words.hasPrefix("On phone: A store of 500,000 objects takes "))
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
    let words = words(of: forecast([outcome(quick(oneSave), "saves=one")], questions).report())
    #expect(words.contains("Predicted for phone"))
    #expect(!words.contains("Predicted for tablet"))
    #expect(words.contains("no prediction for tablet, because"))
  }

  @Test func `each of several devices has its answer at the top`() throws {
    let observed = "device,objects,duration_seconds\nphone,100000,4\ntablet,100000,9\n"
    let questions = ForecastQuestions(sizes: [.objects(50_000)], observed: try migrations(observed))
    let view = forecast([outcome(quick(oneSave), "saves=one")], questions).report()
    #expect(view.title.plain == "migration/sideBySide on 2 machines")
    #expect(view.findings.map { $0.claim.plain.prefix(12) } == ["On phone: A ", "On tablet: A"])
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
    let text = forecast(outcomes, questions).report().text(width: 80)
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
    let json = try JSONSerialization.jsonObject(with: Data(try report.jsonText().utf8))
    let document = try #require(json as? [String: Any])
    let sections = try #require(document["forecasts"] as? [[String: Any]])
    let cases = try #require(sections.first?["cases"] as? [[String: Any]])
    let predictions = try #require(cases.first?["predictions"] as? [[String: Any]])
    let near = try #require(predictions.first?["time"] as? [String: Any])
    let far = try #require(predictions.last?["time"] as? [String: Any])
    let seconds = try #require(near["value"] as? Double)
    #expect(abs(seconds / oneSave.truth(100_000) - 1) < 0.1)
    #expect((far["refused"] as? String)?.contains("25 times the largest measured size") == true)
    let counters = try #require(cases.first?["counters"] as? [[String: Any]])
    #expect(counters.first?["name"] as? String == "sqlite.cacheMisses")
    #expect(counters.first?["extrapolationError"] as? Double != nil)
    let parts = try #require(cases.first?["parts"] as? [String: Double])
    #expect(abs(parts.values.reduce(0, +) - 1) < 1e-6)
  }
}

import Basics
import Foundation
import Reporting
import Runner
import TestSupport
import Testing

@testable import Forecasting

struct ForecastSentencesTests {
  private let shape = EntityShape(
    smaller: ["Task": 800, "Project": 200],
    larger: ["Task": 80_000, "Project": 20_000]
  )

  private func way(
    _ name: String,
    seconds: Double,
    goal: String = "v2",
    frameworkWay: String? = nil,
    assumptions: [Behaviour] = [],
    failure: String? = nil
  ) -> LadderRun.Outcome {
    var ladder = SyntheticLadder(seconds: { 0.001 + seconds * $0 })
    ladder.design = .quick(seed: 7)
    return LadderRun.Outcome(
      name: name,
      goal: goal,
      frameworkWay: frameworkWay,
      assumptions: assumptions,
      observations: ladder.observations(seed: 5),
      failure: failure
    )
  }

  private func forecast(
    _ outcomes: [LadderRun.Outcome],
    _ questions: ForecastQuestions = ForecastQuestions(sizes: [.objects(100_000)])
  ) -> ForecastReport {
    ForecastReport(
      workload: "migration",
      environment: .example,
      outcomes: outcomes,
      questions: questions
    )
  }

  private func population(_ csv: String) throws -> PopulationFile {
    try PopulationFile(csv: csv, path: "users.csv", shape: shape)
  }

  /// The report's text without the terminal's line breaks.
  private func words(of report: Report) -> String {
    report.text(width: 80).split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  @Test func `in place and rebuilding are a range of one strategy`() {
    let report = forecast([
      way("strategy=lightweight,to=v2", seconds: 60e-6, frameworkWay: "lightweight"),
      way("shape=rebuild,strategy=lightweight,to=v2", seconds: 90e-6, frameworkWay: "lightweight"),
    ])
    #expect(Set(report.sections[0].answers.map(\.choice)).count == 1)
    let text = words(of: report.report(explains: false))
    #expect(text.hasPrefix("With lightweight, a store of 100,000 objects takes "), "\(text)")
    #expect(
      text.contains(
        "disk. The framework's own migration may work in 2 ways; the range covers all of them, "
          + "because it is not known which way is used. "
      ),
      "\(text)"
    )
  }

  @Test func `compares with the goal of the framework's own migration, even if it is alone`() {
    let report = forecast([
      way("strategy=lightweight", seconds: 1e-6, goal: "v2, backup", frameworkWay: "lightweight"),
      way("batchSize=100,strategy=sideBySide", seconds: 2e-6),
      way("batchSize=1000,strategy=sideBySide", seconds: 3e-6),
    ])
    #expect(report.sections[0].recommendation?.name == "strategy=lightweight")
    let text = words(of: report.report())
    #expect(text.contains("no other way is needed for 'v2, backup'."), "\(text)")
    #expect(text.contains("Not compared: side by side, batch size 100; side by side, batch size "))
  }

  @Test func `two cases with other safeguards each have their time, and the difference is named`() {
    let report = forecast([
      way("backup=copy,strategy=sideBySide", seconds: 1e-6, goal: "v2, backup: copy"),
      way("backup=none,strategy=sideBySide", seconds: 2e-6, goal: "v2, backup: none"),
    ])
    let text = words(of: report.report())
    #expect(
      text.hasPrefix("With side by side, backup copy, a store of 100,000 objects takes "),
      "\(text)"
    )
    #expect(text.contains("With side by side, backup none, a store of 100,000 objects takes "))
    #expect(
      text.contains(
        "No recommendation: the strategies end in other data, or have other safeguards ('backup: "
          + "copy', 'backup: none'); '--set backup=copy' gives each a backup."
      )
    )
    #expect(text.contains("With side by side, backup copy, all known sizes, to "), "\(text)")
    #expect(text.contains("With side by side, backup none, all known sizes, to "), "\(text)")
    let html = report.report().html.replacing("\u{A0}", with: " ")
    #expect(html.contains("side by side, backup copy: time by store size"))
  }

  @Test func `a terminal shows how far a forecast extrapolates, and what to measure then`() {
    func text(_ objects: Double) -> String {
      let questions = ForecastQuestions(sizes: [.objects(objects)])
      return words(
        of: forecast([way("saves=one", seconds: 1e-6)], questions).report(explains: false)
      )
    }
    #expect(
      text(500_000).contains(
        "objects; the largest predicted store has 31.3 times as many, extrapolated. ! Leave out "
          + "--ladder quick before you decide: the largest store is over 8 times "
      ),
      "\(text(500_000))"
    )
    #expect(text(100_000).contains("the largest predicted store has 6.25 times as many"))
    #expect(!text(100_000).contains("before you decide"))
  }

  @Test func `a single case is named by its strategy, also where it says which stores fit`() {
    let outcome = way("batchSize=100,strategy=sideBySide,to=v2", seconds: 60e-6)
    let text = words(of: forecast([outcome]).report())
    #expect(text.hasPrefix("With side by side, a store of 100,000 objects takes "), "\(text)")
    #expect(text.contains("With side by side, stores up to "), "\(text)")
  }

  @Test func `says that no store fits, or that all known sizes do`() {
    let questions = ForecastQuestions(
      sizes: [.objects(100_000)],
      budgets: [ResourceBudget(.time, limit: 1e-7), ResourceBudget(.time, limit: 1e6)]
    )
    let text = words(of: forecast([way("saves=one", seconds: 1e-6)], questions).report())
    #expect(text.contains("No store fits "), "\(text)")
    #expect(text.contains("; all known sizes, to 640,000 objects, fit "), "\(text)")
    #expect(text.contains("all known, to 640,000"))
    #expect(!text.contains("none objects") && !text.contains("over 640,000"))
  }

  @Test func `sizes are expected to fit where the upper end of the interval does not`() throws {
    let outcome = way("saves=one", seconds: 1e-6)
    let known = forecast([outcome]).sections[0].answers[0].forecast
    let limit = try known.predict(.time, objects: 640_000).get().value * 1.001
    let questions = ForecastQuestions(
      sizes: [.objects(100_000)],
      budgets: [ResourceBudget(.time, limit: limit)]
    )
    let text = words(of: forecast([outcome], questions).report())
    #expect(text.contains("All known sizes, to 640,000 objects, are expected to fit "), "\(text)")
    #expect(text.contains(" (by the upper end of the interval, stores up to "), "\(text)")
  }

  @Test func `users of unknown time are stated, also for a range of two ways`() throws {
    let questions = ForecastQuestions(
      population: try population("objects,users\n1000,95\n50000000,5\n")
    )
    let report = forecast(
      [
        way("shape=inPlace,strategy=lightweight", seconds: 1e-6),
        way("shape=rebuild,strategy=lightweight", seconds: 2e-6),
      ],
      questions
    )
    let text = words(of: report.report())
    #expect(
      text.contains(
        "At most 5.0 % of your users, whose time is not known, exceed 3 s (white screen); at most "
          + "5.0 % "
      ),
      "\(text)"
    )
    #expect(text.contains("Nothing is predicted for up to 5.0 % of users"))
  }

  @Test(arguments: [
    ("1000,99999\n400000,1", "<0.1 % of your users exceed 3 s (white screen)"),
    ("1000,1\n400000,299", ">99 % of your users exceed 3 s (white screen)"),
    (
      "1000,90\n400000,5\n50000000,5",
      "10 % of your users (the time of 5.0 % is not known) exceed 3 s (white screen)"
    ),
  ])
  func `a share of the users is neither none nor all of them, and stands once`(
    users: String,
    sentence: String
  ) throws {
    let questions = ForecastQuestions(population: try population("objects,users\n\(users)\n"))
    let text = words(of: forecast([way("saves=one", seconds: 25e-6)], questions).report())
    #expect(text.contains(sentence), "\(text)")
  }

  @Test func `never says none of your users if some stores are larger than all listed`() throws {
    let questions = ForecastQuestions(
      population: try population("quantile,objects\n0.5,2000\n0.99,200000\n")
    )
    let report = forecast(
      [way("strategy=lightweight", seconds: 1e-6, frameworkWay: "lightweight")],
      questions
    )
    let text = words(of: report.report())
    #expect(!text.contains("None of your users") && !text.contains("our largest store"))
    #expect(
      text.contains("for stores of up to 200,000 objects, which 99 % of your users have"),
      "\(text)"
    )
    #expect(text.contains("a store of 200,000 objects, the largest of 99 % of your users, takes"))
  }

  @Test func `sizes that were asked for are printed in full`() {
    let questions = ForecastQuestions(sizes: [.objects(543_210)])
    let text = words(
      of: forecast(
        [
          way("strategy=lightweight", seconds: 1e-6, frameworkWay: "lightweight"),
          way("strategy=sideBySide", seconds: 2e-6),
        ],
        questions
      ).report()
    )
    #expect(text.contains("543,210 objects") && !text.contains("543,000"), "\(text)")
  }

  @Test func `a strategy that failed is in the report and in its JSON`() throws {
    let report = forecast([
      way("strategy=lightweight", seconds: 60e-6, frameworkWay: "lightweight"),
      way("strategy=sideBySide", seconds: 1e-6, failure: "at 90,510 objects: it broke"),
    ])
    let text = words(of: report.report())
    #expect(text.contains("Side by side failed at 90,510 objects: it broke."), "\(text)")
    #expect(!text.contains("Only one strategy was predicted"))
    let json = try JSONSerialization.jsonObject(with: Data(try report.jsonText().utf8))
    let document = try #require(json as? [String: Any])
    let failures = try #require(document["failures"] as? [[String: Any]])
    #expect(failures.first?["name"] as? String == "strategy=sideBySide")
    #expect(failures.first?["reason"] as? String == "at 90,510 objects: it broke")
  }

  @Test func `says why nothing is predicted if every strategy failed`() {
    let view = forecast([way("saves=one", seconds: 1e-6, failure: "at 1,000 objects: it broke")])
      .report()
    #expect(view.title.plain == "Nothing is predicted, because every strategy of migration failed")
    #expect(view.verdict?.plain == "Saves one failed at 1,000 objects: it broke.")
  }

  private func observed(_ csv: String) throws -> (path: String, migrations: [ObservedMigration]) {
    ("seen.csv", try ObservedMigration.read(csv: csv, path: "seen.csv", shape: shape))
  }

  private func lightweight(_ shape: String, seconds: Double) -> LadderRun.Outcome {
    way(
      "shape=\(shape),strategy=lightweight",
      seconds: seconds,
      frameworkWay: "lightweight",
      assumptions: [
        Behaviour(
          name: "lightweightMigration",
          value: shape,
          evidence: .assumed,
          parameter: "shape",
          alternatives: ["inPlace", "rebuild"].filter { $0 != shape }
        )
      ]
    )
  }

  private var ways: [LadderRun.Outcome] {
    [lightweight("inPlace", seconds: 30e-6), lightweight("rebuild", seconds: 90e-6)]
  }

  @Test func `an observed migration has its time, whichever way it took`() throws {
    let questions = ForecastQuestions(
      sizes: [.objects(100_000)],
      observed: try observed("objects,duration_seconds\n100000,48\n")
    )
    let report = forecast(ways, questions)
    for (way, answer) in zip(ways, report.sections[0].answers) {
      let alone = forecast([way], questions).sections[0].answers[0].forecast
      let time = try answer.forecast.predict(.time, objects: 100_000).get()
      #expect(abs(time.value / 48 - 1) < 1e-9)
      #expect(try alone.predict(.time, objects: 100_000).get() == time)
    }
    let text = words(of: report.report())
    #expect(text.contains("takes 48.0 s (90 % interval: "), "\(text)")
    #expect(
      text.contains(
        "2 ways; each is scaled to the observed migrations by itself, and the interval covers all "
      ),
      "\(text)"
    )
    #expect(
      text.contains(" times the time of this machine, depending on how the framework's own "),
      "\(text)"
    )
  }

  @Test func `at another size the ways that an observed migration may have taken are a range`()
    throws
  {
    let questions = ForecastQuestions(
      sizes: [.objects(400_000)],
      observed: try observed("objects,duration_seconds\n2000,1\n")
    )
    // The two strategies' fixed costs differ, so the ratio of their times changes with the size.
    var slow = SyntheticLadder(seconds: { 0.2 + 30e-6 * $0 })
    slow.design = .quick(seed: 7)
    let flat = LadderRun.Outcome(
      name: ways[1].name,
      goal: ways[1].goal,
      frameworkWay: "lightweight",
      assumptions: ways[1].assumptions,
      observations: slow.observations(seed: 5),
      failure: nil
    )
    let text = words(of: forecast([ways[0], flat], questions).report(explains: false))
    #expect(text.contains("by itself, and the range covers all of them, because "), "\(text)")
  }

  @Test func `another strategy is scaled by the middle of the ways of the observed one`() throws {
    let questions = ForecastQuestions(
      sizes: [.objects(100_000)],
      observed: try observed("strategy,objects,duration_seconds\nlightweight,100000,48\n")
    )
    let report = forecast(ways + [way("strategy=sideBySide", seconds: 50e-6)], questions)
    let scales = report.sections[0].answers.compactMap(\.forecast.machine)
    try #require(scales.count == 3)
    let distance = log(scales[0].factor / scales[1].factor)
    #expect(abs(scales[2].factor - (scales[0].factor * scales[1].factor).squareRoot()) < 1e-9)
    #expect(abs(distance) > 0.5)
    #expect(abs(scales[2].variance - scales[0].variance - distance * distance / 4) < 1e-9)
  }

  @Test func `a report that names its way scales both ways alike`() throws {
    let questions = ForecastQuestions(
      sizes: [.objects(100_000)],
      observed: try observed("strategy,objects,duration_seconds\nrebuild,100000,48\n")
    )
    let report = forecast(ways, questions)
    let scales = report.sections[0].answers.compactMap(\.forecast.machine)
    #expect(scales.count == 2 && Set(scales).count == 1)
    let rebuilt = report.sections[0].answers[1].forecast
    #expect(abs(try rebuilt.predict(.time, objects: 100_000).get().value / 48 - 1) < 1e-9)
    #expect(!words(of: report.report()).contains("depending on how the framework's own"))
  }

  @Test func `counts the observed migrations that were used, and why others were not`() throws {
    let csv =
      "device,objects,duration_seconds\nphone,100000,4\nphone,9000000,400\nphone,8000000,300\n"
    let questions = ForecastQuestions(sizes: [.objects(100_000)], observed: try observed(csv))
    let view = forecast([way("saves=one", seconds: 1e-6)], questions).report(explains: false)
    let verdict = try #require(view.verdict).plain
    #expect(
      verdict.contains(
        "'seen.csv': 2 of 3 migrations of phone not used, because a store of 9,000,000 objects "
          + "cannot be compared: the size is more than 40 times "
      ),
      "\(verdict)"
    )
    #expect(view.title.plain.contains(" of memory on this "))
    #expect(view.next?.plain.contains("--observed") == false)
    let whole = words(of: forecast([way("saves=one", seconds: 1e-6)], questions).report())
    #expect(whole.contains("from 1 observed migration:"), "\(whole)")
  }

  @Test func `an observed migration of a strategy that failed is not used`() throws {
    let csv = "strategy,objects,duration_seconds\nsideBySide,100000,4\n"
    let questions = ForecastQuestions(sizes: [.objects(100_000)], observed: try observed(csv))
    let report = forecast(
      [
        way("strategy=lightweight", seconds: 60e-6, frameworkWay: "lightweight"),
        way("strategy=sideBySide", seconds: 1e-6, failure: "at 90,510 objects: it broke"),
      ],
      questions
    )
    let verdict = try #require(report.report(explains: false).verdict).plain
    #expect(
      verdict.contains("because the strategy 'sideBySide' failed here. The times are those of ")
    )
  }

  @Test func `strategies are drawn at one size, and those without a time are named`() throws {
    var bent = way("saves=some", seconds: 3e-6)
    bent = LadderRun.Outcome(
      name: bent.name,
      goal: bent.goal,
      observations: bent.observations.filter { $0.size < 9000 },
      failure: nil
    )
    let questions = ForecastQuestions(sizes: [.objects(600_000)])
    let html = forecast(
      [way("saves=one", seconds: 1e-6), way("saves=all", seconds: 2e-6), bent],
      questions
    ).report().html.replacing("\u{A0}", with: " ")
    #expect(html.contains("A store of 600,000 objects"))
    #expect(html.contains("log scale; time unknown: saves some"))
  }
}

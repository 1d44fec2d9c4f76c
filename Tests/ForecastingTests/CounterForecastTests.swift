import Foundation
import TestSupport
import Testing

@testable import Forecasting
@testable import Reporter
@testable import Runner

/// Forecasts of work whose counters alone are predicted.
struct CounterForecastTests {
  /// A replay that scans, sorts, and faults one object in sixteen.
  private static let ladder = SyntheticLadder(
    seconds: { 0.01 + 8e-6 * $0 },
    counters: { size in
      [
        "replay.statements": 3 + (size / 16).rounded(), "sqlite.vmSteps": 12 * size * log2(size),
        "vfs.writeBytes": 0, "replay.divergence": size > 50_000 ? 0.25 : 0,
      ]
    },
    design: LadderDesign(rungs: LadderDesign.steps(from: 1000, halves: 12), repeats: 1)
  )

  private func forecast() -> CounterForecast {
    CounterForecast(LadderData(Self.ladder.observations(seed: 1)))
  }

  private func counter(_ metric: String) throws -> CounterForecast.Counter {
    try #require(CounterForecast.counters.first { $0.metric == metric })
  }

  @Test(arguments: [("replay.statements", 64_003.0), ("sqlite.vmSteps", 12 * 1_024_000 * 19.9658)])
  func `predicts an exact counter at 16 times the ladder`(metric: String, truth: Double) throws {
    let found = try forecast().predict(try counter(metric), objects: 1_024_000).get()
    #expect(abs(found.value / truth - 1) < 0.02)
    #expect(found.contains(truth))
    #expect(found.halfWidth > 0.005)
  }

  @Test func `a counter that no size has is predicted as none`() throws {
    let forecast = forecast()
    let none = try counter("vfs.writeBytes")
    #expect(try forecast.predict(none, objects: 1e6).get() == Interval(value: 0, low: 0, high: 0))
    #expect(!forecast.counted.contains(none))
  }

  @Test func `refuses sizes far beyond the ladder, and a ladder of few sizes`() throws {
    let steps = try counter("sqlite.vmSteps")
    #expect(forecast().predict(steps, objects: 1e8) == .failure(.beyondLadder(top: 64_000)))
    var small = Self.ladder
    small.design = LadderDesign(rungs: [1000, 2000, 4000], repeats: 1)
    let few = CounterForecast(LadderData(small.observations(seed: 1)))
    #expect(few.predict(steps, objects: 8000) == .failure(.tooFewRungs(count: 3)))
  }

  /// Pages that so many lookups at random find on a store.
  private static func pages(_ size: Double, lookups: Double) -> Double {
    let pages = size / 15
    return (4 + pages * -expm1(-lookups / pages)).rounded()
  }

  // An app deletes what it deletes, however large the store is.
  @Test(arguments: [300.0, 1000, 5000])
  func `work of a fixed number of lookups levels off`(lookups: Double) throws {
    var ladder = Self.ladder
    ladder.counters = { size in
      [
        "sqlite.vmSteps": lookups * (12 + log2(size)),
        "sqlite.cacheWrites": Self.pages(size, lookups: lookups),
      ]
    }
    let forecast = CounterForecast(LadderData(ladder.observations(seed: 1)))
    let found = try forecast.predict(try counter("sqlite.cacheWrites"), objects: 1_024_000).get()
    let truth = Self.pages(1_024_000, lookups: lookups)
    #expect(found.contains(truth), "\(found), not \(truth)")
    // In proportion to the store it would be 16 times the pages of the top.
    #expect(found.high < 16 * Self.pages(64_000, lookups: lookups))
  }

  // Small stores show only rows that enter the sort, large ones mostly rows that do not.
  @Test func `steps of a sort that keeps few rows may fall for each row`() throws {
    var ladder = Self.ladder
    ladder.counters = { size in
      [
        "sqlite.vmSteps": 22 * size, "sqlite.fullScanSteps": size, "sqlite.sorts": 1,
        "replay.rows": 50,
      ]
    }
    let forecast = CounterForecast(LadderData(ladder.observations(seed: 1)))
    let steps = try forecast.predict(try counter("sqlite.vmSteps"), objects: 1_024_000).get()
    #expect(steps.contains(22 * 1_024_000) && steps.contains(8 * 1_024_000))
    #expect(!steps.contains(4 * 1_024_000))
    // A sort of all rows has no such choice.
    ladder.counters = { [counters = ladder.counters] size in
      counters(size).merging(["replay.rows": size]) { $1 }
    }
    let whole = CounterForecast(LadderData(ladder.observations(seed: 1)))
    let all = try whole.predict(try counter("sqlite.vmSteps"), objects: 1_024_000).get()
    #expect(all.contains(22 * 1_024_000) && !all.contains(8 * 1_024_000))
  }

  private func report(_ names: [String]) -> CounterReport {
    CounterReport(
      workload: "list",
      environment: .example,
      outcomes: names.map {
        LadderRun.Outcome(
          name: $0,
          observations: Self.ladder.observations(seed: 1),
          failure: nil
        )
      },
      sizes: [.objects(1_024_000), .objects(1e9)]
    )
  }

  @Test func `answers with counters, and says why without times`() throws {
    let text = CounterReportText(report: report(["list"]), width: 80, explains: true).text
    let words = text.split { $0.isWhitespace }.joined(separator: " ")
    #expect(text.hasPrefix("Forecast of list\nA store of 1,024,000 objects: 63,9"))
    #expect(words.contains("Times are not predicted: their error at 16 times"))
    #expect(words.contains("NOT EVIDENCE: at 64,000 objects the replay differs from the log"))
    #expect(words.contains("SQLite's steps: n log n"))
    #expect(words.contains("unknown: the size is more than 100 times the largest measured size"))
    #expect(!text.contains("bytes written"))
    for line in text.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
  }

  @Test func `gives programs the same`() throws {
    let text = try CounterReportJSON(report: report(["fix=a", "fix=b"])).text
    let document = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    )
    #expect((document["timeRefused"] as? String)?.hasPrefix("times are not predicted") == true)
    let cases = try #require(document["cases"] as? [[String: Any]])
    #expect(cases.map { $0["name"] as? String } == ["fix=a", "fix=b"])
    #expect(cases.first?["divergence"] as? Double == 0.25)
    let predictions = try #require(cases.first?["predictions"] as? [[String: Any]])
    #expect(predictions.first?["counter"] as? String == "replay.statements")
    #expect(predictions.last?["refused"] as? String != nil)
  }

  /// A kind whose cases follow the store's size by a parameter.
  private struct Scaled: WorkloadKind {
    static let description = KindDescription(
      name: "scaled",
      summary: "nothing",
      forecast: .counters(scale: "scale", fixed: ["values": "mapped"])
    )
    struct Parameters: ParameterSet {
      @Parameter(0.001...1_000_000, "objects") var scale = 1.0
      @Parameter(.name, "values") var values = "auto"
    }
    let parameters: Parameters

    func prepare(_ trial: Trial) throws {}
    func run(_ session: Void, _ recorder: Recorder) throws {}
    func verify(_ session: Void, _ trial: Trial) throws -> Verification {
      Verification(digest: "")
    }
  }

  @Test func `each size of a ladder sets its scale`() throws {
    let bench = try StubbedMigration()
    let file = try bench.folder.write(
      "kind: scaled\nstore: { recipe: recipes/tasks.yaml }\nparameters: { scale: 2 }\n",
      to: "w/scaled.yaml"
    )
    let other = try bench.folder.write(
      "kind: migration\nstore: { recipe: recipes/tasks.yaml }\n",
      to: "w/copy.yaml"
    )
    let plan = try Plan(paths: [file], kinds: [Scaled.self])
    let ladderCase = try #require(try LadderCase.all(of: plan, like: nil).first)
    // The recipe has 300 objects, which are twice those of the log.
    let resized = try ladderCase.resized(to: LadderDesign.Turn(objects: 6000)).cases.first
    #expect(resized?.allParameters["scale"] == .real(40))
    #expect(resized?.allParameters["values"] == .text("mapped"))
    let mixed = try Plan(paths: [file, other], kinds: [Scaled.self, StubbedMigration.Kind.self])
    #expect(throws: LadderError.mixedKinds(first: file, other: other)) {
      try LadderCase.all(of: mixed, like: nil)
    }
  }
}

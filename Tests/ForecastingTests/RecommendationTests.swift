import Testing

@testable import Forecasting

struct RecommendationTests {
  private let quick = SyntheticLadder(seconds: { 5e-6 * $0 }, memory: { 200e6 + 900 * $0 })
  private let slow = SyntheticLadder(seconds: { 25e-6 * $0 })

  private var candidates: [Recommendation.Candidate] {
    [
      (name: "batches of 100", forecast: slow.forecast()),
      (name: "one save", forecast: quick.forecast()),
    ]
  }

  @Test func `recommends what is fastest at a size, with the reason`() throws {
    let found = try #require(Recommendation(among: candidates, at: 1_000_000))
    #expect(found.name == "one save")
    #expect(found.reason == "20 % of the time of batches of 100 at 1,000,000 objects")
  }

  @Test func `recommends what the fewest users are left out by`() throws {
    let population = Population([
      .init(objects: 10_000, users: 90), .init(objects: 300_000, users: 10),
    ])
    let byTime = try #require(
      Recommendation(among: candidates, for: population, within: ResourceBudget.launch)
    )
    #expect(byTime.name == "one save")
    #expect(
      byTime.reason
        == "With it, none of your users exceed 3 s (white screen); with any other strategy 10 % "
        + "or more do"
    )
    let memory = ResourceBudget(.memory, limit: 250e6, name: "")
    let byMemory = try #require(
      Recommendation(among: candidates, for: population, within: [memory])
    )
    #expect(byMemory.name == "batches of 100")
  }

  @Test func `of two that are as fast the one with less memory is recommended`() throws {
    let hungry = SyntheticLadder(seconds: { 25e-6 * $0 }, memory: { 500e6 + 900 * $0 })
    let found = try #require(
      Recommendation(
        among: [
          (name: "hungry", forecast: hungry.forecast(seed: 2)),
          (name: "modest", forecast: slow.forecast()),
        ],
        at: 100_000
      )
    )
    #expect(found.name == "modest")
    #expect(found.reason.hasPrefix("As fast as hungry at 100,000 objects, with"))
  }

  @Test func `says how many strategies could not be judged`() throws {
    var drifting = slow
    drifting.drift = 3
    let others = candidates + [(name: "drifting", forecast: drifting.forecast())]
    let found = try #require(Recommendation(among: others, at: 1_000_000))
    #expect(found.name == "one save")
    #expect(found.reason.hasSuffix("; 1 strategy not judged, because the time is unknown"))
  }

  @Test(arguments: [
    (ResourceBudget(.time, limit: 0.05), "50 ms"),
    (ResourceBudget(.time, limit: 2.5), "2.5 s"),
    (ResourceBudget(.memory, limit: 200 * 1_048_576), "200 MB of memory"),
    (ResourceBudget(.disk, limit: 1_073_741_824), "1 GB of disk"),
    (ResourceBudget(.disk, limit: 2048), "2 KB of disk"),
  ])
  func `budgets are named in the unit that suits them`(budget: ResourceBudget, title: String) {
    #expect(budget.title == title)
  }

  @Test func `there is nothing to recommend among one`() {
    #expect(Recommendation(among: [candidates[0]], at: 1000) == nil)
  }
}

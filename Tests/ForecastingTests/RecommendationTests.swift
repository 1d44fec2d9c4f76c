import Basics
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
    let found = try #require(Recommendation(among: candidates, at: 1_000_000, within: []))
    #expect(found.name == "one save")
    let most = try candidates.map { candidate in
      Figures.seconds(try candidate.forecast.predict(.time, objects: 1_000_000).get().high)
    }
    #expect(
      found.reason == "At most \(most[1]) at 1,000,000 objects; batches of 100 at most \(most[0])"
    )
  }

  @Test func `budgets come before time at a size`() throws {
    let memory = ResourceBudget(.memory, limit: 400e6)
    let found = try #require(Recommendation(among: candidates, at: 1_000_000, within: [memory]))
    #expect(found.name == "batches of 100")
    #expect(
      found.reason
        == "Only it is predicted to fit \(memory.title) at 1,000,000 objects, by the upper end of "
        + "the interval"
    )
  }

  @Test func `says so if no strategy fits a budget`() throws {
    let budgets = [ResourceBudget(.time, limit: 1), ResourceBudget(.memory, limit: 5e9)]
    let found = try #require(Recommendation(among: candidates, at: 1_000_000, within: budgets))
    #expect(found.name == "one save")
    #expect(found.reason.hasSuffix("; none fits 1 s"), "\(found.reason)")
  }

  @Test func `times are not told apart if one interval contains the value of the other`() throws {
    // The noise of the strategy `wide` widens only its own interval.
    let wide = SyntheticLadder(seconds: { 27e-6 * $0 }, noise: 0.3)
    let pair = [
      (name: "narrow", forecast: slow.forecast()), (name: "wide", forecast: wide.forecast()),
    ]
    let found = try #require(Recommendation(among: pair, at: 1_000_000, within: []))
    #expect(found.reason.hasPrefix("Its time cannot be told from that of "), "\(found.reason)")
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
        == "With it, none of your users exceed 3 s (white screen); with any other 10 % or "
        + "more may"
    )
    let memory = ResourceBudget(.memory, limit: 250e6, name: "")
    let byMemory = try #require(
      Recommendation(among: candidates, for: population, within: [memory])
    )
    #expect(byMemory.name == "batches of 100")
  }

  @Test func `names few users, close shares and all users as what they are`() throws {
    func reason(_ users: [Double], _ budget: ResourceBudget) throws -> String {
      let groups = zip([10_000.0, 300_000, 1_000_000], users).map { objects, users in
        Population.Group(objects: objects, users: users)
      }
      let found = Recommendation(among: candidates, for: Population(groups), within: [budget])
      return try #require(found).reason
    }
    let screen = ResourceBudget.launch[0]
    #expect(
      try reason([8_997, 1_000, 3], screen)
        == "With it, fewer than 0.1 % of users exceed 3 s (white screen); with any other 10 % or "
        + "more may"
    )
    #expect(
      try reason([8_960, 20, 1_020], screen)
        == "With it, at most 10.2 % of users exceed 3 s (white screen); with any other 10.4 % or "
        + "more may"
    )
    let memory = ResourceBudget(.memory, limit: 150e6)
    #expect(
      try reason([90, 10], memory)
        == "With it, none of your users exceed \(memory.title); with any other, all may"
    )
  }

  @Test func `users for whom nothing is predicted do not decide`() throws {
    // The faster strategy bends at 200,000 objects and has no forecast above 400,000.
    let bend = Forecast.Bend(name: "it bends", size: 200_000)
    let pair = [
      (name: "one save", forecast: quick.forecast(bends: [bend])),
      (name: "batches of 100", forecast: slow.forecast()),
    ]
    let population = Population([
      .init(objects: 10_000, users: 995), .init(objects: 500_000, users: 5),
    ])
    let budget = ResourceBudget(.time, limit: 1000)
    let found = try #require(Recommendation(among: pair, for: population, within: [budget]))
    #expect(found.name == "one save")
    #expect(!found.reason.contains("users"), "\(found.reason)")
  }

  @Test func `of two that are as fast the one with less memory is recommended`() throws {
    let hungry = SyntheticLadder(seconds: { 25e-6 * $0 }, memory: { 500e6 + 900 * $0 })
    let found = try #require(
      Recommendation(
        among: [
          (name: "hungry", forecast: hungry.forecast(seed: 2)),
          (name: "modest", forecast: slow.forecast()),
        ],
        at: 100_000,
        within: []
      )
    )
    #expect(found.name == "modest")
    #expect(
      found.reason.hasPrefix(
        "Its time cannot be told from that of hungry at 100,000 objects; it takes "
      )
    )
  }

  @Test func `says how many strategies could not be judged`() throws {
    var drifting = slow
    drifting.drift = 3
    let others = candidates + [(name: "drifting", forecast: drifting.forecast())]
    let found = try #require(Recommendation(among: others, at: 1_000_000, within: []))
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
    #expect(Recommendation(among: [candidates[0]], at: 1000, within: []) == nil)
  }
}

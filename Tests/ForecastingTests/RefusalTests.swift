import Basics
import Foundation
import Testing

@testable import Forecasting

struct RefusalTests {
  private let ladder = SyntheticLadder(seconds: { 0.01 + 25e-6 * $0 })

  @Test(
    arguments: [
      (
        LadderDesign.full(seed: 7), 128_000, 25,
        "'objects' below 'store' in the workload file makes"
      ),
      (.quick(seed: 7), 16_000, 40, "without '--ladder quick', 3,200,000 objects are in reach"),
    ]
  )
  func `nothing is known beyond 25 times a full ladder and 40 times a quick one`(
    design: LadderDesign,
    top: Int,
    times: Int,
    help: String
  ) throws {
    var measured = ladder
    measured.design = design
    let forecast = measured.forecast()
    let farthest = Double(top * times)
    for resource in [Resource.time, .memory, .disk] {
      let refusal = #expect(throws: NoForecast.self) {
        try forecast.predict(resource, objects: farthest + 1).get()
      }
      #expect(refusal?.description.contains("more than \(times) times the largest") == true)
      #expect(refusal?.description.contains(help) == true)
      #expect(throws: Never.self) { try forecast.predict(resource, objects: farthest).get() }
    }
  }

  @Test func `the way beyond a ladder is one that reaches the size`() {
    let quick = NoForecast.beyondLadder(top: 16_000, times: 40, isQuick: true)
    #expect(quick.words(for: 3_200_000, like: nil).contains("without '--ladder quick'"))
    #expect(!quick.words(for: 3_200_001, like: nil).contains("--ladder"))
    #expect(
      quick.words(for: 4e6, like: "App.sqlite").hasSuffix(
        "'storebench generate --like App.sqlite --to 4000000' makes such a store, and "
          + "'storebench run --store' measures it"
      )
    )
  }

  @Test func `nothing is said twice past a bend that the ladder has not seen`() throws {
    let bend = Forecast.Bend(name: "the store outgrows the machine's memory", size: 200_000)
    let forecast = ladder.forecast(bends: [bend])
    let refusal = #expect(throws: NoForecast.self) {
      try forecast.predict(.time, objects: 400_001).get()
    }
    #expect(
      refusal?.description
        == "the store outgrows the machine's memory at about 200,000 objects, but the largest "
        + "measured size is 128,000"
    )
    #expect(throws: Never.self) { try forecast.predict(.time, objects: 399_999).get() }
    #expect(throws: Never.self) { try forecast.predict(.memory, objects: 900_000).get() }
    let seen = ladder.forecast(bends: [Forecast.Bend(name: bend.name, size: 30_000)])
    #expect(throws: Never.self) { try seen.predict(.time, objects: 900_000).get() }
  }

  @Test func `a cost that follows no law is refused`() throws {
    func forecast(dearer factor: Double) -> Forecast {
      SyntheticLadder(
        seconds: { $0 * 1e-5 * (Int($0.rounded()).isMultiple(of: 1000) ? 1 : factor) }
      ).forecast()
    }
    let poor = forecast(dearer: 6)
    guard case .failure(.poorFit(let misfit)) = poor.predict(.time, objects: 1e5) else {
      Issue.record("it was predicted")
      return
    }
    #expect(misfit > 2)
    // A smaller misfit still gives a forecast, with a wide interval.
    let fair = forecast(dearer: 2.5)
    #expect((0.5...2).contains(try #require(fair.time).misfit))
    #expect(try fair.predict(.time, objects: 1e5).get().halfWidth > 0.3)
  }

  @Test func `drift widens the interval, and a great one is refused`() throws {
    let steady = try ladder.forecast().predict(.time, objects: 1e6).get()
    var drifting = ladder
    drifting.drift = 0.3
    let forecast = drifting.forecast()
    #expect(abs(forecast.data.drift.share - 0.3) < 0.1)
    #expect(try forecast.predict(.time, objects: 1e6).get().halfWidth > steady.halfWidth * 1.25)
    drifting.drift = 2
    guard case .failure(.drifted) = drifting.forecast().predict(.time, objects: 1e6) else {
      Issue.record("it was predicted")
      return
    }
  }

  @Test func `four sizes are too few`() {
    var short = ladder
    short.design = LadderDesign(rungs: [1000, 2000, 4000, 8000], repeats: 3)
    #expect(throws: NoForecast.tooFewRungs(count: 4)) {
      try short.forecast().predict(.time, objects: 10_000).get()
    }
  }

  @Test func `what was not measured is not predicted`() {
    let bare = (0..<8).map { Observation(objects: ["Task": 1000 << $0], seconds: 0.1) }
    let forecast = Forecast(LadderData(bare))
    #expect(throws: NoForecast.notMeasured) { try forecast.predict(.disk, objects: 2000).get() }
  }

  @Test func `observations that no run can give are left out`() {
    let wrong = [
      Observation(objects: ["Task": 10], seconds: .nan),
      Observation(objects: ["Task": -5], seconds: 1), Observation(objects: [:], seconds: 1),
      Observation(objects: ["Task": 10], seconds: 1, peakMemory: .infinity),
    ]
    #expect(LadderData(wrong).rungs.isEmpty)
  }
}

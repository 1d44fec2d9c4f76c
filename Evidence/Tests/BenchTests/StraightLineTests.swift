import Runner
import Testing

@testable import Forecasting
@testable import bench

struct StraightLineTests {
  private func data(_ seconds: (Double) -> Double) -> LadderData {
    LadderData(
      [1000, 2000, 4000, 8000, 16_000].flatMap { size in
        [0.99, 1.01].map {
          Observation(objects: ["Task": size], seconds: seconds(Double(size)) * $0)
        }
      }
    )
  }

  @Test func `finds the line that the times lie on`() throws {
    let line = try #require(StraightLine(data { 0.1 + 0.001 * $0 }))
    let found = line.predict(objects: 100_000)
    #expect(abs(found.value - 100.1) < 1)
    #expect(found.contains(100.1))
  }

  @Test func `falls short of times that grow faster, and its score says so`() throws {
    let square: (Double) -> Double = { 0.1 + 1e-7 * $0 * $0 }
    let line = try #require(StraightLine(data(square)))
    let found = line.predict(objects: 100_000)
    #expect(!found.contains(square(100_000)))
    let true90 = Interval(value: 1000, low: 900, high: 1100)
    #expect(found.score(of: square(100_000)) > true90.score(of: square(100_000)))
  }

  @Test func `needs several sizes`() {
    #expect(StraightLine(LadderData([Observation(objects: ["Task": 9], seconds: 1)])) == nil)
  }

  @Test(arguments: [(100.0, 0.2), (120.0, 220.0 / 120), (80.0, 2.75)])
  func `an interval's score is its width and twenty times what lies outside`(
    outcome: Double,
    score: Double
  ) {
    let interval = Interval(value: 100, low: 90, high: 110)
    #expect(abs(interval.score(of: outcome) - score) < 1e-12)
  }
}

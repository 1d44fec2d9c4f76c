import Testing

@testable import Forecasting

/// Tests deletions of duplicates in batches, each of which reads all keys again.
struct DeletionBatchTests {
  /// A ladder up to 128,000 objects with 1 % duplicates; each batch reads all keys again.
  private func forecast(batch: Int) -> (forecast: Forecast, cost: (Double) -> Double) {
    let cost = { (size: Double) in
      0.05 + 2e-5 * size + 4e-6 * size * (size / 100 / Double(batch)).rounded(.up)
    }
    let data = LadderData(
      LadderDesign.full().rungs.flatMap { size in
        [0.995, 1.005].map { scatter in
          Observation(
            objects: ["Task": size],
            seconds: cost(Double(size)) * scatter,
            counters: [DeletionBatches.counter: Double(size) / 100]
          )
        }
      }
    )
    return (Forecast(data, batchSize: batch), cost)
  }

  @Test func `learns from several batches what further ones cost`() throws {
    let (forecast, cost) = forecast(batch: 100)
    let found = try forecast.predict(.time, objects: 512_000).get()
    #expect(abs(found.value / cost(512_000) - 1) < 0.1)
    #expect(found.contains(cost(512_000)))
  }

  @Test func `refuses far beyond a batch that no ladder has filled`() throws {
    let (forecast, _) = forecast(batch: 1280)
    #expect(throws: Never.self) { try forecast.predict(.time, objects: 200_000).get() }
    let error = #expect(throws: NoForecast.self) {
      try forecast.predict(.time, objects: 1_000_000).get()
    }
    #expect("\(try #require(error))".contains("duplicates are merged in several batches"))
  }

  @Test func `nothing changes where nothing is deleted`() {
    let data = LadderData([Observation(objects: ["Task": 1000], seconds: 1)])
    #expect(Forecast(data, batchSize: 100).bends.isEmpty)
  }
}

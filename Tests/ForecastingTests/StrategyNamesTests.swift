import Testing

@testable import Forecasting

struct StrategyNamesTests {
  @Test func `strategies are told apart by what they have not alike`() {
    let names = ForecastReport.strategies([
      "batchSize=100,saves=batches,to=v2", "batchSize=1000,saves=batches,to=v2",
    ])
    #expect(names.own == ["batchSize=100", "batchSize=1000"])
    #expect(names.common == ["saves=batches", "to=v2"])
  }

  @Test func `a single one keeps its whole name`() {
    let names = ForecastReport.strategies(["saves=batches,to=v2"])
    #expect(names.own == ["saves=batches,to=v2"])
    #expect(names.common.isEmpty)
  }

  @Test func `one that has nothing of its own keeps its whole name`() {
    #expect(ForecastReport.strategies(["to=v2", "saves=one,to=v2"]).own == ["to=v2", "saves=one"])
  }
}

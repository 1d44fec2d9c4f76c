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

  @Test func `the strategy is in every name`() {
    let names = ForecastReport.strategies([
      "batchSize=100,strategy=sideBySide,to=v2", "batchSize=1000,strategy=sideBySide,to=v2",
    ])
    #expect(
      names.own == ["batchSize=100,strategy=sideBySide", "batchSize=1000,strategy=sideBySide"]
    )
    #expect(names.common == ["to=v2"])
  }

  @Test(arguments: [
    ["strategy=lightweight,to=v2", "shape=rebuild,strategy=lightweight,to=v2"],
    ["to=v2", "shape=rebuild,to=v2"],
    ["shape=inPlace,to=v2", "shape=rebuild,to=v2"],
  ])
  func `in place and rebuilding are one choice`(names: [String]) {
    let choices = ForecastReport.strategies(names).own.map(ForecastReport.choice)
    #expect(Set(choices).count == 1 && !choices[0].isEmpty, "\(choices)")
  }

  @Test func `a deferred migration is a choice of the app`() {
    #expect(ForecastReport.choice("shape=deferred,to=v2") == "shape=deferred,to=v2")
    #expect(ForecastReport.choice("shape=rebuild,to=v2") == "to=v2")
  }
}

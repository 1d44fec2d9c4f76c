import Testing

@testable import storebench

struct StrategyNamesTests {
  @Test func `strategies are told apart by what they have not alike`() {
    let names = StrategyNames([
      "batchSize=100,saves=batches,to=v2", "batchSize=1000,saves=batches,to=v2",
    ])
    #expect(names.own == ["batchSize=100", "batchSize=1000"])
    #expect(names.common == ["saves=batches", "to=v2"])
  }

  @Test func `a single one keeps its whole name`() {
    let names = StrategyNames(["saves=batches,to=v2"])
    #expect(names.own == ["saves=batches,to=v2"])
    #expect(names.common.isEmpty)
  }

  @Test func `one that has nothing of its own keeps its whole name`() {
    #expect(StrategyNames(["to=v2", "saves=one,to=v2"]).own == ["to=v2", "saves=one"])
  }
}

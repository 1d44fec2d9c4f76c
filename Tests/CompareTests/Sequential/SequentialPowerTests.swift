import Foundation
import Testing

@testable import Compare
@testable import Runner

/// Repeats the simulation on which the figures in `BlockForecast` are based.
@Suite struct SequentialPowerTests {
  // The effect in standard deviations, and the numbers of blocks that detect it in 50, 80 and 95 %
  // of runs.
  @Test(
    arguments: [(0.75, [43, 59, 77]), (1, [30, 38, 49]), (2, [18, 19, 22]), (4, [17, 17, 17])]
      as [(Double, [Int])]
  )
  func `finds a change in as many blocks as published`(effect: Double, blocks: [Int]) {
    var noise = NormalDraws(seed: 53)
    let needed = (0..<200).map { _ in
      var process = SymmetryProcess()
      var count = 0
      while process.logEValue < log(4000), count < 150 {
        process.add(noise.next(mean: effect * 0.01, deviation: 0.01))
        count += 1
      }
      return count
    }.sorted()
    expect(needed, near: blocks)
  }

  @Test(
    arguments: [(0.75, [21, 30, 40]), (1, [14, 19, 25]), (2, [7, 8, 10])] as [(Double, [Int])]
  )
  func `finds a case unchanged in as many blocks as published`(margin: Double, blocks: [Int]) {
    var noise = NormalDraws(seed: 59)
    let needed = (0..<200).map { _ in
      var process = EquivalenceProcess(margin: margin * 0.01, level: 0.05)
      var count = 0
      while !process.isEstablished, count < 100 {
        process.add(noise.next(deviation: 0.01))
        count += 1
      }
      return count
    }.sorted()
    expect(needed, near: blocks)
  }

  // With 200 runs, the quantiles scatter by about a tenth, and the 95 % quantile by more.
  private func expect(_ needed: [Int], near blocks: [Int]) {
    for (share, published) in zip([0.5, 0.8, 0.95], blocks) {
      let found = needed[Int(share * Double(needed.count))]
      #expect(abs(Double(found - published)) <= max(2, 0.15 * Double(published)))
    }
  }

  @Test func `forecasts less for an easier threshold`() {
    let hard = BlockForecast(scale: 0.01, logThreshold: log(4000))
    let easy = BlockForecast(scale: 0.01, logThreshold: log(400))
    #expect(abs(hard.blocksToChanged(by: 0.02) - 20.76) < 1e-9)
    #expect(easy.blocksToChanged(by: 0.02) < hard.blocksToChanged(by: 0.02))
    #expect(hard.blocksToChanged(by: 0) == .infinity)
    #expect(hard.blocksToUnchanged(by: 0.02, margin: 0.02) == .infinity)
  }
}

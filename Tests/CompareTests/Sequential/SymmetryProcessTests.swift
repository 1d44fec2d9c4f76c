import Foundation
import Testing

@testable import Compare
@testable import Runner

@Suite struct SymmetryProcessTests {
  static let magnitudes: [[Double]] = [
    [0.01, 0.01, 0.01, 0.01, 0.01, 0.01],
    [0.02, 0.001, 0.003, 0.3, 0.004, 0.01, 0.002, 0.011],
    [0.0001, 0.00005, 0.02, 0.0003, 1.5, 0.0001, 0.0002, 0.0002, 0.0009, 0.4],
  ]

  // The martingale starts at 1, so its mean over all signs is 1, whatever the magnitudes.
  @Test(arguments: magnitudes, [SymmetryProcess.Alternative.differs, .isLess, .isGreater])
  func `wins nothing from fair coins`(
    magnitudes: [Double],
    alternative: SymmetryProcess.Alternative
  ) {
    for count in 1...magnitudes.count {
      let patterns = 0..<(1 << count)
      let sum = patterns.reduce(0.0) { sum, pattern in
        let values = (0..<count).map { pattern >> $0 & 1 == 0 ? magnitudes[$0] : -magnitudes[$0] }
        return sum
          + exp(SymmetryProcess(of: values, against: 0, alternative: alternative).logEValue)
      }
      #expect(abs(sum / Double(patterns.count) - 1) < 1e-9)
    }
  }

  // By Ville's inequality, at most 10 % of all histories ever reach 10; the limit adds three
  // standard errors.
  @Test(arguments: [true, false])
  func `reaches a level no more often than the level says`(hasSpikes: Bool) {
    let histories = 1000
    var noise = NormalDraws(seed: 11)
    let alarms = (0..<histories).count { _ in
      var process = SymmetryProcess()
      for _ in 0..<30 { process.add(hasSpikes ? noise.spiky() : noise.next()) }
      return process.largestLogEValue >= log(10)
    }
    #expect(Double(alarms) / Double(histories) < 0.1 + 3 * (0.1 * 0.9 / 1000).squareRoot())
    #expect(alarms > 0)
  }

  @Test func `sees a shift that the noise does not hide`() {
    var noise = NormalDraws(seed: 3)
    let process = SymmetryProcess(of: noise.values(30, mean: 0.03, deviation: 0.01), against: 0)
    #expect(process.logEValue > log(4000))
  }

  @Test func `gives the same digits with the sides exchanged`() {
    var noise = NormalDraws(seed: 5)
    let values = noise.values(40, mean: 0.3)
    let exchanged = SymmetryProcess(of: values.map { -$0 }, against: -0.1)
    #expect(SymmetryProcess(of: values, against: 0.1).logEValue == exchanged.logEValue)
    #expect(
      SymmetryProcess(of: values, against: 0, alternative: .isGreater).logEValue
        == SymmetryProcess(of: values.map { -$0 }, against: 0, alternative: .isLess).logEValue
    )
  }

  @Test func `gives a spike no vote`() {
    let steady = [0.01, -0.01, 0.012, -0.008, 0.011, -0.009]
    let before = SymmetryProcess(of: steady, against: 0)
    let after = SymmetryProcess(of: steady + [3], against: 0)
    #expect(after.logEValue == before.logEValue)
  }

  @Test func `wins and loses nothing by a block of no difference`() {
    #expect(SymmetryProcess(of: [0, 0, 0], against: 0).logEValue == 0)
  }

  @Test func `remembers the most evidence it had`() {
    var process = SymmetryProcess(of: Array(repeating: 1, count: 12), against: 0)
    let most = process.logEValue
    for _ in 0..<12 { process.add(-1) }
    #expect(process.largestLogEValue == most)
    #expect(process.logEValue < most)
  }
}

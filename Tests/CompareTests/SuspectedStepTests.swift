import Basics
import Compare
import Foundation
import Runner
import Testing

struct SuspectedStepTests {
  /// Returns independent random values with mean 1, a standard deviation of 3 % and a step.
  private func values(_ count: Int, seed: UInt64, step: Double = 0, at place: Int = 0) -> [Double] {
    var random = SplitMix64(state: seed)
    return (0..<count).map { index in
      let sum = (0..<12).reduce(0.0) { sum, _ in sum + Double.random(in: 0..<1, using: &random) }
      return (1 + (sum - 6) * 0.03) * (index < place ? 1 : 1 + step)
    }
  }

  @Test
  func `a step of a half that lasts five commits is suspected in nine of ten histories of 15`() {
    let found = (1...200).count { number in
      let place = 5 + number % 6
      let step = SuspectedStep(in: values(15, seed: UInt64(number), step: 0.5, at: place))
      return step.map { abs($0.place - place) <= 1 && abs($0.ratio - 1.5) < 0.15 } ?? false
    }
    #expect(found >= 180)
  }

  @Test func `a fall is suspected as well, and so is a step among outliers`() {
    let fall = values(15, seed: 3, step: -0.4, at: 8)
    #expect(SuspectedStep(in: fall)?.place == 8)
    var rise = values(15, seed: 4, step: 0.6, at: 8)
    (rise[2], rise[11]) = (9, 0.1)
    #expect(SuspectedStep(in: rise).map { abs($0.place - 8) <= 1 } == true)
  }

  @Test func `nothing is suspected without a step, before it has lasted, or of few outliers`() {
    for number in 1...200 { #expect(SuspectedStep(in: values(15, seed: UInt64(number))) == nil) }
    #expect(SuspectedStep(in: values(12, seed: 2, step: 0.5, at: 10)) == nil)
    #expect(SuspectedStep(in: values(15, seed: 2, step: 0.5, at: 10)) != nil)
    var values = values(15, seed: 5)
    (values[3], values[9], values[10]) = (3, 4, 2)
    #expect(SuspectedStep(in: values) == nil)
    #expect(SuspectedStep(in: []) == nil)
    #expect(SuspectedStep(in: [Double](repeating: 0, count: 20)) == nil)
    #expect(SuspectedStep(in: [Double](repeating: 1, count: 20)) == nil)
  }

  @Test func `a suspicion raises no alarm, and takes the place of 'too few'`() {
    let verdicts = ChangePointTest(series: 1)
      .verdicts(of: values(15, seed: 6, step: 0.5, at: 9), named: "s")
    guard case .suspected(9, _)? = verdicts.first, verdicts.count == 1 else {
      Issue.record("\(verdicts)")
      return
    }
  }
}

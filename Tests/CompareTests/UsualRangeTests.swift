import Foundation
import Testing

@testable import Compare
@testable import Runner

@Suite struct UsualRangeTests {
  // The expected quantiles come from the table in Abramowitz and Stegun, 26.10.
  @Test(
    arguments: [
      (1.0, 0.025, 12.7062), (2, 0.005, 9.9248), (4, 0.025, 2.7764), (4, 0.0005, 8.6103),
      (9, 0.005, 3.2498), (30, 0.025, 2.0423), (120, 0.0005, 3.3735),
    ])
  func `knows the quantiles of the t distribution`(degrees: Double, share: Double, t: Double) {
    #expect(abs(StudentT(degrees: degrees).upperQuantile(share) - t) < 0.00006)
  }

  @Test func `one more median is beyond the range as often as its level says`() throws {
    var state: UInt64 = 11
    func uniform() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(state >> 11) * 0x1p-53
    }
    // The sum of twelve uniform random numbers is close enough to normal at a level of 5 %.
    func median() -> Double {
      exp(0.05 * ((0..<12).reduce(0) { sum, _ in sum + uniform() } - 6))
    }
    let tries = 20_000
    var above = 0
    for _ in 0..<tries {
      let range = try #require(UsualRange(medians: (0..<5).map { _ in median() }, level: 0.05))
      if range.verdict(of: median()) == .regressed { above += 1 }
    }
    #expect((900...1100).contains(above), "\(above) of \(tries)")
  }

  @Test func `says nothing of four runs, nor of zeros`() {
    #expect(UsualRange(medians: [1, 1.1, 0.9, 1], level: 0.01) == nil)
    #expect(UsualRange(medians: [1, 1, 0, 1, 1], level: 0.01) == nil)
  }

  @Test func `a change below one in a hundred is none, however alike the runs were`() throws {
    let range = try #require(UsualRange(medians: [8, 8, 8, 8, 8], level: 0.01))
    #expect(range.verdict(of: 8.07) == .unchanged)
    #expect(range.verdict(of: 8.09) == .regressed)
    #expect(range.verdict(of: 7.9) == .improved)
  }

  // Above 30 degrees of freedom, the t distribution still differs from the normal distribution.
  @Test(
    arguments: [
      (1, 6.314), (2, 2.92), (5, 2.015), (9.7, 1.833), (10, 1.812), (29, 1.699), (30, 1.697),
      (31, 1.696), (40, 1.684), (60, 1.671), (120, 1.658), (1000, 1.646), (1e9, 1.645),
      (.infinity, 1.645), (0, 6.314),
    ])
  func `has the quantiles of the usual tables`(freedom: Double, quantile: Double) {
    #expect(StudentT.quantile90(freedom: freedom) == quantile)
  }

  // The expected quantiles come from printed tables of t.
  @Test func `rounds the quantiles as tables do`() {
    let table = [
      6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812, 1.796, 1.782, 1.771,
      1.761, 1.753, 1.746, 1.740, 1.734, 1.729, 1.725, 1.721, 1.717, 1.714, 1.711, 1.708, 1.706,
      1.703, 1.701, 1.699, 1.697,
    ]
    #expect((1...30).map { StudentT.quantile90(freedom: Double($0)) } == table)
  }
}

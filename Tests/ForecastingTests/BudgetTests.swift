import Foundation
import Testing

@testable import Forecasting

struct BudgetTests {
  private let forecast = SyntheticLadder(seconds: { 0.01 + 25e-6 * $0 }).forecast()

  @Test func `the largest store within a time is the inverse of the prediction`() throws {
    let largest = try forecast.largestStore(within: ResourceBudget(.time, limit: 3)).get()
    #expect(abs(largest.probably / 119_600 - 1) < 0.05)
    #expect(largest.atLeast < largest.probably && largest.probably < largest.atMost)
    let upper = try forecast.predict(.time, objects: largest.atLeast).get().high
    #expect(abs(upper / 3 - 1) < 0.01)
  }

  @Test func `says so where all that is known fits, and where nothing does`() throws {
    let all = try forecast.largestStore(within: ResourceBudget(.time, limit: 1e6)).get()
    #expect(all.atLeast == all.known)
    #expect(all.refusal == .beyondLadder(top: 128_000, times: 25, isQuick: false))
    #expect(all.known == 3_200_000)
    let none = try forecast.largestStore(within: ResourceBudget(.memory, limit: 1e6)).get()
    #expect(none.atMost == 0)
  }

  @Test func `stops at a bend that was not seen`() throws {
    let bent = SyntheticLadder(seconds: { 1e-5 * $0 })
      .forecast(bends: [Forecast.Bend(name: "it bends", size: 200_000)])
    let largest = try bent.largestStore(within: ResourceBudget(.time, limit: 1000)).get()
    #expect(abs(largest.known / 400_000 - 1) < 0.01)
    guard case .pastBend = largest.refusal else {
      Issue.record("no bend was named")
      return
    }
  }
}

import Foundation
import Testing

@testable import Forecasting

struct CurveFitTests {
  private let sizes = LadderDesign.full().rungs.map { Double($0) }

  private func points(_ value: (Double) -> Double) -> [CurveFit.Point] {
    sizes.map { CurveFit.Point(size: $0, value: value($0)) }
  }

  @Test func `finds the costs that the points were made of`() throws {
    let points = points { 0.02 + 3e-6 * $0 + 2e-7 * $0 * log2($0) }
    let result = try #require(
      CurveFit(tolerance: 1e-4).fit(points, [.constant, .objects, .sorting])
    )
    #expect(abs(result.curve(1e6) / (0.02 + 3 + 0.2 * log2(1e6)) - 1) < 1e-6)
    #expect(result.residual < 1e-6)
  }

  @Test func `no cost is negative`() throws {
    let result = try #require(
      CurveFit(tolerance: 0.01).fit(points { $0 - 400 }, [.constant, .objects])
    )
    #expect(result.curve.parts.allSatisfy { $0.cost >= 0 })
  }

  @Test func `terms that cannot be told apart are not kept together`() throws {
    let twin = Term.counter("twin", Curve(parts: [Curve.Part(.objects, 2)]))
    let result = try #require(CurveFit(tolerance: 0.01).fit(points { 5 * $0 }, [.objects, twin]))
    #expect(result.curve.parts.count == 1)
    #expect(abs(result.curve(1000) - 5000) < 1e-6)
  }

  @Test func `nothing is fitted to nothing`() {
    #expect(CurveFit(tolerance: 0.01).fit([], [.constant]) == nil)
    #expect(CurveFit(tolerance: 0.01).fit(points { _ in 0 }, [.constant]) == nil)
  }
}

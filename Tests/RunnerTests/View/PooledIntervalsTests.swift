import TestSupport
import Testing

@testable import Runner

@Suite struct PooledIntervalsTests {
  @Test func `gives no interval where trials do not differ`() {
    #expect(PooledIntervals([[2, 2, 2], [3, 3, 3]]).interval(of: [2, 2, 2]) == nil)
    #expect(PooledIntervals([[2], [3]]).interval(of: [2]) == nil)
    let pooled = PooledIntervals([[1, 2, 4], [10, 20, 40]])
    let interval = pooled.interval(of: [1, 2, 4])
    // The standard deviation of the times' logarithms is log 2. Student's t with 4 degrees of
    // freedom is 2.776, and a median's standard error is √(π/2) times a mean's. The upper end is
    // therefore 2 · 2^(2.776 · 1.2533 / √3).
    #expect(interval.map { ($0.upperBound * 100).rounded() } == 805)
    #expect(interval.map { ($0.lowerBound * 100).rounded() } == 50)
  }

  @Test func `lies about the median that the page shows`() throws {
    let sample = [1.0, 2, 16]
    let interval = try #require(PooledIntervals([sample]).interval(of: sample))
    let median = try #require(Summary(of: sample)?.p50)
    #expect(abs(interval.lowerBound * interval.upperBound / (median * median) - 1) < 1e-9)
  }
}

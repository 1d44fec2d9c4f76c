import Runner
import Testing

@Suite struct SummaryTests {
  @Test(
    arguments: [
      ([5], 5, 5, 5),
      ([1, 2], 1, 2, 2),
      ([3, 1, 2], 2, 3, 3),
      ([4, 3, 2, 1], 2, 4, 4),
      ([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 5, 9, 10),
      (Array(1...100).map(Double.init), 50, 90, 99),
      (Array(1...1000).map(Double.init), 500, 900, 990),
    ] as [([Double], Double, Double, Double)]
  )
  func `takes percentiles at the nearest rank`(
    values: [Double],
    p50: Double,
    p90: Double,
    p99: Double
  ) throws {
    let summary = try #require(Summary(of: values))
    #expect(summary.p50 == p50)
    #expect(summary.p90 == p90)
    #expect(summary.p99 == p99)
  }

  @Test func `divides the squares by one less than the count`() throws {
    let summary = try #require(Summary(of: [2, 4, 4, 4, 5, 5, 7, 9]))
    #expect(summary.count == 8)
    #expect(summary.min == 2)
    #expect(summary.max == 9)
    #expect(summary.mean == 5)
    #expect(summary.standardDeviation == (32.0 / 7).squareRoot())
  }

  @Test func `keeps the digits of values close together`() throws {
    let summary = try #require(Summary(of: [1e9 + 1, 1e9 + 2, 1e9 + 3]))
    #expect(summary.standardDeviation == 1)
  }

  @Test func `has no deviation for a single value`() throws {
    let summary = try #require(Summary(of: [0.25]))
    #expect(summary.standardDeviation == nil)
    #expect(summary.relativeDeviation == nil)
    #expect(summary.mean == 0.25)
  }

  @Test func `does not depend on the order of measurement`() {
    let values = (1...50).map { 0.1 * Double($0) }
    #expect(Summary(of: values) == Summary(of: values.reversed()))
  }

  @Test func `keeps the mean of equal values equal to them`() throws {
    let summary = try #require(Summary(of: [0.1, 0.1, 0.1]))
    #expect(summary.mean == 0.1)
    #expect(summary.standardDeviation == 0)
  }

  @Test(arguments: [[], [.nan], [1, .infinity], [-.infinity]] as [[Double]])
  func `says nothing of no values and of what is no number`(values: [Double]) {
    #expect(Summary(of: values) == nil)
  }

  @Test func `summarises all trials of a sample`() {
    let sample = Sample(metric: .wallClock, trials: [[3, 1], [], [2]])
    #expect(sample.median == 2)
    #expect(sample.summary?.count == 3)
  }
}

import Testing

@testable import bench

struct RateIntervalTests {
  // The expected bounds come from scipy 1.17: binomtest(hits, tries).proportion_ci(method='exact').
  @Test(arguments: [
    (0, 10, 0.0, 0.308_497_1),
    (10, 10, 0.691_502_9, 1.0),
    (3, 3000, 0.000_206_3, 0.002_919_6),
    (38, 40, 0.830_803_1, 0.993_886_4),
    (1, 2, 0.012_579_1, 0.987_420_9),
  ])
  func `agrees with a different implementation`(hits: Int, tries: Int, lower: Double, upper: Double)
  {
    let interval = RateInterval(hits: hits, of: tries)
    #expect(abs(interval.lower - lower) < 1e-6)
    #expect(abs(interval.upper - upper) < 1e-6)
  }

  @Test func `hits and misses exchanged mirror the interval`() {
    let (few, many) = (RateInterval(hits: 3, of: 20), RateInterval(hits: 17, of: 20))
    #expect(abs(few.lower + many.upper - 1) < 1e-12)
    #expect(abs(few.upper + many.lower - 1) < 1e-12)
  }
}

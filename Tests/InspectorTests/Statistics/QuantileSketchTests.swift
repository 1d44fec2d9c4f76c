import Testing

@testable import Inspector

struct QuantileSketchTests {
  private func sketch(_ values: some Sequence<Double>) -> QuantileSketch {
    var sketch = QuantileSketch()
    for value in values { sketch.add(value) }
    return sketch
  }

  /// Returns `count` numbers from 0 to 1 in a fixed, irregular order.
  private func scattered(_ count: Int) -> [Double] {
    (0..<count).map { Double($0 * 7919 % count) / Double(count) }
  }

  @Test func `few different values keep exact quantiles`() {
    let sketch = sketch((1...1000).map(Double.init))
    #expect(sketch.isExact)
    #expect(sketch.quantile(0.5) == 500)
    #expect(sketch.quantile(0.99) == 990)
    #expect(sketch.quantile(0) == 1)
    #expect(sketch.quantile(1) == 1000)
  }

  @Test func `many different values stay in bounded memory and near their quantiles`() throws {
    let sketch = sketch(scattered(100_003).map { $0 * 1e6 - 5e5 })
    #expect(!sketch.isExact)
    #expect(sketch.buckets.count <= QuantileSketch.largestSize)
    #expect(sketch.count == 100_003)
    for share in [0.01, 0.1, 0.25, 0.75, 0.9, 0.99] {
      let found = try #require(sketch.quantile(share))
      #expect(abs(found - (share * 1e6 - 5e5)) < 2e4)
    }
    #expect(sketch.buckets.reduce(0) { $0 + $1.count } == 100_003)
  }

  @Test func `dates of one year are told apart by the day`() throws {
    let start = 788_918_400.0
    let sketch = sketch(scattered(50_000).map { start + $0 * 31_536_000 })
    let median = try #require(sketch.quantile(0.5))
    #expect(abs(median - start - 15_768_000) < 86_400)
  }

  @Test func `the order of the values does not matter`() {
    let values = scattered(20_011).map { ($0 - 0.5) * 1e9 }
    let orders = [values, values.reversed(), values.sorted()].map { sketch($0).buckets }
    #expect(orders[0] == orders[1])
    #expect(orders[0] == orders[2])
  }

  @Test func `a histogram counts every value once`() {
    let sketch = sketch((0..<100).map(Double.init))
    #expect(sketch.histogram(bins: 10, from: 0, to: 100) == Array(repeating: 10, count: 10))
    #expect(sketch.histogram(bins: 4, from: 5, to: 5).reduce(0, +) == 100)
  }

  @Test(arguments: [
    [Double.infinity, -Double.infinity, 0, -0.0],
    [Double.greatestFiniteMagnitude, -Double.greatestFiniteMagnitude],
    [Double.leastNonzeroMagnitude, Double.nan, 1], [Double](),
  ])
  func `extreme values break nothing`(values: [Double]) {
    let sketch = sketch(values)
    #expect(sketch.count == values.filter { !$0.isNaN }.count)
    _ = sketch.quantile(0.5)
    let bins = sketch.histogram(bins: 8, from: sketch.minimum ?? 0, to: sketch.maximum ?? 0)
    #expect(bins.reduce(0, +) == sketch.count)
  }

  @Test func `every power of two, many times over, is coarsened without a crash`() {
    let values = (-1000...1000).flatMap { power in
      [1.0, 1.3, 1.7].map { $0 * Double(sign: .plus, exponent: power, significand: 1) }
    }
    let sketch = sketch(values + values.map { -$0 })
    #expect(sketch.count == values.count * 2)
    #expect(sketch.buckets.count <= QuantileSketch.largestSize)
  }
}

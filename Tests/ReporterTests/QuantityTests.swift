import Measurement
import Testing

@testable import Reporter

@Suite struct QuantityTests {
  @Test(
    arguments: [
      (0, Metric.Unit.seconds, "0 µs"), (0.0000123, .seconds, "12.3 µs"),
      (0.00000012, .seconds, "0.120 µs"), (0.0124, .seconds, "12.4 ms"),
      (0.812, .seconds, "812 ms"), (1.2345, .seconds, "1.23 s"), (5910, .seconds, "5,910 s"),
      (0, .bytes, "0 B"), (512, .bytes, "512 B"), (4096, .bytes, "4.00 KB"),
      (43_201_331, .bytes, "41.2 MB"), (8_320_000_000, .bytes, "7.75 GB"),
      (1_234_567, .count, "1,234,567"), (999, .count, "999"), (0.25, .ratio, "0.25"),
      (1e18, .bytes, "931,322,575 GB"),
    ] as [(Double, Metric.Unit, String)]
  )
  func `shows about three digits in a unit that suits`(
    value: Double,
    unit: Metric.Unit,
    text: String
  ) {
    #expect(Quantity.text(value, unit: unit) == text)
  }

  @Test(
    arguments: [
      ([0.0124, 0.812], "ms", ["12.4", "812.0"]),
      ([0.184, 1.84], "ms", ["184", "1,840"]),
      ([0.0012, 0.0056], "ms", ["1.20", "5.60"]),
      ([0.00005, 0.0001], "µs", ["50.0", "100.0"]),
      ([3, 4], "s", ["3.00", "4.00"]),
      ([0, 0.5], "ms", ["0", "500"]),
    ])
  func `shows a column in one unit with one number of decimals`(
    values: [Double],
    unit: String,
    texts: [String]
  ) throws {
    let scale = try #require(Scale.common(to: values, among: Scale.of(.seconds)))
    let decimals = scale.decimals(for: values)
    #expect(scale.name == unit)
    #expect(values.map { scale.text($0, decimals: decimals) } == texts)
  }

  @Test func `has no common unit for values a thousand times apart`() {
    #expect(Scale.common(to: [0.0001, 0.1], among: Scale.of(.seconds)) == nil)
  }

  @Test(arguments: [(0, "0"), (1, "1"), (-0.5, "-0.5"), (0.1 + 0.2, "0.30000000000000004")])
  func `prints the shortest digits that read back`(value: Double, text: String) {
    #expect(value.shortest == text)
    #expect(Double(value.shortest) == value)
  }
}

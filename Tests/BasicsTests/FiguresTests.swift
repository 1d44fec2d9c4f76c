import Basics
import Testing

@Suite struct FiguresTests {
  @Test(arguments: [
    (0, "0 µs"), (0.0000123, "12.3 µs"), (0.00000012, "0.120 µs"), (0.0124, "12.4 ms"),
    (0.812, "812 ms"), (1.2345, "1.23 s"), (5910, "5,910 s"),
  ])
  func `shows times with about three digits in a unit that suits`(value: Double, text: String) {
    #expect(Figures.seconds(value) == text)
  }

  @Test(arguments: [
    (0.0, "0 B"), (512, "512 B"), (4096, "4.00 KB"), (43_201_331, "41.2 MB"),
    (8_320_000_000, "7.75 GB"), (1e18, "931,322,575 GB"),
  ])
  func `shows sizes with about three digits in a unit that suits`(value: Double, text: String) {
    #expect(Figures.bytes(value) == text)
  }

  @Test(
    arguments: [
      (0, "0 B"), (1023, "1023 B"), (1536, "1.5 KB"), (20_000_000, "19 MB"), (3 << 40, "3072 GB"),
    ] as [(Int64, String)]
  )
  func `shows rough sizes`(value: Int64, text: String) {
    #expect(Figures.bytes(value, .rough) == text)
  }

  @Test(arguments: [
    (0.0, "0"), (0.5, "0.5"), (0.123456, "0.123"), (99.95, "100"), (12.345, "12.3"),
    (1234.5, "1235"), (-2.5, "-2.5"), (0.000001, "0.000001"), (1e20, "1e+20"),
  ])
  func `shows three significant digits`(value: Double, text: String) {
    #expect(Figures.significant(value) == text)
  }

  @Test(arguments: [
    (0.0123, "12.3 ms"), (61, "1.02 min"), (3e-7, "0.3 µs"), (0.9999, "1 s"), (0, "0 µs"),
  ])
  func `shows significant times`(value: Double, text: String) {
    #expect(Figures.seconds(value, .significant) == text)
  }

  @Test(
    arguments: [
      (1_234_567, "1,234,567"), (999, "999"), (0.25, "0.25"), (-1500.5, "-1500.5"),
    ] as [(Double, String)]
  )
  func `groups the digits of whole numbers`(value: Double, text: String) {
    #expect(Figures.grouped(value) == text)
  }

  @Test func `groups digits behind a sign`() {
    #expect(Figures.fixed(-123456.78, decimals: 1) == "-123,456.8")
    #expect(Figures.fixed(1234, decimals: 0) == "1,234")
    #expect(Figures.fixed(.infinity, decimals: 2) == "inf")
    #expect((-1234).grouped == "-1,234")
    #expect(Figures.plain(1234.5, decimals: 2) == "1234.50")
  }

  @Test func `counts in the plural where it is not one`() {
    #expect(Figures.counted(1, "case") == "1 case")
    #expect(Figures.counted(0, "case") == "0 cases")
    #expect(Figures.counted(2, "entity", "entities") == "2 entities")
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
    let scale = try #require(Figures.Scale.common(to: values, among: Figures.Scale.seconds))
    let decimals = scale.decimals(for: values)
    #expect(scale.name == unit)
    #expect(values.map { scale.text($0, decimals: decimals) } == texts)
  }

  @Test func `has no common unit for values a thousand times apart`() {
    #expect(Figures.Scale.common(to: [0.0001, 0.1], among: Figures.Scale.seconds) == nil)
  }

  @Test(arguments: [(0, "0"), (1, "1"), (-0.5, "-0.5"), (0.1 + 0.2, "0.30000000000000004")])
  func `prints the shortest digits that read back`(value: Double, text: String) {
    #expect(value.shortest == text)
    #expect(Double(value.shortest) == value)
  }
}

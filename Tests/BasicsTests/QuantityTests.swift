import Basics
import Testing

@Suite struct QuantityTests {
  @Test(
    arguments: [
      ("30 s", Quantity(30, .seconds)), ("500ms", Quantity(0.5, .seconds)),
      ("250 us", Quantity(0.00025, .seconds)), ("250 µs", Quantity(0.00025, .seconds)),
      ("2 min", Quantity(120, .seconds)), ("10m", Quantity(600, .seconds)),
      ("1.5h", Quantity(5400, .seconds)),
      ("0 B", Quantity(0, .bytes)), ("1.5 GB", Quantity(1_610_612_736, .bytes)),
      ("1.5 GiB", Quantity(1_610_612_736, .bytes)), ("64 KiB", Quantity(65_536, .bytes)),
      ("1 MiB", Quantity(1_048_576, .bytes)), ("1,000 KB", Quantity(1_024_000, .bytes)),
      ("100_000", Quantity(100_000, .plain)), ("1,000,000", Quantity(1_000_000, .plain)),
      ("20 %", Quantity(0.2, .plain)), ("-1e3", Quantity(-1000, .plain)),
      ("5 kb", Quantity(5_120, .bytes)), ("5kB", Quantity(5_120, .bytes)),
      ("2 mb", Quantity(2_097_152, .bytes)), ("1gb", Quantity(1_073_741_824, .bytes)),
      ("fast", nil), ("5 M", nil), ("5 b", nil), ("5 Kb", nil), ("", nil), ("s", nil), (" ", nil),
      ("%", nil),
      ("1e999 s", nil), ("0x10", nil), ("inf", nil), ("1,5", nil), ("1,0000", nil), ("1__0", nil),
      ("_1", nil), ("1_", nil), (",100", nil), ("5  s", nil), ("5 ", nil), ("1 s s", nil),
    ] as [(String, Quantity?)]
  )
  func `quantities have units`(text: String, quantity: Quantity?) {
    #expect(Quantity(text) == quantity)
  }

  @Test func `times lie within a range`() {
    #expect(Quantity.seconds("90 s", in: 1...3600) == 90)
    #expect(Quantity.seconds("2h", in: 1...3600) == nil)
    #expect(Quantity.seconds("1 KB", in: 1...3600) == nil)
    #expect(Quantity.seconds("90", in: 1...3600) == nil)
    #expect(Quantity.seconds("2.5", in: 1...3600, plainUnit: 60) == 150)
    #expect(Quantity.seconds("90 s", in: 1...3600, plainUnit: 60) == 90)
    #expect(Quantity.seconds("90 %", in: 0...3600, plainUnit: 60) == nil)
  }

  @Test func `sizes are whole bytes`() {
    #expect(Quantity.bytes("0.3 KB", in: 1...1000) == 307)
    #expect(Quantity.bytes("1 GB", in: 1...1000) == nil)
    #expect(Quantity.bytes("12", in: 1...1000) == nil)
  }

  @Test(arguments: [("0.1%", 0.001), ("50 %", 0.5), ("2", 0.02), ("51%", nil), ("2 s", nil)])
  func `shares are hundredths`(text: String, share: Double?) {
    #expect(Quantity.share(text, in: 0.001...0.5) == share)
  }

  @Test(
    arguments: [
      ("1_000", 1000), ("10,000", 10_000), ("1.5", nil), ("0", nil), ("ten", nil), ("4k", 4000),
      ("1.5K", 1500), ("0.01M", 10_000), ("1M", nil), ("0.0001k", nil), ("k", nil), ("4 kk", nil),
    ]
  )
  func `counts are whole numbers`(text: String, count: Int?) {
    #expect(Quantity.count(text, in: 1...10_000) == count)
  }
}

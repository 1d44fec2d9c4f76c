import Testing

@testable import Inspector

struct ColumnStatisticsTests {
  private func add(_ text: String, to statistics: inout ColumnStatistics) {
    var text = text
    text.withUTF8 { statistics.add(text: UnsafeRawBufferPointer($0)) }
  }

  @Test func `texts are measured in characters and bytes`() {
    var statistics = ColumnStatistics()
    for text in ["", "naïve", "naïve", "日本"] { add(text, to: &statistics) }
    #expect(statistics.texts == 4)
    #expect(statistics.distinct.count == 3)
    #expect(statistics.bytes == 18)
    #expect(statistics.lengths.maximum == 5)
    #expect(statistics.lengths.minimum == 0)
  }

  @Test func `every storage class is counted, and NULL apart`() {
    var statistics = ColumnStatistics()
    statistics.addNull()
    statistics.add(Int64(7))
    statistics.add(7.0)
    statistics.addBlob(bytes: 100_000)
    [UInt8](repeating: 1, count: 16).withUnsafeBytes { statistics.add(blob: $0) }
    #expect(statistics.count == 5)
    #expect(statistics.nulls == 1)
    #expect(statistics.integers == 1)
    #expect(statistics.reals == 1)
    #expect(statistics.blobs == 2)
    #expect(statistics.numbers.count == 2)
    #expect(statistics.distinct.count == 2)
    #expect(statistics.bytes == 100_016)
  }
}

import Testing

@testable import Inspector

struct DistinctCounterTests {
  private func counter(_ count: Int, repeats: Int = 1) -> DistinctCounter {
    var counter = DistinctCounter()
    for _ in 0..<repeats {
      for value in 0..<count { counter.add(Int64(value)) }
    }
    return counter
  }

  @Test(arguments: [0, 1, 512])
  func `few values are counted exactly`(count: Int) {
    let counter = counter(count, repeats: 3)
    #expect(counter.isExact)
    #expect(counter.count == count)
  }

  @Test(arguments: [513, 5000, 100_000, 1_000_000])
  func `many values are estimated within a few per cent`(count: Int) {
    let counter = counter(count)
    #expect(!counter.isExact)
    #expect(abs(Double(counter.count) / Double(count) - 1) < 0.05)
  }

  @Test func `whole reals and integers are the same value`() {
    var counter = counter(10)
    for value in 0..<10 { counter.add(Double(value)) }
    counter.add(0.5)
    #expect(counter.count == 11)
  }
}

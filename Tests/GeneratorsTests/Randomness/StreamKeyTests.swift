import Testing

@testable import Generators

struct StreamKeyTests {
  private let key = StreamKey(seed: 1)

  @Test func `names in another order make another stream`() {
    let first = key.derived("a").derived("b")
    #expect(first != key.derived("b").derived("a"))
    #expect(first != key.derived("ab"))
    #expect(key != StreamKey(seed: 2))
  }

  @Test(arguments: [("title", "notes"), ("a", "b"), ("tags", "tags2")])
  func `two streams of the same rows are independent`(first: String, second: String) {
    let keys = (key.derived(first), key.derived(second))
    var cells = [Int](repeating: 0, count: 256)
    for row in 0..<64_000 {
      var (a, b) = (keys.0.draws(row: row), keys.1.draws(row: row))
      cells[a.below(16) * 16 + b.below(16)] += 1
    }
    #expect(chiSquare(cells, expected: .init(repeating: 250, count: 256)) < limit(freedom: 255))
  }

  @Test(arguments: [1, 2, 64, 4_096])
  func `rows at a fixed distance are independent`(distance: Int) {
    var cells = [Int](repeating: 0, count: 256)
    for row in 0..<64_000 {
      var (a, b) = (key.draws(row: row), key.draws(row: row + distance))
      cells[a.below(16) * 16 + b.below(16)] += 1
    }
    #expect(chiSquare(cells, expected: .init(repeating: 250, count: 256)) < limit(freedom: 255))
  }

  @Test func `the draws of one cell are independent of each other`() {
    var cells = [Int](repeating: 0, count: 256)
    for row in 0..<64_000 {
      var draws = key.draws(row: row)
      cells[draws.below(16) * 16 + draws.below(16)] += 1
    }
    #expect(chiSquare(cells, expected: .init(repeating: 250, count: 256)) < limit(freedom: 255))
  }

  @Test(arguments: [1, 2, 3, 10, 100, 1_000])
  func `every number below a bound is equally likely`(bound: Int) {
    var cells = [Int](repeating: 0, count: bound)
    for row in 0..<(bound * 100) {
      var draws = key.draws(row: row)
      cells[draws.below(bound)] += 1
    }
    let expected = [Double](repeating: 100, count: bound)
    #expect(chiSquare(cells, expected: expected) < limit(freedom: bound - 1))
  }
}

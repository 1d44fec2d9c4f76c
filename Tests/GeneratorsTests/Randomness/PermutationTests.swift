import Testing

@testable import Generators

struct PermutationTests {
  @Test(arguments: [0, 1, 2, 3, 40, 1_000, 1_024, 1_025, 4_096, 65_537, 100_000])
  func `every place is taken once, and can be looked up from both sides`(count: Int) {
    let permutation = Permutation(count: count, key: StreamKey(seed: 5).derived("\(count)"))
    var isTaken = [Bool](repeating: false, count: count)
    for index in 0..<count {
      let image = permutation.image(of: index)
      #expect(!isTaken[image])
      isTaken[image] = true
      #expect(permutation.preimage(of: image) == index)
    }
  }

  @Test func `a hundred million places need no memory`() {
    let permutation = Permutation(count: 100_000_000, key: StreamKey(seed: 5))
    for index in stride(from: 0, to: 100_000_000, by: 9_999_991) {
      let image = permutation.image(of: index)
      #expect((0..<100_000_000).contains(image))
      #expect(permutation.preimage(of: image) == index)
    }
  }

  @Test(arguments: [1_000, 5_000, 70_000])
  func `neighbours are scattered evenly`(count: Int) {
    let permutation = Permutation(count: count, key: StreamKey(seed: 9))
    // In a random shuffle, the distance modulo `count` between images of neighbors is uniform.
    var cells = [Int](repeating: 0, count: 50)
    for index in 0..<(count - 1) {
      let step = permutation.image(of: index + 1) - permutation.image(of: index)
      cells[(step + count) % count * 50 / count] += 1
    }
    let expected = [Double](repeating: Double(count - 1) / 50, count: 50)
    #expect(chiSquare(cells, expected: expected) < limit(freedom: 49))
  }

  @Test func `another key is another shuffle`() {
    let first = Permutation(count: 5_000, key: StreamKey(seed: 1))
    let second = Permutation(count: 5_000, key: StreamKey(seed: 2))
    let same = (0..<5_000).count { first.image(of: $0) == second.image(of: $0) }
    #expect(same < 10)
  }
}

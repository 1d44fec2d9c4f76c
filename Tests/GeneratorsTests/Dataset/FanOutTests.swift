import Testing

@testable import Generators

struct FanOutTests {
  private func fanOut(
    _ popularity: Popularity,
    parents: Int,
    children: Int,
    orphans: Int = 0,
    isScattered: Bool = true
  ) -> FanOut {
    let key = StreamKey(seed: 11).derived("\(parents) \(children)")
    let counts = FanOutCounts(
      parents: parents,
      children: children - orphans,
      popularity: popularity,
      key: key
    ).counts()
    return FanOut(counts: counts, children: children, isScattered: isScattered, key: key)
  }

  private static let popularities: [Popularity] = [
    .uniform, .zipfian(exponent: 1.1), .zipfian(exponent: 3),
    .spread(DistributionRecipe(.poisson(mean: 2))), .spread(DistributionRecipe(.constant(0))),
  ]

  @Test(
    arguments: popularities,
    [(1, 1, 0), (1, 50, 7), (7, 3, 1), (40, 1_000, 100), (3_000, 2_000, 0), (20, 20, 20)]
  )
  func `both directions agree, and every child has its place`(
    popularity: Popularity,
    size: (parents: Int, children: Int, orphans: Int)
  ) {
    for isScattered in [true, false] {
      let fanOut = fanOut(
        popularity,
        parents: size.parents,
        children: size.children,
        orphans: size.orphans,
        isScattered: isScattered
      )
      var seen = 0
      for parent in 0..<size.parents {
        let children = fanOut.children(of: parent)
        #expect(children.count == fanOut.childCount(of: parent))
        for (position, child) in children.enumerated() {
          #expect(fanOut.parent(of: child) == parent)
          #expect(fanOut.position(of: child, below: parent) == position)
        }
        seen += children.count
      }
      #expect(seen == size.children - size.orphans)
      let orphans = (0..<size.children).count { fanOut.parent(of: $0) == nil }
      #expect(orphans == size.orphans)
    }
  }

  @Test(
    arguments: popularities,
    [
      (parents: 40, children: 100, range: 1...3), (parents: 40, children: 100, range: 2...100),
      (parents: 40, children: 200, range: 0...3), (parents: 40, children: 30, range: 1...2),
      (parents: 3, children: 2, range: 2...2), (parents: 1, children: 7, range: 0...1),
    ]
  )
  func `no parent has more or fewer children than it may`(
    popularity: Popularity,
    size: (parents: Int, children: Int, range: ClosedRange<Int>)
  ) {
    let counts = FanOutCounts(
      parents: size.parents,
      children: size.children,
      popularity: popularity,
      range: size.range,
      key: StreamKey(seed: 5)
    ).counts()
    let isEnough = size.children / size.parents >= size.range.lowerBound
    let range = (isEnough ? size.range.lowerBound : 0)...size.range.upperBound
    #expect(counts.allSatisfy { range.contains(Int($0)) })
    let sum = counts.reduce(0) { $0 + Int($1) }
    #expect(sum == min(size.children, size.parents * size.range.upperBound))
  }

  @Test func `without parents there are no children`() {
    let fanOut = fanOut(.uniform, parents: 0, children: 10)
    #expect((0..<10).allSatisfy { fanOut.parent(of: $0) == nil })
  }

  @Test func `uniform choices leave counts as scattered as independent ones`() {
    let fanOut = fanOut(.uniform, parents: 2_000, children: 10_000)
    var cells = [Int](repeating: 0, count: 15)
    for parent in 0..<2_000 { cells[min(fanOut.childCount(of: parent), 14)] += 1 }
    var expected = [Double](repeating: 0, count: 15)
    var (probability, rest) = (0.006_737_946_999_085_467, 1.0)
    for count in 0..<14 {
      expected[count] = probability * 2_000
      rest -= probability
      probability *= 5 / Double(count + 1)
    }
    expected[14] = rest * 2_000
    let filled = expected.indices.filter { expected[$0] >= 5 }
    let statistic = chiSquare(filled.map { cells[$0] }, expected: filled.map { expected[$0] })
    #expect(statistic < limit(freedom: filled.count))
    // A very low chi-square would mean that the counts are too even to be random.
    #expect(statistic > 1)
  }

  @Test func `zipfian choices make few parents large`() {
    let fanOut = fanOut(.zipfian(exponent: 1.2), parents: 100, children: 50_000)
    let counts = (0..<100).map { fanOut.childCount(of: $0) }.sorted(by: >)
    var weights: [Double] = []
    for rank in 1...100 { weights.append(ZipfianDistribution.weight(Double(rank), 1.2)) }
    let sum = weights.reduce(0, +)
    let expected = weights.map { $0 / sum * 50_000 }
    #expect(chiSquare(Array(counts.prefix(20)), expected: Array(expected.prefix(20))) < 80)
    #expect((0..<100).map { fanOut.childCount(of: $0) } != counts)
  }

  @Test func `clustered children follow their parents, scattered ones do not`() {
    let clustered = fanOut(.uniform, parents: 50, children: 1_000, isScattered: false)
    let parents = (0..<1_000).compactMap { clustered.parent(of: $0) }
    #expect(parents == parents.sorted())
    let scattered = fanOut(.uniform, parents: 50, children: 1_000)
    let runs = (1..<1_000).count { scattered.parent(of: $0) == scattered.parent(of: $0 - 1) }
    #expect(runs < 60)
  }

  @Test func `a spread keeps the shape of its distribution`() {
    let fanOut = fanOut(
      .spread(DistributionRecipe(.weighted(values: [0, 10], weights: [9, 1]))),
      parents: 1_000,
      children: 1_000
    )
    let empty = (0..<1_000).count { fanOut.childCount(of: $0) == 0 }
    #expect(empty > 850 && empty < 950)
  }
}

import Testing

@testable import Generators

struct MatchedLinksTests {
  private func pairs(_ links: MatchedLinks, _ sources: Int) -> [[Int]] {
    (0..<sources).map { source in
      var chosen: [Int] = []
      links.append(targetsOf: source, to: &chosen)
      #expect(chosen.count == links.count(of: source))
      return chosen
    }
  }

  @Test(
    arguments: [
      ([3, 0, 2, 1], [1, 1, 1, 1, 2]), ([5, 5, 5], [3, 3, 3, 3, 3]), ([1, 1, 1, 1], [4, 0]),
      ([2, 2, 2, 2, 2, 2], [6, 4, 1, 1]), ([], []), ([0, 0], [0]),
    ] as [([UInt32], [UInt32])]
  )
  func `both sides have the numbers that are given`(sources: [UInt32], targets: [UInt32]) {
    let links = MatchedLinks(sources: sources, targets: targets, isAmongItself: false)
    let pairs = pairs(links, sources.count)
    #expect(pairs.map { UInt32($0.count) } == sources)
    #expect(pairs.allSatisfy { Set($0).count == $0.count })
    let found = targets.indices.map { target in UInt32(pairs.count { $0.contains(target) }) }
    #expect(found == targets)
  }

  @Test func `none leads to itself among the same objects`() {
    let counts = [UInt32](repeating: 3, count: 50)
    let links = MatchedLinks(sources: counts, targets: counts, isAmongItself: true)
    let pairs = pairs(links, 50)
    #expect(pairs.enumerated().allSatisfy { !$1.contains($0) })
    #expect(pairs.allSatisfy { $0.count == 3 && Set($0).count == 3 })
    for target in 0..<50 { #expect(pairs.count { $0.contains(target) } == 3) }
  }

  @Test(
    arguments: [
      ([2, 0, 1], [1, 1, 1]), ([1, 1, 1], [0, 2, 1]), ([0, 3, 1, 0, 1], [2, 0, 1, 1, 1]),
      ([5, 1, 1, 1, 1, 1], [1, 1, 2, 2, 2, 2]),
    ] as [([UInt32], [UInt32])]
  )
  func `the last objects exchange a target where none is left for them`(
    sources: [UInt32],
    targets: [UInt32]
  ) {
    let pairs = pairs(
      MatchedLinks(sources: sources, targets: targets, isAmongItself: true),
      sources.count
    )
    #expect(pairs.map { UInt32($0.count) } == sources)
    let found = targets.indices.map { target in UInt32(pairs.count { $0.contains(target) }) }
    #expect(found == targets)
    #expect(pairs.enumerated().allSatisfy { !$1.contains($0) && Set($1).count == $1.count })
  }

  @Test(
    arguments: [[2, 2, 2, 2], [3, 1, 1, 1], [1, 1, 1, 1, 1, 1], [4, 4, 3, 2, 2, 1]] as [[UInt32]]
  )
  func `mutual links lead back, and nobody meets the same twice`(counts: [UInt32]) {
    let pairs = pairs(MatchedLinks(mutual: counts), counts.count)
    for (source, targets) in pairs.enumerated() {
      #expect(Set(targets).count == targets.count)
      #expect(!targets.contains(source))
      for target in targets { #expect(pairs[target].contains(source)) }
      #expect(targets.count <= Int(counts[source]))
    }
    let missing = counts.reduce(0, +) - UInt32(pairs.reduce(0) { $0 + $1.count })
    #expect(missing <= 2)
  }

  @Test func `many mutual links have nearly all the numbers that are given`() {
    let counts = (0..<2_000).map { UInt32($0 % 7) }
    let pairs = pairs(MatchedLinks(mutual: counts), counts.count)
    let wrong = zip(pairs, counts).count { $0.count != Int($1) }
    #expect(wrong <= 20)
  }
}

import DataModel
import Testing

@testable import Generators

struct RelationshipTests {
  private let key = StreamKey(seed: 3)

  @Test(arguments: [
    (10, 3), (7, 7), (100, 0), (1_000, 999), (1_000, 1), (1, 1), (5_000_000, 1_234),
  ])
  func `an even selection selects as many as asked, in both directions`(count: Int, selected: Int) {
    let selection = EvenSelection(count: count, selected: selected)
    for rank in stride(from: 0, to: selected, by: max(1, selected / 50)) {
      #expect(selection.rank(of: selection.index(ofRank: rank)) == rank)
    }
    if count <= 1_000 {
      let ranks = (0..<count).compactMap { selection.rank(of: $0) }
      #expect(ranks == Array(0..<selected))
    }
  }

  @Test(arguments: [
    (10, 10, 0.0, false), (100, 40, 0, true), (40, 100, 0.25, true), (40, 100, 0.25, false),
    (5, 0, 0, false),
  ])
  func `partners find each other`(
    sources: Int,
    targets: Int,
    nullShare: Double,
    isScattered: Bool
  ) {
    let pairing = Pairing(
      sources: sources,
      targets: targets,
      nullShare: nullShare,
      isScattered: isScattered,
      key: key
    )
    var pairs = 0
    for source in 0..<sources {
      guard let target = pairing.target(of: source) else { continue }
      pairs += 1
      #expect(pairing.source(of: target) == source)
    }
    let expected = min(sources - Int((Double(sources) * nullShare).rounded()), targets)
    #expect(pairs == expected)
    #expect((0..<targets).count { pairing.source(of: $0) != nil } == expected)
  }

  @Test func `a list that is not optional may be empty, unless it has a minimum`() throws {
    func least(_ more: String) throws -> Int? {
      let items = "items: { to: Item, many: true, inverse: trip, optional: false\(more) }"
      let recipe = try Recipes.make(
        model: """
          Trip: { relationships: { \(items) } }
          Item: { relationships: { trip: { to: Trip, inverse: items } } }
          """,
        "entities: { Trip: { count: 10 }, Item: { count: 30 } }"
      )
      let ends = RelationshipPair.all(of: recipe.model).flatMap {
        [$0.owner] + [$0.inverse].compactMap(\.self)
      }
      return ends.first { $0.relationship.name == "items" }?.counts.lowerBound
    }
    #expect(try least("") == 0)
    #expect(try least(", minimum: 2") == 2)
  }

  private func links(
    _ popularity: Popularity,
    sources: Int,
    targets: Int,
    count: DistributionRecipe,
    isAmongItself: Bool = false
  ) -> ReversedLinks {
    ReversedLinks(
      Links(
        sources: sources,
        targets: targets,
        count: count.distribution(),
        countRange: 0...targets,
        popularity: popularity,
        isAmongItself: isAmongItself,
        key: key
      )
    )
  }

  @Test(arguments: [
    Popularity.uniform, .zipfian(exponent: 1), .zipfian(exponent: 8),
    .spread(DistributionRecipe(.weighted(values: [0, 1], weights: [3, 1]))),
  ])
  func `many-to-many targets are distinct, and both sides agree`(popularity: Popularity) {
    let links = links(
      popularity,
      sources: 300,
      targets: 25,
      count: DistributionRecipe(.uniform(low: 0, high: 40, isWhole: true))
    )
    var pairs: Set<[Int]> = []
    for source in 0..<300 {
      let targets = links.links.targets(of: source)
      #expect(Set(targets).count == targets.count)
      #expect(targets.allSatisfy { (0..<25).contains($0) })
      for target in targets { pairs.insert([source, target]) }
    }
    var reversed: Set<[Int]> = []
    for target in 0..<25 {
      let sources = links.sources(of: target)
      #expect(sources == sources.sorted())
      for source in 0..<300 {
        let place = links.position(of: source, amongSourcesOf: target)
        #expect(place == sources.firstIndex(of: source))
      }
      for source in sources { reversed.insert([source, target]) }
    }
    #expect(pairs == reversed)
  }

  @Test func `favourite targets are linked most`() {
    let links = links(
      .zipfian(exponent: 1),
      sources: 10_000,
      targets: 50,
      count: DistributionRecipe(.constant(1))
    )
    let counts = (0..<50).map { links.sources(of: $0).count }.sorted(by: >)
    let sum = (1...50).reduce(0.0) { $0 + 1 / Double($1) }
    let expected = (1...50).map { 10_000 / Double($0) / sum }
    #expect(chiSquare(Array(counts.prefix(10)), expected: Array(expected.prefix(10))) < 60)
  }

  @Test func `objects do not link to themselves`() {
    let links = links(
      .uniform,
      sources: 5,
      targets: 5,
      count: DistributionRecipe(.constant(9)),
      isAmongItself: true
    )
    for source in 0..<5 {
      #expect(Set(links.links.targets(of: source)) == Set(0..<5).subtracting([source]))
    }
  }

  @Test(arguments: [
    (1...3, 2...6), (0...1, 0...1), (0...Int.max, 0...1), (0...Int.max, 1...Int.max),
    (2...2, 0...4),
  ])
  func `many-to-many objects have as many partners as they may, on both sides`(
    own: ClosedRange<Int>,
    inverse: ClosedRange<Int>
  ) {
    for isAmongItself in [false, true] {
      let links = ReversedLinks(
        Links(
          sources: 60,
          targets: isAmongItself ? 60 : 30,
          count: DistributionRecipe(.poisson(mean: 2)).distribution(),
          countRange: own,
          inverseRange: inverse,
          popularity: .zipfian(exponent: 1),
          isAmongItself: isAmongItself,
          key: key
        )
      )
      let counts = (0..<60).map { links.links.targets(of: $0).count }
      #expect(counts.allSatisfy { $0 <= own.upperBound })
      let sources = (0..<links.links.targets).map { links.sources(of: $0).count }
      #expect(sources.allSatisfy(inverse.contains))
      #expect(sources.reduce(0, +) == counts.reduce(0, +))
    }
  }

  @Test(arguments: [1, 2, 7]) func `no object of a tree has more children than it may`(most: Int) {
    let tree = Tree(count: 500, rootShare: 0.1, most: most, key: key)
    #expect((0..<500).allSatisfy { tree.children(of: $0).count <= most })
    #expect((0..<500).allSatisfy { child in tree.parent(of: child).map { $0 < child } ?? true })
    #expect((0..<500).count { tree.parent(of: $0) == nil } < 120)
  }

  @Test func `a tree has roots, no circle, and both directions`() {
    let tree = Tree(count: 500, rootShare: 0.1, key: key)
    #expect(tree.parent(of: 0) == nil)
    var children = 0
    for child in 0..<500 {
      guard let parent = tree.parent(of: child) else { continue }
      children += 1
      #expect(parent < child)
      #expect(tree.children(of: parent).contains(child))
      #expect(tree.children(of: parent)[tree.position(of: child) ?? -1] == child)
    }
    #expect((0..<500).reduce(0) { $0 + tree.children(of: $1).count } == children)
    #expect(children > 400 && children < 480)
  }
}

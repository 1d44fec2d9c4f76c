/// A many-to-many relationship: which targets each source leads to.
struct Links: Sendable {
  /// The most targets of one source: finding distinct ones takes the square of their number.
  static let mostTargets = 1_000

  let sources: Int
  let targets: Int
  private let count: any Distribution
  private let countRange: ClosedRange<Int>
  private let zipfian: ZipfianDistribution?
  private let weights: WeightedChoice?
  private let ranks: Permutation
  private let isAmongItself: Bool
  private let key: StreamKey
  /// What was made beforehand, where the numbers of both sides are given or are the same.
  private var matched: MatchedLinks?

  /// Where sources and targets are the same objects (`isAmongItself`), none leads to itself; a
  /// relationship that is its own inverse (`isReflexive`) leads back as well.
  init(
    sources: Int,
    targets: Int,
    count: any Distribution,
    countRange: ClosedRange<Int>,
    popularity: Popularity,
    isAmongItself: Bool,
    isReflexive: Bool = false,
    key: StreamKey
  ) {
    self.sources = sources
    self.targets = targets
    self.count = count
    let most = min(max(0, isAmongItself ? targets - 1 : targets), Self.mostTargets)
    self.countRange = min(countRange.lowerBound, most)...min(countRange.upperBound, most)
    self.isAmongItself = isAmongItself
    self.key = key
    ranks = Permutation(count: targets, key: key.derived("rank"))
    switch popularity {
    case .uniform: (zipfian, weights) = (nil, nil)
    case .zipfian(let exponent):
      (zipfian, weights) = (ZipfianDistribution(exponent: exponent, count: targets), nil)
    case .spread(let recipe):
      let drawn = recipe.distribution().weights(count: targets, key: key)
      (zipfian, weights) = (nil, WeightedChoice(weights: drawn))
    case .counts(let bins):
      let drawn = BinnedDistribution(bins).weights(count: targets, key: key)
      (zipfian, weights) = (nil, WeightedChoice(weights: drawn))
    }
    matched = isReflexive ? mutual(count) : matched(count, popularity)
  }

  private func mutual(_ count: any Distribution) -> MatchedLinks {
    guard let bins = (count as? BinnedDistribution)?.bins else {
      return MatchedLinks(mutual: (0..<sources).map { UInt32(self.count(of: $0)) })
    }
    let degrees = LinkDegrees(bins, objects: sources, most: max(targets - 1, 0))
    return MatchedLinks(mutual: degrees.counts(adding: degrees.links, key: key))
  }

  /// Where bins say of both sides how many partners their objects have.
  private func matched(_ count: any Distribution, _ popularity: Popularity) -> MatchedLinks? {
    guard let bins = (count as? BinnedDistribution)?.bins, case .counts(let inverse) = popularity
    else { return nil }
    let own = LinkDegrees(bins, objects: sources, most: isAmongItself ? targets - 1 : targets)
    let other = LinkDegrees(inverse, objects: targets, most: isAmongItself ? sources - 1 : sources)
    let links = own.uncertainty <= other.uncertainty ? own.links : other.links
    return MatchedLinks(
      sources: own.counts(adding: links, key: key.derived("sources")),
      targets: other.counts(adding: links, key: key.derived("targets")),
      isAmongItself: isAmongItself
    )
  }

  /// The targets of a source in the order they were chosen, no two alike.
  func targets(of source: Int) -> [Int] {
    var chosen: [Int] = []
    append(targetsOf: source, to: &chosen)
    return chosen
  }

  /// Appends the targets of a source to an empty list that is used again and again.
  func append(targetsOf source: Int, to chosen: inout [Int]) {
    if let matched { return matched.append(targetsOf: source, to: &chosen) }
    var draws = key.draws(row: source)
    for _ in 0..<count(of: source, &draws) {
      chosen.append(freshTarget(of: source, notIn: chosen, &draws))
    }
  }

  /// How many targets a source has, without choosing them.
  func count(of source: Int) -> Int {
    if let matched { return matched.count(of: source) }
    var draws = key.draws(row: source)
    return count(of: source, &draws)
  }

  @inline(__always)
  private func count(of source: Int, _ draws: inout Draws) -> Int {
    let drawn = count.value(row: source, draws: &draws).rounded()
    return min(
      max(Int(min(max(drawn, 0), Double(targets))), countRange.lowerBound),
      countRange.upperBound
    )
  }

  private func freshTarget(of source: Int, notIn chosen: [Int], _ draws: inout Draws) -> Int {
    func isTaken(_ target: Int) -> Bool {
      (isAmongItself && target == source) || chosen.contains(target)
    }
    var target = draw(&draws)
    // A favourite that is taken comes up again and again; after some tries its neighbours serve.
    for _ in 0..<16 where isTaken(target) { target = draw(&draws) }
    while isTaken(target) { target = (target + 1) % targets }
    return target
  }

  @inline(__always)
  private func draw(_ draws: inout Draws) -> Int {
    if let zipfian { return ranks.image(of: Int(zipfian.value(row: 0, draws: &draws)) - 1) }
    if let weights { return weights.choice(&draws) }
    return draws.below(targets)
  }
}

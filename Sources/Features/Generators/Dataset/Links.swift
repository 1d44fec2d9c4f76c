import Synchronization

/// A many-to-many relationship, which determines the targets of each source.
struct Links: Sendable {
  /// The maximum number of targets per source: choosing distinct targets takes quadratic time.
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
  private let shared: SharedRelationships?
  private let offset: Int
  /// Links that are computed in advance, as is necessary if both sides are limited or if the
  /// relationship is its own inverse.
  private var matched: MatchedLinks?

  /// Draws the targets of each source; each target gets a number of sources in `inverseRange`.
  ///
  /// With `isAmongItself`, no object is linked to itself. With `isReflexive`, the relationship is
  /// its own inverse and links are mutual.
  init(
    sources: Int,
    targets: Int,
    count: any Distribution,
    countRange: ClosedRange<Int>,
    inverseRange: ClosedRange<Int> = 0...Int.max,
    popularity: Popularity,
    isAmongItself: Bool,
    isReflexive: Bool = false,
    shared: SharedRelationships? = nil,
    offset: Int = 0,
    key: StreamKey
  ) {
    self.shared = shared
    self.offset = offset
    self.sources = sources
    self.targets = targets
    self.count = count
    let most = min(max(0, isAmongItself ? targets - 1 : targets), Self.mostTargets)
    self.countRange = min(countRange.lowerBound, most)...min(countRange.upperBound, most)
    self.isAmongItself = isAmongItself
    self.key = key
    ranks = Permutation(count: targets, key: key.derived("rank"))
    switch popularity {
    // The case `counts` occurs only in to-many relationships without an inverse.
    case .uniform, .counts: (zipfian, weights) = (nil, nil)
    case .zipfian(let exponent):
      (zipfian, weights) = (ZipfianDistribution(exponent: exponent, count: targets), nil)
    case .spread(let recipe):
      let drawn = recipe.distribution().weights(count: targets, key: key)
      (zipfian, weights) = (nil, WeightedChoice(weights: drawn))
    }
    matched =
      isReflexive
      ? MatchedLinks(mutual: (0..<sources).map { UInt32(self.count(of: $0)) })
      : bounded(inverseRange, popularity)
  }

  /// Computes links that respect the model's limits on the number of sources per target, which
  /// random draws would violate.
  ///
  /// Returns `nil` if there are no limits.
  private func bounded(_ range: ClosedRange<Int>, _ popularity: Popularity) -> MatchedLinks? {
    guard range.lowerBound > 0 || range.upperBound < sources, targets > 0 else { return nil }
    let most = min(range.upperBound, isAmongItself ? sources - 1 : sources)
    let least = min(range.lowerBound, most)
    var wanted = (0..<sources).map { UInt32(count(of: $0)) }
    let sum = wanted.reduce(0) { $0 + Int($1) }
    var missing = targets * least - sum
    while missing > 0, wanted.contains(where: { $0 < countRange.upperBound }) {
      for source in wanted.indices where missing > 0 && wanted[source] < countRange.upperBound {
        wanted[source] += 1
        missing -= 1
      }
    }
    return MatchedLinks(
      sources: wanted,
      targets: FanOutCounts(
        parents: targets,
        children: max(sum, targets * least),
        popularity: popularity,
        range: least...most,
        key: key.derived("targets")
      ).counts(),
      isAmongItself: isAmongItself
    )
  }

  init(own: Degrees, other: Degrees, isAmongItself: Bool, isReflexive: Bool, key: StreamKey) {
    self.init(
      sources: own.objects,
      targets: other.objects,
      count: ConstantDistribution(constant: 0),
      countRange: 0...0,
      popularity: .uniform,
      isAmongItself: isAmongItself,
      key: key
    )
    if isReflexive {
      matched = MatchedLinks(mutual: own.counts(adding: own.links, key: key))
      return
    }
    let known = own.uncertainty <= other.uncertainty ? own : other
    // If a profile's bins (ranges of numbers) are coarse, their estimate of the number of links may
    // be below the exact counts of a side.
    let links = known.uncertainty > 0 ? max(known.links, own.certain, other.certain) : known.links
    matched = MatchedLinks(
      sources: own.counts(adding: links, key: key.derived("sources")),
      targets: other.counts(adding: links, key: key.derived("targets")),
      isAmongItself: isAmongItself
    )
  }

  func targets(of source: Int) -> [Int] {
    var chosen: [Int] = []
    append(targetsOf: source, to: &chosen)
    return chosen
  }

  func append(targetsOf source: Int, to chosen: inout [Int]) {
    if let matched { return matched.append(targetsOf: source, to: &chosen) }
    let source = origin(of: source)
    var draws = key.draws(row: source)
    for _ in 0..<count(of: source, &draws) {
      chosen.append(freshTarget(of: source, notIn: chosen, &draws))
    }
  }

  func count(of source: Int) -> Int {
    if let matched { return matched.count(of: source) }
    let source = origin(of: source)
    var draws = key.draws(row: source)
    return count(of: source, &draws)
  }

  /// Returns the source whose targets a source shares: its original if it is a copy, otherwise
  /// itself.
  @inline(__always)
  private func origin(of source: Int) -> Int {
    guard let shared else { return source }
    return shared.origin(of: offset + source) - offset
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

  /// The number of partners per object on one side of a many-to-many relationship, from a profile's
  /// bins.
  struct Degrees {
    private let groups: [HistogramCounts.Group]
    let objects: Int
    private let range: ClosedRange<Int>
    let links: Int
    let uncertainty: Int
    /// The number of links of objects whose exact number of partners is known.
    let certain: Int

    /// Limits the number of partners per object to `most` and to `range`.
    ///
    /// If the two conflict, `most` takes precedence over the minimum of `range`.
    init(_ groups: [HistogramCounts.Group], most: Int, range: ClosedRange<Int>) {
      let most = min(max(most, 0), range.upperBound)
      let least = min(range.lowerBound, most)
      self.groups = groups.map { group in
        let bins = group.bins.map { bin in
          let from = min(max(bin.from, Double(least)), Double(most))
          return Bin(
            from: from,
            to: bin.isPoint ? from : max(min(bin.to, Double(most) + 1), from),
            count: bin.count
          )
        }
        return HistogramCounts.Group(bins: bins, parents: group.parents)
      }
      objects = groups.reduce(0) { $0 + $1.parents }
      self.range = least...most
      var (links, uncertainty, certain) = (0.0, 0.0, 0.0)
      for group in self.groups {
        let shares = ColumnSegments.shares(of: group.bins.map(\.count), in: group.parents)
        for (bin, share) in zip(group.bins, shares) {
          let last = bin.isPoint ? bin.from : max(bin.to - 1, bin.from)
          links += Double(share) * (bin.from + last) / 2
          if bin.isPoint { certain += Double(share) * bin.from }
          uncertainty += Double(share) * (last - bin.from)
        }
      }
      self.links = max(
        Int(min(links.rounded(), Double(Limits.mostObjects))),
        min(objects * least, Limits.mostObjects)
      )
      self.uncertainty = Int(min(uncertainty.rounded(), Double(Limits.mostObjects)))
      self.certain = Int(min(certain.rounded(), Double(Limits.mostObjects)))
    }

    func counts(adding links: Int, key: StreamKey) -> [UInt32] {
      HistogramCounts(
        groups: groups,
        children: links,
        least: links >= objects * range.lowerBound ? range.lowerBound : 0,
        most: range.upperBound,
        key: key
      ).counts()
    }
  }
}

/// A many-to-many relationship that can be queried from both sides.
///
/// The first query computes the sources of all targets in one pass over the sources.
final class ReversedLinks: Sendable {
  private struct Lists {
    let starts: [Int]
    let sources: [UInt32]
  }

  let links: Links
  private let lists = Mutex<Lists?>(nil)

  init(_ links: Links) {
    self.links = links
  }

  /// The position of a source among a target's sources, from 0; `nil` if they are not linked.
  func position(of source: Int, amongSourcesOf target: Int) -> Int? {
    let lists = reversed()
    let start = lists.starts[target]
    var (low, high) = (start, lists.starts[target + 1])
    while low < high {
      let middle = (low + high) / 2
      if Int(lists.sources[middle]) < source { low = middle + 1 } else { high = middle }
    }
    let isThere = low < lists.starts[target + 1] && Int(lists.sources[low]) == source
    return isThere ? low - start : nil
  }

  func sources(of target: Int) -> [Int] {
    let lists = reversed()
    return (lists.starts[target]..<lists.starts[target + 1]).map { Int(lists.sources[$0]) }
  }

  private func reversed() -> Lists {
    lists.withLock { made in
      if let made { return made }
      let lists = makeLists()
      made = lists
      return lists
    }
  }

  private func makeLists() -> Lists {
    var starts = [Int](repeating: 0, count: links.targets + 2)
    var chosen: [Int] = []
    for source in 0..<links.sources {
      chosen.removeAll(keepingCapacity: true)
      links.append(targetsOf: source, to: &chosen)
      for target in chosen { starts[target + 2] += 1 }
    }
    for index in 2..<starts.count { starts[index] += starts[index - 1] }
    var sources = [UInt32](repeating: 0, count: starts[links.targets + 1])
    for source in 0..<links.sources {
      chosen.removeAll(keepingCapacity: true)
      links.append(targetsOf: source, to: &chosen)
      for target in chosen {
        sources[starts[target + 1]] = UInt32(source)
        starts[target + 1] += 1
      }
    }
    return Lists(starts: starts, sources: sources)
  }
}

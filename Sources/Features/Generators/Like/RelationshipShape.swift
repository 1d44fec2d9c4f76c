import DataModel

struct RelationshipShape: Hashable, Sendable {
  struct Side: Hashable, Sendable {
    var nullShare: Double
    var bins: [Bin]
  }

  var own: [String: Side]
  var other: [String: Side]
  var ownCounts: ClosedRange<Int>
  var otherCounts: ClosedRange<Int>
  var isRequired: Bool
  var targets: [TargetCondition]
  /// The levels of the tree that the relationship forms, by distance from a root; empty if it has
  /// cycles.
  var levels: [TreeLevel]

  init(_ pair: RelationshipPair, profile: StoreProfile) {
    let reader = Reader(profile: profile)
    own = reader.sides(of: pair.owner) ?? [:]
    other = pair.inverse.flatMap(reader.sides) ?? [:]
    ownCounts = pair.owner.counts
    otherCounts = pair.inverseCounts
    isRequired = !pair.owner.relationship.isOptional
    targets = reader.targets(of: pair.owner)
    levels = reader.levels(of: pair.owner)
    // A unique constraint that consists of to-one relationships permits only one object per target.
    if pair.kind == .manyToOne, reader.isUnique(pair.owner) { otherCounts = 0...1 }
  }

  var keepsLeast: Bool {
    other.values.allSatisfy { $0.bins.allSatisfy { $0.from >= Double(otherCounts.lowerBound) } }
  }

  private struct Reader {
    let profile: StoreProfile

    func sides(of end: RelationshipPair.End) -> [String: Side]? {
      guard let declaring = profile.model.entity(named: end.entity) else { return nil }
      var sides: [String: Side] = [:]
      var (objects, nulls, bins): (Int, Double, [Bin]) = (0, 0, [])
      let family = profile.model.family(of: declaring).filter { !$0.isAbstract }.map(\.name)
      for name in family {
        guard let described = profile.entity(named: name), let count = described.objects, count > 0,
          let known = described.relationships.first(where: { $0.name == end.relationship.name })
        else { continue }
        let share = Double(min(known.nulls, count)) / Double(count)
        sides[name] = Side(nullShare: share, bins: known.fanOut)
        objects += count
        nulls += share * Double(count)
        bins += known.fanOut
      }
      guard objects > 0 else { return nil }
      bins.sort { ($0.from, $0.to) < ($1.from, $1.to) }
      for name in family where sides[name] == nil {
        sides[name] = Side(nullShare: nulls / Double(objects), bins: bins)
      }
      return sides
    }

    private func known(_ end: RelationshipPair.End) -> [RelationshipProfile] {
      guard let declaring = profile.model.entity(named: end.entity) else { return [] }
      return profile.model.family(of: declaring).compactMap { entity in
        guard let described = profile.entity(named: entity.name) else { return nil }
        return described.relationships.first {
          $0.name == end.relationship.name && $0.nulls < described.objects ?? 0
        }
      }
    }

    func targets(of end: RelationshipPair.End) -> [TargetCondition] {
      let known = known(end)
      guard let first = known.first else { return [] }
      return first.targets.compactMap { condition in
        let all = known.compactMap { one in
          one.targets.first { $0.attribute == condition.attribute }
        }
        guard all.count == known.count else { return nil }
        return TargetCondition(
          attribute: condition.attribute,
          values: Array(Set(all.flatMap(\.values)))
            .sorted { $0.answerText < $1.answerText }
        )
      }
    }

    func levels(of end: RelationshipPair.End) -> [TreeLevel] {
      var levels: [TreeLevel] = []
      for one in known(end) {
        for (place, level) in one.levels.enumerated() {
          if place < levels.count {
            levels[place].objects += level.objects
            levels[place].parents += level.parents
          } else {
            levels.append(level)
          }
        }
      }
      return levels
    }

    func isUnique(_ end: RelationshipPair.End) -> Bool {
      guard let declaring = profile.model.entity(named: end.entity) else { return false }
      let attributes = profile.model.family(of: declaring).flatMap(profile.model.attributes)
        .filter { !$0.isTransient && $0.derivation == nil }.map(\.name)
      return profile.model.family(of: declaring).flatMap(profile.model.lineage)
        .flatMap(\.uniquenessConstraints).contains {
          // If a constraint has several to-one relationships, only the rule for the first
          // relationship enforces it.
          $0.first == end.relationship.name && !$0.contains(where: attributes.contains)
        }
    }
  }
}

extension DatasetBuilder {
  private struct Part {
    let count: Int
    let side: RelationshipShape.Side?
  }

  private func parts(of name: String, _ sides: [String: RelationshipShape.Side]) -> [Part] {
    members(of: name).map { Part(count: $0.span.count, side: sides[$0.entity]) }
  }

  private func attached(
    _ sides: [String: RelationshipShape.Side],
    of name: String,
    isRequired: Bool
  ) -> SpanSelection {
    SpanSelection(
      parts(of: name, sides).map { part in
        let nulls = isRequired ? 0 : Double(part.count) * (part.side?.nullShare ?? 0)
        return EvenSelection(count: part.count, selected: part.count - Int(nulls.rounded()))
      }
    )
  }

  private func groups(
    of name: String,
    _ sides: [String: RelationshipShape.Side]
  ) -> [HistogramCounts.Group] {
    parts(of: name, sides).map {
      HistogramCounts.Group(bins: $0.side?.bins ?? [], parents: $0.count)
    }
  }

  private func known(_ groups: [HistogramCounts.Group]) -> [HistogramCounts.Group] {
    guard groups.allSatisfy(\.bins.isEmpty) else { return groups }
    return groups.map {
      HistogramCounts.Group(bins: [Bin(from: 0, to: 5, count: 1)], parents: $0.parents)
    }
  }

  func counts(
    of name: String,
    _ shape: RelationshipShape,
    children: Int,
    key: StreamKey
  ) -> [UInt32] {
    let groups = groups(of: name, shape.other)
    let parents = groups.reduce(0) { $0 + $1.parents }
    let (least, most) = (shape.otherCounts.lowerBound, shape.otherCounts.upperBound)
    guard parents > 0 else { return [] }
    guard groups.contains(where: { !$0.bins.isEmpty }) || most < .max || least > 0 else {
      return FanOutCounts(parents: parents, children: children, popularity: .uniform, key: key)
        .counts()
    }
    return HistogramCounts(
      groups: groups,
      children: children,
      least: children / parents >= least ? least : 0,
      most: most,
      key: key
    ).counts()
  }

  /// The rules that choose the targets on both sides of a relationship.
  ///
  /// Returns `nil` if there is no inverse, because the recipe alone then determines the targets.
  func shaped(
    _ pair: RelationshipPair,
    _ shape: RelationshipShape,
    key: StreamKey
  ) -> (own: RelationshipSource.Rule, inverse: RelationshipSource.Rule)? {
    let (owner, other) = (pair.source, pair.owner.relationship.destination)
    let wanted = attached(shape.own, of: owner, isRequired: shape.isRequired)
    switch pair.kind {
    case .manyToOne where owner == other:
      let tree = tree(of: owner, shape, wanted, key: key)
      return (.treeParent(tree), .treeChildren(tree))
    case .manyToOne:
      // Create as many children as the model's minimum requires, even if the original has fewer.
      let needed = groups(of: other, shape.other).parents * shape.otherCounts.lowerBound
      let children = max(wanted.selected, min(needed, wanted.count))
      let counts = restricted(
        counts(of: other, shape, children: children, key: key),
        to: allowed(other, by: shape.targets),
        most: shape.otherCounts.upperBound
      )
      let sum = counts.reduce(0) { $0 + Int($1) }
      let fanOut = FanOut(counts: counts, attached: wanted.resized(to: sum), key: key)
      return (.parent(fanOut), .children(fanOut))
    case .oneToOne where !pair.isReflexive:
      let isRequired = pair.inverse.map { !$0.relationship.isOptional } ?? false
      let targets = attached(shape.other, of: other, isRequired: isRequired)
      // If the two sides of the relationship disagree in the original store, use the side with more
      // references.
      let isOtherKnown = isRequired || !shape.other.isEmpty
      let most = isOtherKnown ? max(wanted.selected, targets.selected) : wanted.selected
      let pairs = min(most, wanted.count, targets.count)
      let pairing = Pairing(
        sources: wanted.resized(to: pairs),
        targets: targets.resized(to: pairs),
        shuffle: Permutation(count: pairs, key: key.derived("order"))
      )
      return (.target(pairing), .source(pairing))
    case .manyToMany:
      let isAmongItself = owner == other
      let own = known(groups(of: owner, shape.own))
      let inverse = known(groups(of: other, shape.other))
      let (sources, targets) = (own.parents, inverse.parents)
      let links = Links(
        own: Links.Degrees(
          own,
          most: isAmongItself ? targets - 1 : targets,
          range: shape.ownCounts
        ),
        other: Links.Degrees(
          inverse,
          most: isAmongItself ? sources - 1 : sources,
          range: shape.otherCounts
        ),
        isAmongItself: isAmongItself,
        isReflexive: pair.isReflexive,
        key: key
      )
      let made = ReversedLinks(links)
      return (.targets(made), .sources(made))
    case .oneToOne:
      let partners = Partners(count: wanted.count, partnered: wanted.selected, key: key)
      return (.partner(partners), .partner(partners))
    case .inverselessToMany: return nil
    }
  }

  /// A tree whose numbers of children follow the profile's bins.
  ///
  /// The roots have the most children. Every parent precedes its children, and children that are
  /// parents come first, so that no object is its own parent. If every object must have a parent or
  /// a child, however, the only root is its own child.
  private func tree(
    of name: String,
    _ shape: RelationshipShape,
    _ wanted: SpanSelection,
    key: StreamKey
  ) -> Tree {
    let count = wanted.count
    // A cycle is needed only if every object must have a parent or a child.
    let isClosed = shape.isRequired || shape.otherCounts.lowerBound > 0
    let rootCount = isClosed ? 0 : min(max(count - wanted.selected, 1), count)
    let allowed = allowed(name, by: shape.targets)
    var counts = restricted(
      counts(of: name, shape, children: count - rootCount, key: key),
      to: allowed,
      most: shape.otherCounts.upperBound
    )
    let shuffle = Permutation(count: count, key: key.derived("order"))
    let order = (0..<count).map(shuffle.image)
    if !isClosed, let tree = leveledTree(shape, counts, order, allowed: allowed, of: name) {
      return tree
    }
    var tree = [UInt32](repeating: .max, count: count)
    var isRoot: [Bool]
    if isClosed {
      isRoot = [Bool](repeating: false, count: count)
      if let top = order.max(by: { counts[$0] < counts[$1] }) {
        (isRoot[top], tree[top]) = (true, UInt32(top))
        counts[top] -= 1
      }
    } else {
      isRoot = roots(of: name, shape, rootCount, counts, order)
    }
    let isParent = { (row: Int) in counts[row] > 0 }
    let roots = order.filter { isRoot[$0] }
    let below = order.filter { !isRoot[$0] }
    let children = below.filter(isParent) + below.filter { !isParent($0) }
    let parents = roots.filter(isParent) + children.filter(isParent)
    var next = 0
    for parent in parents {
      for _ in 0..<counts[parent] where next < children.count {
        tree[children[next]] = UInt32(parent)
        next += 1
      }
    }
    return Tree(parents: tree)
  }

  /// Selects the rows without a parent, as many per entity as in the profile, starting with those
  /// that have the most children.
  private func roots(
    of name: String,
    _ shape: RelationshipShape,
    _ rootCount: Int,
    _ counts: [UInt32],
    _ order: [Int]
  ) -> [Bool] {
    var isRoot = [Bool](repeating: false, count: order.count)
    var (first, missing) = (0, rootCount)
    for part in parts(of: name, shape.own) {
      let nulls = Int((Double(part.count) * (part.side?.nullShare ?? 0)).rounded())
      let rows = (first..<first + part.count).sorted { (counts[$1], $0) < (counts[$0], $1) }
      for row in rows.prefix(min(nulls, missing)) { isRoot[row] = true }
      missing -= min(nulls, missing)
      first += part.count
    }
    let most = order.sorted { (counts[$1], $0) < (counts[$0], $1) }
    for row in most where missing > 0 && !isRoot[row] {
      isRoot[row] = true
      missing -= 1
    }
    // If no root has children, make the object with the most children a root.
    if let top = most.first, counts[top] > 0,
      !most.contains(where: { isRoot[$0] && counts[$0] > 0 })
    {
      if let leaf = most.last(where: { isRoot[$0] }) { isRoot[leaf] = false }
      isRoot[top] = true
    }
    return isRoot
  }
}

extension [HistogramCounts.Group] {
  fileprivate var parents: Int { reduce(0) { $0 + $1.parents } }
}

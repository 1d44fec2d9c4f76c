import DataModel

/// The objects of each concrete entity, so many that every one that must have a target finds it.
struct LikeCounts {
  /// Rounds in which objects are added, and of all: what one relationship needs, another may not
  /// have room for.
  private static let rounds = (adding: 12, all: 40)

  private let model: Model
  /// By entity, as many as can be different where unique constraints ask for it.
  private let most: [String: Int]
  private(set) var counts: [String: Int]

  init(
    _ counts: [String: Int],
    most: [String: Int],
    shapes: [RelationshipPair: RelationshipShape],
    model: Model
  ) {
    self.model = model
    self.most = most
    self.counts = counts.reduce(into: [:]) { $0[$1.key] = min($1.value, most[$1.key] ?? .max) }
    let pairs = RelationshipPair.all(of: model)
    for round in 0..<Self.rounds.all {
      let before = self.counts
      for pair in pairs { settle(pair, shapes[pair], mayAdd: round < Self.rounds.adding) }
      if self.counts == before { return }
    }
  }

  /// The concrete entities of a family.
  private func family(_ name: String) -> [String] {
    model.entity(named: name).map(model.family)?.filter { !$0.isAbstract }.map(\.name) ?? []
  }

  private func count(_ family: [String]) -> Int { family.reduce(0) { $0 + (counts[$1] ?? 0) } }

  private mutating func settle(
    _ pair: RelationshipPair,
    _ shape: RelationshipShape?,
    mayAdd: Bool
  ) {
    let owners = family(pair.owner.entity)
    let targets = family(pair.owner.relationship.destination)
    let isRequired = !pair.owner.relationship.isOptional
    switch pair.kind {
    case .manyToOne where isRequired && pair.owner.entity != pair.owner.relationship.destination:
      let each = shape?.otherCounts.upperBound ?? .max
      let sources = count(owners)
      provide(targets, sources == 0 ? 0 : (sources - 1) / max(each, 1) + 1, mayAdd: mayAdd)
      let room = count(targets).multipliedReportingOverflow(by: each)
      if !room.overflow { reduce(owners, to: room.partialValue) }
    case .oneToOne where pair.isReflexive:
      guard isRequired, count(owners) % 2 == 1 else { return }
      provide(owners, count(owners) + 1, mayAdd: mayAdd)
      reduce(owners, to: count(owners) / 2 * 2)
    case .oneToOne:
      if isRequired {
        provide(targets, count(owners), mayAdd: mayAdd)
        reduce(owners, to: count(targets))
      }
      if pair.inverse?.relationship.isOptional == false {
        provide(owners, count(targets), mayAdd: mayAdd)
        reduce(targets, to: count(owners))
      }
    case .manyToOne, .inverselessToMany, .manyToMany: return
    }
  }

  /// Adds objects to a family until it has so many, to those entities first that have some.
  private mutating func provide(_ family: [String], _ wanted: Int, mayAdd: Bool) {
    guard mayAdd else { return }
    var missing = wanted - count(family)
    for isUsed in [true, false] {
      for name in family where missing > 0 && (counts[name] ?? 0 > 0) == isUsed {
        let now = counts[name] ?? 0
        let added = max(min(missing, (most[name] ?? Limits.mostObjects) - now), 0)
        counts[name] = now + added
        missing -= added
      }
    }
  }

  /// Takes objects from a family until it has no more than so many, from each in proportion.
  private mutating func reduce(_ family: [String], to wanted: Int) {
    guard count(family) > wanted else { return }
    let shares = ColumnSegments.shares(of: family.map { counts[$0] ?? 0 }, in: max(wanted, 0))
    for (name, share) in zip(family, shares) { counts[name] = share }
  }
}

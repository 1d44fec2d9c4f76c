import DataModel

/// The number of objects of each concrete entity, chosen so that every object that requires a
/// target has one.
struct LikeCounts {
  /// The number of rounds that may add objects.
  ///
  /// Later rounds only remove objects, because objects added for one relationship may be too many
  /// for another.
  private static let addingRounds = 12
  /// The number of rounds that remove only as many objects as necessary.
  ///
  /// Later rounds remove twice as many. Otherwise, two relationships could take turns removing one
  /// object per round.
  private static let sparingRounds = 40

  private let model: Model
  private let most: [String: Int]
  private(set) var counts: [String: Int]
  private var round = 0

  private var mayAdd: Bool { round < Self.addingRounds }

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
    var isSettled = false
    while !isSettled {
      let before = self.counts
      for pair in pairs { settle(pair, shapes[pair]) }
      isSettled = self.counts == before
      // Objects may still be missing, because one relationship added them and another removed them.
      // Continue without adding objects.
      if isSettled, mayAdd { (round, isSettled) = (Self.addingRounds, false) } else { round += 1 }
    }
  }

  private func family(_ name: String) -> [String] {
    model.entity(named: name).map(model.family)?.filter { !$0.isAbstract }.map(\.name) ?? []
  }

  private func count(_ family: [String]) -> Int { family.reduce(0) { $0 + (counts[$1] ?? 0) } }

  private mutating func settle(_ pair: RelationshipPair, _ shape: RelationshipShape?) {
    let owners = family(pair.owner.entity)
    let targets = family(pair.owner.relationship.destination)
    let isRequired = !pair.owner.relationship.isOptional
    switch pair.kind {
    case .manyToOne where pair.owner.entity != pair.owner.relationship.destination:
      if isRequired {
        let each = shape?.otherCounts.upperBound ?? .max
        let sources = count(owners)
        provide(targets, sources == 0 ? 0 : (sources - 1) / max(each, 1) + 1)
        let room = count(targets).multipliedReportingOverflow(by: each)
        if !room.overflow { reduce(owners, to: room.partialValue, sparing: targets) }
      }
      if let shape, shape.otherCounts.lowerBound > 0, shape.keepsLeast {
        let each = shape.otherCounts.lowerBound
        let needed = count(targets).multipliedReportingOverflow(by: each)
        // Add objects only in the first round: two entities that each need several objects of the
        // other would otherwise grow without end.
        if round == 0, !needed.overflow { provide(owners, needed.partialValue) }
        reduce(targets, to: count(owners) / each, sparing: owners)
      }
    case .oneToOne where pair.isReflexive:
      guard isRequired else { return }
      reduce(owners, to: count(targets), sparing: targets)
      guard count(targets) % 2 == 1 else { return }
      provide(targets, count(targets) + 1)
      reduce(targets, to: count(targets) / 2 * 2)
    case .oneToOne:
      if isRequired {
        provide(targets, count(owners))
        reduce(owners, to: count(targets), sparing: targets)
      }
      if pair.inverse?.relationship.isOptional == false {
        provide(owners, count(targets))
        reduce(targets, to: count(owners), sparing: owners)
      }
    case .manyToOne, .inverselessToMany, .manyToMany: return
    }
  }

  private mutating func provide(_ family: [String], _ wanted: Int) {
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

  /// Removes objects of several entities, in proportion to their counts, until at most `wanted`
  /// remain.
  ///
  /// Entities in `others` lose objects last.
  private mutating func reduce(_ family: [String], to wanted: Int, sparing others: [String] = []) {
    let excess = count(family) - wanted
    guard excess > 0 else { return }
    let first = family.filter { !others.contains($0) }
    let taken = min(round < Self.sparingRounds ? excess : 2 * excess, count(family))
    let takenFirst = min(taken, count(first))
    take(takenFirst, from: first)
    take(taken - takenFirst, from: family.filter(others.contains))
  }

  private mutating func take(_ number: Int, from entities: [String]) {
    let shares = ColumnSegments.shares(
      of: entities.map { counts[$0] ?? 0 },
      in: count(entities) - number
    )
    for (name, share) in zip(entities, shares) { counts[name] = share }
  }
}

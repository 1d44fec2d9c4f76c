import DataModel

/// Compares one entity's columns and relationships.
struct EntityFidelity {
  let profile: EntityProfile
  let k: Int
  let first: EntityColumns
  let second: EntityColumns
  let objects: (Int, Int)

  /// What fewer than k objects may move: they were counted with others.
  private var folded: Double { Double(k) / Double(max(objects.0, 1)) }

  func compare(into report: inout FidelityReport) throws {
    for column in profile.columns {
      guard let attribute = first.attributes.first(where: { $0.name == column.name }),
        second.attributes.contains(where: { $0.name == column.name })
      else {
        report.missing.append("\(profile.name).\(column.name)")
        continue
      }
      try compare(column, attribute, into: &report)
    }
    for described in profile.relationships {
      guard let relationship = first.relationships.first(where: { $0.name == described.name }),
        second.relationships.contains(where: { $0.name == described.name })
      else {
        report.missing.append("\(profile.name).\(described.name)")
        continue
      }
      try compare(described, relationship, into: &report)
    }
  }

  // MARK: Attributes

  private func compare(
    _ column: ColumnProfile,
    _ attribute: Attribute,
    into report: inout FidelityReport
  ) throws {
    let values = (try first.valueCount(attribute), try second.valueCount(attribute))
    let nulls = share(objects.0 - values.0, objects.0) - share(objects.1 - values.1, objects.1)
    let chance = Distance.chance(objects.0, objects.1)
    report.add(.nulls, abs(nulls), limit: chance / 2 + folded, of: profile.name, column.name)
    guard values.0 >= k else { return }
    if let left = try first.numbers(attribute), let right = try second.numbers(attribute) {
      let found = try Distance.kolmogorovSmirnov(left, right, model: column.distribution)
      let limit = Distance.chance(found.objects.0, found.objects.1) + found.fit
      report.add(.distribution, found.distance, limit: limit, of: profile.name, column.name)
    }
    // What follows from other properties repeats as they do.
    guard let sharing = column.sharing, attribute.derivation == nil else { return }
    let points = column.measure == .numbers ? column.bins.filter(\.isPoint).map(\.from) : []
    try compare(sharing, attribute, points: Set(points), into: &report)
  }

  private func share(_ part: Int, _ whole: Int) -> Double { Double(part) / Double(max(whole, 1)) }

  private func compare(
    _ sharing: Sharing,
    _ attribute: Attribute,
    points: Set<Double>,
    into report: inout FidelityReport
  ) throws {
    let count = sharing.ranks.count
    let left = try RankedValues(first, attribute, ranks: count, points: points)
    let right = try RankedValues(second, attribute, ranks: count, points: points)
    let chance = Distance.chance(left.objects, right.objects)
    if !sharing.ranks.isEmpty {
      let distance = Distance.totalVariation(left.shares, right.shares)
      report.add(.ranks, distance, limit: chance + folded, of: profile.name, attribute.name)
    }
    guard left.otherObjects >= k, !isChance(attribute.type.measure) else { return }
    let fit = abs(left.valuesPerObject - sharing.valuesPerObject)
    report.add(
      .repeats,
      abs(left.valuesPerObject - right.valuesPerObject),
      limit: Distance.chance(left.otherObjects, right.otherObjects) + folded + fit,
      of: profile.name,
      attribute.name
    )
  }

  /// Whether values meet by chance, which more objects do more often: whole numbers and seconds.
  private func isChance(_ measure: ColumnProfile.Measure) -> Bool {
    let isAlike = abs(objects.0 - objects.1) <= objects.0 / 10
    return !isAlike && (measure == .numbers || measure == .dates)
  }

  // MARK: Relationships

  private func compare(
    _ described: RelationshipProfile,
    _ relationship: Relationship,
    into report: inout FidelityReport
  ) throws {
    if let left = try first.targetCount(relationship),
      let right = try second.targetCount(relationship)
    {
      let distance = abs(share(left, objects.0) - share(right, objects.1))
      let limit = Distance.chance(objects.0, objects.1) / 2 + folded
      report.add(.nulls, distance, limit: limit, of: profile.name, relationship.name)
    } else if let left = try first.fanOut(relationship),
      let right = try second.fanOut(relationship)
    {
      let shape = ColumnProfile(name: "", measure: .numbers, bins: described.fanOut)
      let found = try Distance.kolmogorovSmirnov(left, right, model: shape.distribution)
      let limit = Distance.chance(objects.0, objects.1) + found.fit
      report.add(.fanOut, found.distance, limit: limit, of: profile.name, relationship.name)
    }
  }
}

extension Sharing {
  /// The number of values for each object beyond the ranks, as the clusters have it.
  fileprivate var valuesPerObject: Double {
    let objects = clusters.reduce(0) { $0 + $1.count }
    guard objects > 0 else { return 0 }
    let values = clusters.reduce(0.0) {
      $0 + Double($1.count) / max((($1.from + $1.to - 1) / 2).rounded(.down), 1)
    }
    return values / Double(objects)
  }
}

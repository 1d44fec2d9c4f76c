import DataModel

/// Profiles one attribute of one concrete entity.
struct ColumnProfiler {
  let columns: EntityColumns
  let k: Int
  /// How many objects the entity has.
  let objects: Int

  func profile(of attribute: Attribute) throws -> ColumnProfile {
    let measure = attribute.type.measure
    var profile = ColumnProfile(name: attribute.name, measure: measure)
    var (values, points): (Int, Set<Double>) = (0, [])
    if let numbers = try columns.numbers(attribute) {
      let (bins, summary) = try NumberBins(k: k, type: attribute.type).bins(of: numbers)
      profile.bins = bins
      profile.grain = grain(of: attribute.type, summary)
      (values, points) = (summary.objects, Set(summary.points.map(\.number)))
    } else {
      values = try columns.valueCount(attribute)
    }
    // Fewer than k on either side show as none.
    guard values >= k else {
      profile.nulls = objects
      profile.bins = []
      profile.grain = .whole
      return profile
    }
    profile.nulls = objects - values >= k ? objects - values : 0
    profile.bins = profile.bins.filled(to: objects - profile.nulls)
    profile.sharing = try sharing(of: attribute, points: points, profile)
    return profile
  }

  /// Almost all: fewer than k that are not show nothing.
  private func grain(of type: AttributeType, _ summary: ValueSummary) -> ColumnProfile.Grain {
    switch type.measure {
    case .dates where summary.objects - summary.dayObjects < k: .day
    case .numbers where type.isWhole: .whole
    case .numbers, .dates: summary.objects - summary.wholeObjects < k ? .whole : .fractional
    case .lengths, .sizes, .none: .whole
    }
  }

  /// Blobs are not compared: it would mean reading all of them.
  private func sharing(
    of attribute: Attribute,
    points: Set<Double>,
    _ profile: ColumnProfile
  ) throws -> Sharing? {
    guard profile.measure != .sizes else { return nil }
    var counts = SharingCounts(k: k)
    let isNumeric = profile.measure == .numbers
    try columns.forEachValue(attribute) { count, number in
      // A point is one value already.
      if !isNumeric || !points.contains(number) { counts.add(objects: count) }
    }
    let pointed = isNumeric ? profile.bins.filter(\.isPoint).reduce(0) { $0 + $1.count } : 0
    let others = objects - profile.nulls - pointed
    return others >= k ? counts.sharing(among: others) : nil
  }
}

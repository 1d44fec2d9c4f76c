import DataModel
import Foundation

@testable import Generators

/// Compares the columns and relationships of one entity in two stores.
struct EntityFidelity {
  let profile: EntityProfile
  let k: Int
  let first: EntityColumns
  let second: EntityColumns
  let objects: (Int, Int)
  let tolerance: Tolerance

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
    compareNulls(values, of: column.name, into: &report)
    guard values.0 >= k else { return }
    if let left = try first.numbers(attribute), let right = try second.numbers(attribute) {
      let found = try Distance.kolmogorovSmirnov(left, right, model: column.distribution)
      let limit =
        tolerance.distribution(found.objects.0, found.objects.1, column)
        + max(found.fit, unplaced(column)) + dropped(column, values.0)
      report.add(.distribution, found.distance, limit: limit, of: profile.name, column.name)
    }
    // Do not compare how often a derived attribute's values repeat, which follows from its sources.
    guard let sharing = column.sharing, attribute.derivation == nil else { return }
    let points = column.measure == .numbers ? column.bins.filter(\.isPoint).map(\.from) : []
    try compare(
      sharing,
      attribute,
      points: Set(points),
      dropped: dropped(column, values.0),
      met: met(column, sharing),
      into: &report
    )
  }

  /// The share of objects whose text is not one of an enumeration's words.
  ///
  /// A generated store gives such objects one of the words, and each word's count is rounded.
  private func dropped(_ column: ColumnProfile, _ values: Int) -> Double {
    let kept = column.texts.reduce(0) { $0 + $1.count }
    guard !column.texts.isEmpty, kept < values else { return 0 }
    return share(values - kept + column.texts.count, values)
  }

  /// The share of objects in the largest bin of a column of fractional numbers with frequent
  /// values.
  ///
  /// A profile with a k-anonymity threshold omits these values, so they can be anywhere in their
  /// bin.
  private func unplaced(_ column: ColumnProfile) -> Double {
    guard k > 1, column.measure == .numbers, column.grain == .fractional,
      column.sharing?.ranks.isEmpty == false
    else { return 0 }
    let total = column.bins.reduce(0) { $0 + $1.count }
    return share(column.bins.filter { !$0.isPoint }.map(\.count).max() ?? 0, total)
  }

  /// The expected number of values per object that coincide by chance.
  ///
  /// Whole numbers coincide if they are drawn from a bin that has about as many numbers as values.
  private func met(_ column: ColumnProfile, _ sharing: Sharing) -> Double {
    guard k > 1, column.measure == .numbers, column.grain == .whole else { return 0 }
    let bins = column.bins.filter { !$0.isPoint }
    let lost = bins.reduce(0.0) { sum, bin in
      let (values, numbers) = (Double(bin.count) * sharing.valuesPerObject, bin.to - bin.from)
      return sum + values - numbers * (1 - exp(-values / numbers))
    }
    return lost / Double(max(bins.reduce(0) { $0 + $1.count }, 1))
  }

  private func share(_ part: Int, _ whole: Int) -> Double { Double(part) / Double(max(whole, 1)) }

  /// Compares the shares of objects without a value or target.
  private func compareNulls(
    _ values: (Int, Int),
    of property: String,
    into report: inout FidelityReport
  ) {
    let nulls = share(objects.0 - values.0, objects.0)
    guard objects.1 > 0 else { return }
    let distance = abs(nulls - share(objects.1 - values.1, objects.1))
    report.add(
      .nulls,
      distance,
      limit: tolerance.share(objects.0, objects.1),
      most: max(nulls, 1 - nulls),
      of: profile.name,
      property
    )
  }

  private func compare(
    _ sharing: Sharing,
    _ attribute: Attribute,
    points: Set<Double>,
    dropped: Double,
    met: Double,
    into report: inout FidelityReport
  ) throws {
    let count = sharing.ranks.count
    let left = try RankedValues(first, attribute, ranks: count, points: points)
    let right = try RankedValues(second, attribute, ranks: count, points: points)
    if !sharing.ranks.isEmpty {
      let distance = Distance.totalVariation(left.shares, right.shares)
      // A generated store rounds the count of each common value.
      let rounds = left.objects == right.objects ? 0 : Double(sharing.ranks.count)
      let limit =
        tolerance.counts(left.objects, right.objects) + rounds / Double(max(right.objects, 1))
        + Double(k - 1) / Double(max(objects.0, 1)) + dropped
      report.add(.ranks, distance, limit: limit, of: profile.name, attribute.name)
    }
    guard left.otherObjects >= k, !isChance(attribute.type.measure) else { return }
    let fit = abs(left.valuesPerObject - sharing.valuesPerObject)
    report.add(
      .repeats,
      abs(left.valuesPerObject - right.valuesPerObject),
      limit: Distance.chance(left.otherObjects, right.otherObjects)
        + Double(k - 1) / Double(max(objects.0, 1)) + fit + met,
      of: profile.name,
      attribute.name
    )
  }

  /// Whether values coincide by chance, as whole numbers and dates do if the numbers of objects
  /// differ.
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
      compareNulls((left, right), of: relationship.name, into: &report)
    } else if let left = try first.fanOut(relationship),
      let right = try second.fanOut(relationship)
    {
      let shape = ColumnProfile(name: "", measure: .numbers, bins: described.fanOut)
      let found = try Distance.kolmogorovSmirnov(left, right, model: shape.distribution)
      let limit = tolerance.counts(objects.0, objects.1) + found.fit
      report.add(.fanOut, found.distance, limit: limit, of: profile.name, relationship.name)
    }
  }

  /// The shares of objects with a column's most common values, and the number of its other values.
  struct RankedValues {
    let objects: Int
    let shares: [Double]
    let otherObjects: Int
    private let otherValues: Int

    init(_ columns: EntityColumns, _ attribute: Attribute, ranks: Int, points: Set<Double>) throws {
      var sizes: [Int: Int] = [:]
      try columns.forEachValue(attribute) { count, number in
        if !points.contains(number) { sizes[count, default: 0] += 1 }
      }
      let sorted = sizes.sorted { $0.key > $1.key }
      let objects = sorted.reduce(0) { $0 + $1.key * $1.value }
      var top: [Int] = []
      for (size, values) in sorted {
        top += Array(repeating: size, count: min(values, ranks - top.count))
      }
      self.objects = objects
      shares = top.map { Double($0) / Double(max(objects, 1)) }
      otherObjects = objects - top.reduce(0, +)
      otherValues = sorted.reduce(0) { $0 + $1.value } - top.count
    }

    var valuesPerObject: Double { Double(otherValues) / Double(max(otherObjects, 1)) }
  }
}

extension Sharing {
  fileprivate var valuesPerObject: Double {
    let objects = clusters.reduce(0) { $0 + $1.count }
    guard objects > 0 else { return 0 }
    let values = clusters.reduce(0.0) {
      $0 + Double($1.count) / max($1.middle.rounded(.down), 1)
    }
    return values / Double(objects)
  }
}

/// The permitted differences between the shares of two stores.
struct Tolerance {
  /// Whether one store was made from the other's profile, so that its shares are rounded, not
  /// random.
  let isMade: Bool
  let k: Int

  func share(_ first: Int, _ second: Int) -> Double {
    let folded = Double(k - 1) / Double(max(first, 1))
    return (isMade ? Self.rounding(first, second) : Distance.chance(first, second) / 2) + folded
  }

  func distribution(_ first: Int, _ second: Int, _ column: ColumnProfile) -> Double {
    // A profile with a k-anonymity threshold does not show which numbers are the most common.
    guard isMade, k == 1 else { return Distance.chance(first, second) }
    // Objects with the same value stay together. At each end of a bin, one such cluster of every
    // size can be on the wrong side.
    let sizes = column.sharing?.clusters.map(\.middle) ?? []
    let isSpread = column.bins.contains { !$0.isPoint }
    let moved = sizes.max().map { max($0 * 2, sizes.reduce(0, +)) } ?? (isSpread ? 1 : 0)
    return Self.rounding(first, second) + moved / Double(max(first, 1))
  }

  func counts(_ first: Int, _ second: Int) -> Double {
    isMade && k == 1 ? Self.rounding(first, second) * 2 : Distance.chance(first, second)
  }

  private static func rounding(_ first: Int, _ second: Int) -> Double {
    first == second ? 1e-9 : 1 / Double(max(second, 1))
  }
}

/// Distances between the distributions of two stores, and the distances that chance explains.
enum Distance {
  /// The quantile of Kolmogorov's distribution that one comparison in ten thousand exceeds.
  private static let factor = 2.2253

  static func chance(_ first: Int, _ second: Int) -> Double {
    guard first > 0, second > 0 else { return 1 }
    return min(factor * (1 / Double(first) + 1 / Double(second)).squareRoot(), 1)
  }

  /// Returns the Kolmogorov–Smirnov distance of two columns, and that of the first column from a
  /// model.
  static func kolmogorovSmirnov(
    _ first: ValueCounts,
    _ second: ValueCounts,
    model: (Double) -> Double
  ) throws -> (distance: Double, fit: Double, objects: (Int, Int)) {
    let totals = (try first.total(), try second.total())
    guard totals.0 > 0, totals.1 > 0 else { return (totals == (0, 0) ? 0 : 1, 0, totals) }
    first.reset()
    second.reset()
    var (left, right) = (try first.next(), try second.next())
    var (below, belowSecond, distance, fit) = (0, 0, 0.0, 0.0)
    while let number = [left?.number, right?.number].compactMap(\.self).min() {
      if let same = left, same.number == number {
        below += same.count
        left = try first.next()
      }
      if let same = right, same.number == number {
        belowSecond += same.count
        right = try second.next()
      }
      let share = Double(below) / Double(totals.0)
      distance = max(distance, abs(share - Double(belowSecond) / Double(totals.1)))
      fit = max(fit, abs(share - model(number)))
    }
    return (distance, fit, totals)
  }

  /// Returns the total variation of two lists of shares; shares missing from a list count as 0.
  static func totalVariation(_ first: [Double], _ second: [Double]) -> Double {
    var sum = abs(first.reduce(0, +) - second.reduce(0, +))
    for index in 0..<max(first.count, second.count) {
      let left = index < first.count ? first[index] : 0
      sum += abs(left - (index < second.count ? second[index] : 0))
    }
    return sum / 2
  }
}

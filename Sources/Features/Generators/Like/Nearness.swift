import Basics
import DataModel
import PersistentStore
import SQLite

/// The differences between a generated store and the original store that its profile describes.
package struct Nearness {
  /// An aspect in which two stores are compared.
  package enum Aspect: String, CaseIterable, Hashable, Sendable {
    /// The share of objects without a value or target.
    case nulls
    /// The Kolmogorov–Smirnov distance between the distributions of numbers, dates or sizes.
    case distribution
    /// The Kolmogorov–Smirnov distance between the distributions of targets per object.
    case fanOut
    /// The used share of the leaf pages of a table or index, or of the file's pages.
    case pages
  }

  /// A distance, from 0 (equal) to 1 (nothing in common).
  package struct Comparison: Hashable, Sendable {
    package let aspect: Aspect
    /// The compared attribute or relationship as `Entity.property`, or a table, an index, or the
    /// file.
    package let subject: String
    package let distance: Double
  }

  package private(set) var comparisons: [Comparison] = []
  /// The names of the entities with too few objects for a comparison.
  package private(set) var unknown: [String] = []

  /// Compares two stores in everything that the original's profile describes.
  ///
  /// - Throws: An error if a store cannot be read.
  package init(of made: StoreContent, to original: StoreColumns, profile: StoreProfile) throws {
    let columns = StoreColumns(made)
    for entity in profile.entities {
      guard entity.objects != nil, let first = original.columns(of: entity.name),
        let second = columns.columns(of: entity.name)
      else {
        unknown.append(entity.name)
        continue
      }
      try compare(entity, first, second)
    }
    guard let (left, right) = PageScan.both(original.content, made) else { return }
    add(.pages, "file", left.free - right.free)
    for (name, leaves) in left.leaves.sorted(by: { $0.key < $1.key }) {
      if let other = right.leaves[name] { add(.pages, name, leaves.share - other.share) }
    }
  }

  private mutating func add(_ aspect: Aspect, _ subject: String, _ distance: Double) {
    comparisons.append(Comparison(aspect: aspect, subject: subject, distance: abs(distance)))
  }

  private mutating func compare(
    _ entity: EntityProfile,
    _ first: EntityColumns,
    _ second: EntityColumns
  ) throws {
    let objects = (try first.objectCount(), try second.objectCount())
    func shares(_ values: (Int, Int)) -> Double {
      Double(values.0) / Double(max(objects.0, 1)) - Double(values.1) / Double(max(objects.1, 1))
    }
    for attribute in first.attributes {
      let subject = "\(entity.name).\(attribute.name)"
      let values = (try first.valueCount(attribute), try second.valueCount(attribute))
      add(.nulls, subject, shares(values))
      guard values.0 > 0, let left = try first.numbers(attribute),
        let right = try second.numbers(attribute)
      else { continue }
      add(.distribution, subject, try Self.distance(left, right))
    }
    for relationship in first.relationships {
      let subject = "\(entity.name).\(relationship.name)"
      if let left = try first.targetCount(relationship),
        let right = try second.targetCount(relationship)
      {
        add(.nulls, subject, shares((left, right)))
      } else if let left = try first.fanOut(relationship),
        let right = try second.fanOut(relationship)
      {
        add(.fanOut, subject, try Self.distance(left, right))
      }
    }
  }

  private static func distance(_ first: ValueCounts, _ second: ValueCounts) throws -> Double {
    let totals = (try first.total(), try second.total())
    guard totals.0 > 0, totals.1 > 0 else { return totals == (0, 0) ? 0 : 1 }
    first.reset()
    second.reset()
    var (left, right) = (try first.next(), try second.next())
    var (below, belowSecond, distance) = (0, 0, 0.0)
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
    }
    return distance
  }

  private static func line(
    _ aspect: String,
    _ compared: String,
    _ distance: String,
    _ farthest: String
  ) -> String {
    let numbers = [compared, distance].map { .blanks(9 - $0.count) + $0 }.joined()
    return aspect.padded(to: 12) + numbers + "   " + TerminalText.prefix(of: farthest, width: 38)
  }

  /// A table of the largest distance in each aspect.
  package var text: String {
    var lines = [
      "nearness: \(Figures.counted(comparisons.count, "comparison"))",
      Self.line("aspect", "compared", "distance", "farthest"),
    ]
    for aspect in Aspect.allCases {
      let compared = comparisons.filter { $0.aspect == aspect }
      guard let worst = compared.max(by: { $0.distance < $1.distance }) else { continue }
      lines.append(
        Self.line(
          aspect.rawValue,
          "\(compared.count)",
          Figures.plain(worst.distance, decimals: 3),
          TerminalText.plain(worst.subject)
        )
      )
    }
    if !unknown.isEmpty {
      lines.append("too few objects to compare: \(unknown.joined(separator: ", "))")
    }
    lines.append("distance: 0 the same, 1 nothing in common")
    return lines.joined(separator: "\n")
  }
}

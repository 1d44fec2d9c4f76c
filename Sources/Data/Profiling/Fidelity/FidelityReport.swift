/// How far two stores' shapes are apart, column by column.
package struct FidelityReport: Codable, Hashable, Sendable {
  /// What is compared.
  package enum Aspect: String, CaseIterable, Codable, Hashable, Sendable {
    /// The number of objects, as a share of what was asked for.
    case objects
    /// The share of objects without a value, or without a target.
    case nulls
    /// Numbers, dates or sizes: Kolmogorov–Smirnov.
    case distribution
    /// How many objects have the commonest value, the next one and so on: total variation.
    case ranks
    /// How many values there are for each object beyond the commonest ones.
    case repeats
    /// The number of objects that each leads to: Kolmogorov–Smirnov.
    case fanOut
    /// Inserts, updates and deletes: total variation.
    case changes
    /// Changes of each transaction: Kolmogorov–Smirnov.
    case transactions
  }

  /// One distance.
  package struct Comparison: Codable, Hashable, Sendable {
    package var entity: String
    /// An attribute or a relationship; empty for the entity itself.
    package var property: String
    package var aspect: Aspect
    /// From 0, alike, to 1.
    package var distance: Double
    /// The largest distance that chance and the profile's bins explain.
    package var limit: Double

    package var differs: Bool { distance > limit }
    package var subject: String { property.isEmpty ? entity : "\(entity).\(property)" }
  }

  /// In the order of the entities' numbers and of names.
  package internal(set) var comparisons: [Comparison] = []
  /// Entities with fewer than k objects, of which nothing is known.
  package internal(set) var unknown: [String] = []
  /// Entities and properties that the other store does not have.
  package internal(set) var missing: [String] = []

  /// Takes a distance with the largest one that chance and bins explain.
  mutating func add(
    _ aspect: Aspect,
    _ distance: Double,
    limit: Double,
    of entity: String,
    _ property: String = ""
  ) {
    comparisons.append(
      Comparison(
        entity: entity,
        property: property,
        aspect: aspect,
        distance: distance,
        limit: min(limit, 1)
      )
    )
  }

  package var differences: [Comparison] { comparisons.filter(\.differs) }

  /// Whether nothing differs beyond its limit and nothing is missing.
  package var isClean: Bool { differences.isEmpty && missing.isEmpty }
}

/// A fidelity report as a document for programs, with what was compared.
package struct FidelityDocument: Encodable {
  private struct Entry: Encodable {
    let entity: String
    let property: String
    let aspect: FidelityReport.Aspect
    let distance: Double
    let limit: Double
    let differs: Bool
  }

  private let original: String
  private let other: String
  private let k: Int
  private let isClean: Bool
  private let comparisons: [Entry]
  private let missing: [String]
  private let unknown: [String]

  /// Names the stores by their paths, and the fewest objects that a number rests on.
  package init(_ report: FidelityReport, original: String, other: String, k: Int) {
    self.original = original
    self.other = other
    self.k = k
    isClean = report.isClean
    comparisons = report.comparisons.map {
      Entry(
        entity: $0.entity,
        property: $0.property,
        aspect: $0.aspect,
        distance: $0.distance,
        limit: $0.limit,
        differs: $0.differs
      )
    }
    missing = report.missing
    unknown = report.unknown
  }
}

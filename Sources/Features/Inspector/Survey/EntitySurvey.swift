import DataModel

/// A store's objects of one entity.
package struct EntitySurvey: Encodable, Equatable, Sendable {
  package var name: String
  /// Z_ENT.
  package var number: Int
  package var table: String
  package var superentity: String?
  package var isAbstract: Bool
  /// Objects of this entity itself.
  package var count: Int64
  /// Objects of this entity and of its sub-entities.
  package var countWithSubentities: Int64
  /// The entity's own attributes; inherited ones stand where they are declared.
  package var attributes: [Attribute] = []
  package var relationships: [Relationship] = []
  package var keys: [Key] = []

  /// A store's values of one attribute, over all objects that have it.
  package struct Attribute: Encodable, Equatable, Sendable {
    package var name: String
    /// As model files spell it, such as `integer64`.
    package var type: String
    /// `nil` for a transient attribute, which has no column.
    package var column: String?
    package var isOptional: Bool
    package var allowsExternalStorage: Bool
    package var isDerived: Bool
    package var count = 0
    package var nulls = 0
    /// `nil` if the values are not compared: large blobs.
    package var distinct: Int?
    package var isDistinctExact = true
    /// Values of numbers; of dates, seconds since 2001-01-01 00:00:00 UTC.
    package var numbers: DistributionSurvey?
    /// Characters of texts, bytes of blobs.
    package var lengths: DistributionSurvey?
    /// Bytes of texts and blobs in the column, external files not among them.
    package var bytes: Int64 = 0
    /// Blobs in the column of more than 100 KB, and of those the ones of more than 1 MB.
    package var blobsOver100KB = 0
    package var blobsOver1MB = 0
    /// Values that live in files of external storage.
    package var external: External?
  }
}

extension EntitySurvey.Attribute {
  /// The files of an attribute's external storage.
  package struct External: Encodable, Equatable, Sendable {
    package var references = 0
    package var missing = 0
    package var bytes: Int64 = 0
    /// Bytes of a file.
    package var sizes: DistributionSurvey?
  }
}

extension EntitySurvey {
  /// A store's references of one relationship.
  package struct Relationship: Encodable, Equatable, Sendable {
    package var name: String
    package var destination: String
    package var inverse: String?
    /// The column with the keys of a to-one's targets, as `TABLE.COLUMN`.
    package var column: String?
    package var isToMany: Bool
    package var isOrdered: Bool
    package var isOptional: Bool
    package var deleteRule: String
    /// Objects that have the relationship.
    package var count: Int64 = 0
    /// Objects whose relationship leads nowhere: NULL, or an empty to-many.
    package var empty: Int64 = 0
    /// References in all.
    package var references: Int64 = 0
    /// References to objects that do not exist.
    package var dangling: Int64 = 0
    /// Objects that a to-many leads to, over the objects with at least one.
    package var fanOut: DistributionSurvey?
  }

  /// How close a key-like attribute is to being unique.
  package struct Key: Encodable, Equatable, Sendable {
    package var properties: [String]
    /// Whether the model asks for it, or only the name or the type looks like it.
    package var isConstraint: Bool
    /// Objects with a value.
    package var count: Int64 = 0
    /// Values that more than one object has.
    package var duplicatedValues: Int64 = 0
    /// Objects that would have to go for the values to be unique.
    package var surplus: Int64 = 0
    /// Objects under the most frequent value.
    package var largestGroup: Int64 = 0
  }
}

/// How the values of a column lie: the range, a few quantiles, a histogram.
package struct DistributionSurvey: Encodable, Equatable, Sendable {
  package var count: Int
  package var minimum: Double
  package var p25: Double
  package var p50: Double
  package var p75: Double
  package var p90: Double
  package var p99: Double
  package var maximum: Double
  /// Counts of values in bins of equal width from the minimum to the maximum.
  package var histogram: [Int]

  /// Bins of a histogram.
  package static let binCount = 10

  /// The quantiles of a sketch; `nil` if it is empty or a value is not finite.
  init?(_ sketch: QuantileSketch) {
    guard let low = sketch.minimum, let high = sketch.maximum, low.isFinite, high.isFinite else {
      return nil
    }
    count = sketch.count
    minimum = low
    maximum = high
    func quantile(_ share: Double) -> Double { sketch.quantile(share) ?? low }
    p25 = quantile(0.25)
    p50 = quantile(0.5)
    p75 = quantile(0.75)
    p90 = quantile(0.9)
    p99 = quantile(0.99)
    histogram = sketch.histogram(bins: Self.binCount, from: low, to: high)
  }
}

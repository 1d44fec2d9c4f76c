import DataModel

/// The survey of a store's objects of one entity.
package struct EntitySurvey: Encodable, Equatable, Sendable {
  package var name: String
  /// The entity's number in the store, Z_ENT.
  package var number: Int
  package var table: String
  package var superentity: String?
  package var isAbstract: Bool
  /// The number of objects of this entity, without sub-entities.
  package var count: Int64
  /// The number of objects of this entity and its sub-entities.
  package var countWithSubentities: Int64
  /// The entity's own attributes, without inherited ones.
  package var attributes: [Attribute] = []
  package var relationships: [Relationship] = []
  package var keys: [Key] = []

  /// The survey of one attribute's values, over all objects that have it.
  package struct Attribute: Encodable, Equatable, Sendable {
    package var name: String
    /// The type as spelled in model files, such as `integer64`.
    package var type: String
    /// The name of the column; `nil` for a transient attribute, which has no column.
    package var column: String?
    package var isOptional: Bool
    package var allowsExternalStorage: Bool
    package var isDerived: Bool
    package var count = 0
    package var nulls = 0
    /// The number of distinct values; `nil` if values are not compared, such as large blobs.
    package var distinct: Int?
    package var isDistinctExact = true
    /// The distribution of numbers; dates are seconds since 2001-01-01 00:00:00 UTC.
    package var numbers: DistributionSurvey?
    /// The distribution of lengths, in characters for strings and in bytes for blobs.
    package var lengths: DistributionSurvey?
    /// The total size of strings and blobs in the column in bytes, without external files.
    package var bytes: Int64 = 0
    /// The number of blobs larger than 100 KB in the column; ``blobsOver1MB`` counts those larger
    /// than 1 MB.
    package var blobsOver100KB = 0
    package var blobsOver1MB = 0
    /// The values in files of external storage; `nil` if there are none.
    package var external: External?
  }
}

extension EntitySurvey.Attribute {
  /// The files of an attribute's external storage.
  package struct External: Encodable, Equatable, Sendable {
    package var references = 0
    package var missing = 0
    package var bytes: Int64 = 0
    /// The distribution of the files' sizes in bytes.
    package var sizes: DistributionSurvey?
  }
}

extension EntitySurvey {
  /// The survey of one relationship's references.
  package struct Relationship: Encodable, Equatable, Sendable {
    package var name: String
    package var destination: String
    package var inverse: String?
    /// The column with the keys of a to-one relationship's targets, as `TABLE.COLUMN`.
    package var column: String?
    package var isToMany: Bool
    package var isOrdered: Bool
    package var isOptional: Bool
    package var deleteRule: String
    /// The number of objects that have the relationship.
    package var count: Int64 = 0
    /// The number of objects without a target: NULL, or an empty to-many relationship.
    package var empty: Int64 = 0
    /// The total number of references.
    package var references: Int64 = 0
    /// The number of references to objects that do not exist.
    package var dangling: Int64 = 0
    /// The distribution of the number of targets, over the objects with at least one target.
    package var fanOut: DistributionSurvey?
  }

  /// The duplicates among the values of a key, declared or suspected.
  package struct Key: Encodable, Equatable, Sendable {
    package var properties: [String]
    /// Whether the model declares a unique constraint; otherwise, only the name or the type
    /// suggests a key.
    package var isConstraint: Bool
    /// The number of objects with a value for the key.
    package var count: Int64 = 0
    /// The number of values that more than one object has.
    package var duplicatedValues: Int64 = 0
    /// The number of objects that must be removed to make the values unique.
    package var surplus: Int64 = 0
    /// The number of objects with the most frequent value.
    package var largestGroup: Int64 = 0
  }
}

/// The distribution of a column's values: the range, some quantiles and a histogram.
package struct DistributionSurvey: Encodable, Equatable, Sendable {
  package var count: Int
  package var minimum: Double
  package var p25: Double
  package var p50: Double
  package var p75: Double
  package var p90: Double
  package var p99: Double
  package var maximum: Double
  /// The number of values in bins of equal width from the minimum to the maximum.
  package var histogram: [Int]

  /// The number of bins of a histogram.
  package static let binCount = 10

  /// Creates the distribution of a sketch; `nil` if the sketch is empty or its range is not finite.
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

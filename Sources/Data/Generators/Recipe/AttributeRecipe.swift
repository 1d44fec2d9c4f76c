import DataModel

/// How the values of one attribute are made.
package struct AttributeRecipe: Hashable, Sendable {
  package var generator: AttributeGenerator
  /// The share of objects without a value, from 0 to 1.
  package var nullShare: Double
  /// A Boolean attribute of the same entity; only objects where it is true have a value.
  package var condition: String?
  /// Whether the row's number follows the text, so that no two are alike.
  package var isNumbered: Bool
  /// Attributes of the same stream have the same value in the same row, whatever their names.
  package var stream: String?

  package init(
    _ generator: AttributeGenerator,
    nullShare: Double = 0,
    condition: String? = nil,
    isNumbered: Bool = false,
    stream: String? = nil
  ) {
    self.generator = generator
    self.nullShare = nullShare
    self.condition = condition
    self.isNumbered = isNumbered
    self.stream = stream
  }
}

/// A rule for values as a recipe describes it.
package enum AttributeGenerator: Hashable, Sendable {
  case constant(Value)
  /// Numbers, kept as the attribute's type keeps them; decimals with at most `places` digits.
  case number(DistributionRecipe, places: Int)
  /// Booleans, true with that probability.
  case chance(Double)
  /// Booleans whose probability moves in a line from the beginning to the end of the period of a
  /// date of the same object.
  case trend(attribute: String, from: Double, to: Double)
  case choice(values: [Value], weights: [Double])
  /// A choice whose weights depend on whether another attribute's date falls in working hours.
  case hourlyChoice(attribute: String, working: WeightedValues, otherwise: WeightedValues)
  case title
  /// Notes with some words, and more for each object that a to-many leads to.
  case notes(words: DistributionRecipe, per: [RelatedWords] = [])
  case name(part: PersonNamePart, scripts: [ScriptWeight])
  case label
  case code(prefix: String, digits: Int)
  case product
  case filename
  case city
  case place
  case address
  case email
  case url
  case colour
  case uuid
  case date(DateRecipe)
  /// Dates that follow those of another attribute by a number of days.
  case laterDate(attribute: String, days: DistributionRecipe, precision: DatePrecision)
  case blob(BlobRecipe)
  /// The path of a file that the app keeps beside the store, in `NAME_FILES`.
  case file(BlobRecipe)
  /// The bytes of the file whose path is in another attribute.
  case fileSize(attribute: String)
  /// Values with the shape of a profile's column, its nulls among them.
  case shaped(ShapedColumn)
}

/// Values with a weight for each.
package struct WeightedValues: Hashable, Sendable {
  package var values: [Value]
  package var weights: [Double]
}

/// A to-many relationship and how many words each of its objects adds.
package struct RelatedWords: Hashable, Sendable {
  package var relationship: String
  package var words: Double
}

/// A writing system and how often it is chosen.
package struct ScriptWeight: Hashable, Sendable {
  package var script: Script
  package var weight: Double
}

/// Which part of a person's name is wanted.
package enum PersonNamePart: String, CaseIterable, Hashable, Sendable {
  case full
  case given
  case family
}

/// Dates of a period as a recipe describes them; times in seconds since 2001-01-01.
package struct DateRecipe: Hashable, Sendable {
  package var from: Double
  package var to: Double
  package var pattern: ActivityPattern
  package var precision: DatePrecision
  /// Whether later rows have later dates, as the dates of creation do.
  package var isOrdered: Bool
}

/// Blobs as a recipe describes them.
package struct BlobRecipe: Hashable, Sendable {
  package var size: DistributionRecipe
  /// The share of the bytes that only repeats others, from 0 to 1.
  package var compressibility: Double
  package var format: BlobFormat
  /// The attribute, a media type or a file's name, that says the format instead.
  package var formatAttribute: String?
}

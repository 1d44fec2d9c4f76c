import DataModel

/// The shape of one attribute's values among the objects of one entity.
package struct ColumnProfile: Hashable, Sendable {
  /// What the bins count.
  package enum Measure: String, CaseIterable, Hashable, Sendable {
    case numbers
    /// Seconds since 2001-01-01, in bins of whole months.
    case dates
    /// Bytes of a text in UTF-8.
    case lengths
    /// Bytes of a blob, external ones by their files.
    case sizes
    /// The values have no size to speak of: UUIDs.
    case none
  }

  /// What the numbers or dates are multiples of.
  package enum Grain: String, CaseIterable, Hashable, Sendable {
    case fractional
    /// Whole numbers, whole seconds.
    case whole
    case day
  }

  package var name: String
  package var measure: Measure
  /// Objects without a value; 0 also stands for fewer than k.
  package var nulls: Int
  /// In rising order; with the nulls they add up to the entity's objects.
  package var bins: [Bin]
  package var grain: Grain
  /// How many objects have the same value; `nil` where no two are known to.
  package var sharing: Sharing?

  package init(
    name: String,
    measure: Measure,
    nulls: Int = 0,
    bins: [Bin] = [],
    grain: Grain = .whole,
    sharing: Sharing? = nil
  ) {
    self.name = name
    self.measure = measure
    self.nulls = nulls
    self.bins = bins
    self.grain = grain
    self.sharing = sharing
  }

  /// The share of values that are at most `x` where each bin's are spread evenly.
  package func distribution(upTo x: Double) -> Double {
    let total = bins.reduce(0) { $0 + $1.count }
    guard total > 0 else { return 0 }
    let sum = bins.reduce(0.0) {
      $0 + Double($1.count) * $1.share(upTo: x, isWhole: grain == .whole)
    }
    return sum / Double(total)
  }
}

/// How many objects have the same value as others, without saying which value.
package struct Sharing: Hashable, Sendable {
  /// Objects of the commonest values, the commonest first, each at least k.
  package var ranks: [Int]
  /// Objects whose value so many have: `from..<to` objects each.
  package var clusters: [Bin]

  package init(ranks: [Int], clusters: [Bin]) {
    self.ranks = ranks
    self.clusters = clusters
  }

  package var objects: Int { ranks.reduce(0, +) + clusters.reduce(0) { $0 + $1.count } }
}

extension AttributeType {
  /// What a profile counts of the type's values.
  package var measure: ColumnProfile.Measure {
    switch self {
    case .integer16, .integer32, .integer64, .boolean, .double, .float, .decimal: .numbers
    case .date: .dates
    case .string, .uri: .lengths
    case .uuid: .none
    case .binary, .transformable, .objectID, .composite: .sizes
    }
  }

  /// Whether every value is a whole number.
  package var isWhole: Bool {
    switch self {
    case .integer16, .integer32, .integer64, .boolean: true
    default: false
    }
  }
}

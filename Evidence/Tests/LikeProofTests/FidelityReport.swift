/// The differences between the shapes of two stores, column by column.
struct FidelityReport: Hashable, Sendable {
  /// An aspect in which the data of two stores are compared.
  enum Aspect: String, CaseIterable, Hashable, Sendable {
    /// The number of objects, relative to the requested number.
    case objects
    /// The share of objects without a value or target.
    case nulls
    /// The distribution of numbers, dates or sizes, compared by the Kolmogorov–Smirnov distance.
    case distribution
    /// The shares of objects with the most common values in order, compared by total variation.
    case ranks
    /// The number of distinct values per object, without the most common values.
    case repeats
    /// The number of related objects per object, compared by the Kolmogorov–Smirnov distance.
    case fanOut
    /// The shares of inserts, updates and deletes, compared by total variation.
    case changes
    /// The number of changes per transaction, compared by the Kolmogorov–Smirnov distance.
    case transactions
    /// The used share of a table's or index's leaf pages, and the share of free pages in the file.
    case pages
  }

  /// A measured difference in one aspect.
  struct Comparison: Hashable, Sendable {
    var entity: String
    /// The name of the attribute or relationship; empty for the entity itself.
    var property: String
    var aspect: Aspect
    /// The measured difference, from 0 (equal) to 1.
    var distance: Double
    /// The largest difference that rounding, chance and the profile's bins explain.
    var limit: Double
    /// The largest difference that is possible at all.
    var most: Double

    var differs: Bool { distance > limit }
    /// Whether the comparison proves nothing, because any store would be within the limit.
    var cannotTell: Bool { !differs && limit >= most }
    var subject: String { property.isEmpty ? entity : "\(entity).\(property)" }
  }

  /// The comparisons in the order of the entities' numbers and the properties' names.
  var comparisons: [Comparison] = []
  /// The entities with fewer objects than the k-anonymity threshold, which the profile omits.
  var unknown: [String] = []
  /// The entities and properties that are missing from the compared store.
  var missing: [String] = []
  /// The properties that differ from the original on purpose, to satisfy the model's validation.
  var changes: [FidelityExpectation.Change] = []

  mutating func add(
    _ aspect: Aspect,
    _ distance: Double,
    limit: Double,
    most: Double = 1,
    of entity: String,
    _ property: String = ""
  ) {
    guard !changes.contains(where: { $0.covers(aspect, of: entity, property) }) else { return }
    comparisons.append(
      Comparison(
        entity: entity,
        property: property,
        aspect: aspect,
        distance: distance,
        limit: min(limit, 1),
        most: most
      )
    )
  }

  var differences: [Comparison] { comparisons.filter(\.differs) }
}

/// The expected contents of a store that is made from another store's profile.
struct FidelityExpectation: Hashable, Sendable {
  /// A property that cannot resemble the original.
  struct Change: Hashable, Sendable {
    enum Reason: String, CaseIterable, Hashable, Sendable {
      /// Objects without a value get a value, because the model requires it.
      case required
      /// Every object gets a different value, because of a unique constraint.
      case unique
      /// Values outside the attribute's type or validation are moved into the valid range.
      case range
      /// The original has objects whose inverse relationship does not refer back.
      case inverse
      /// Objects are added as targets of required relationships.
      case target
      /// There are too few possible values or objects.
      case room
      /// The text is derived from another text, which is newly generated.
      case derived

      var aspects: [FidelityReport.Aspect] {
        switch self {
        case .required, .inverse: [.nulls]
        case .unique, .derived: [.distribution, .ranks, .repeats]
        case .range: [.distribution, .ranks, .repeats, .fanOut]
        case .room, .target: [.objects, .nulls]
        }
      }
    }

    let entity: String
    /// The name of the property; empty for the entity itself.
    let property: String
    let reason: Reason

    var subject: String { property.isEmpty ? entity : "\(entity).\(property)" }

    func covers(_ aspect: FidelityReport.Aspect, of entity: String, _ property: String) -> Bool {
      self.entity == entity && self.property == property && reason.aspects.contains(aspect)
    }
  }

  /// The expected number of objects of each entity.
  let counts: [String: Int]
  let changes: [Change]
}

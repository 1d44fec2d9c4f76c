/// How far two stores' shapes are apart, column by column.
struct FidelityReport: Hashable, Sendable {
  /// What is compared.
  enum Aspect: String, CaseIterable, Hashable, Sendable {
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
    /// The used share of a table's or an index's leaves, and the file's without its free pages.
    case pages
  }

  /// One distance.
  struct Comparison: Hashable, Sendable {
    var entity: String
    /// An attribute or a relationship; empty for the entity itself.
    var property: String
    var aspect: Aspect
    /// From 0, alike, to 1.
    var distance: Double
    /// The largest distance that rounding, chance and the profile's bins explain.
    var limit: Double
    /// The largest distance that another store could have.
    var most: Double

    var differs: Bool { distance > limit }
    /// Whether every other store would be within the limit as well.
    var cannotTell: Bool { !differs && limit >= most }
    var subject: String { property.isEmpty ? entity : "\(entity).\(property)" }
  }

  /// In the order of the entities' numbers and of names.
  var comparisons: [Comparison] = []
  /// Entities with fewer than k objects, of which nothing is known.
  var unknown: [String] = []
  /// Entities and properties that the other store does not have.
  var missing: [String] = []
  /// Properties that are not like the original's, so that the model's validation holds.
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

/// What a store that is made after another one is to have.
struct FidelityExpectation: Hashable, Sendable {
  /// A property that cannot be like the original's.
  struct Change: Hashable, Sendable {
    enum Reason: String, CaseIterable, Hashable, Sendable {
      /// Objects without a value get one, since the model requires it.
      case required
      /// Every object gets a value of its own, for a unique constraint.
      case unique
      /// Values that the type or the validation does not allow are moved into their range.
      case range
      /// One side of a relationship leads to objects whose other side does not lead back.
      case inverse
      /// Objects are added, since others must lead to one.
      case target
      /// No more values, or objects, can be different from each other.
      case room
      /// A text that is made of another one, which is new.
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
    /// Empty for the entity itself.
    let property: String
    let reason: Reason

    var subject: String { property.isEmpty ? entity : "\(entity).\(property)" }

    func covers(_ aspect: FidelityReport.Aspect, of entity: String, _ property: String) -> Bool {
      self.entity == entity && self.property == property && reason.aspects.contains(aspect)
    }
  }

  /// The objects of each entity.
  let counts: [String: Int]
  let changes: [Change]
}

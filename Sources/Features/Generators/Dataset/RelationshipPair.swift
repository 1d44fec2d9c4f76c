import DataModel

struct RelationshipPair: Hashable, Sendable {
  /// The number of objects on each side of a relationship.
  ///
  /// One of the sides is the owner, which the recipe describes.
  enum Kind: Hashable, Sendable {
    /// Many children, each with one parent.
    ///
    /// The child's side is the owner.
    case manyToOne
    /// Many children, each with one parent, but only the parent has a property.
    ///
    /// The parent's side is the owner.
    case inverselessToMany
    case oneToOne
    case manyToMany
  }

  struct End: Hashable, Sendable {
    let entity: String
    let relationship: Relationship

    var name: String { "\(entity).\(relationship.name)" }

    var counts: ClosedRange<Int> {
      guard relationship.isToMany else { return 0...1 }
      let most = relationship.maximumCount > 0 ? relationship.maximumCount : Int.max
      // A relationship that is not optional and has no minimum may be empty, as a SwiftData array
      // may. Apple's documentation of NSRelationshipDescription leaves this case undefined.
      let least = relationship.isOptional ? 0 : relationship.minimumCount
      return min(least, most)...most
    }
  }

  let kind: Kind
  let owner: End
  let inverse: End?

  static func all(of model: Model) -> [RelationshipPair] {
    var seen: Set<String> = []
    var pairs: [RelationshipPair] = []
    for entity in model.entities {
      for relationship in entity.relationships where !relationship.isTransient {
        let end = End(entity: entity.name, relationship: relationship)
        guard !seen.contains(end.name) else { continue }
        let inverse = inverse(of: end, in: model)
        seen.insert(end.name)
        if let inverse { seen.insert(inverse.name) }
        pairs.append(pair(of: end, inverse))
      }
    }
    return pairs
  }

  private static func inverse(of end: End, in model: Model) -> End? {
    guard let inverse = model.inverse(of: end.relationship), !inverse.isTransient,
      let destination = model.entity(named: end.relationship.destination),
      let declaring = model.declarer(of: inverse.name, in: destination)
    else { return nil }
    return End(entity: declaring.name, relationship: inverse)
  }

  private static func pair(of end: End, _ inverse: End?) -> RelationshipPair {
    guard let inverse else {
      let kind = end.relationship.isToMany ? Kind.inverselessToMany : .manyToOne
      return RelationshipPair(kind: kind, owner: end, inverse: nil)
    }
    return switch (end.relationship.isToMany, inverse.relationship.isToMany) {
    case (true, true): RelationshipPair(kind: .manyToMany, owner: end, inverse: inverse)
    case (false, false): RelationshipPair(kind: .oneToOne, owner: end, inverse: inverse)
    case (false, true): RelationshipPair(kind: .manyToOne, owner: end, inverse: inverse)
    case (true, false): RelationshipPair(kind: .manyToOne, owner: inverse, inverse: end)
    }
  }

  var reversed: RelationshipPair? {
    guard kind == .oneToOne || kind == .manyToMany, let inverse else { return nil }
    return RelationshipPair(kind: kind, owner: inverse, inverse: owner)
  }

  var inverseCounts: ClosedRange<Int> { inverse?.counts ?? 0...Int.max }

  var isReflexive: Bool { owner == inverse }

  var source: String { isReflexive ? owner.relationship.destination : owner.entity }

  var defaultRecipe: RelationshipRecipe {
    RelationshipRecipe(
      entity: owner.entity,
      name: owner.relationship.name,
      popularity: .uniform,
      nullShare: 0,
      count: DistributionRecipe(.poisson(mean: 2)),
      placement: kind == .oneToOne ? .clustered : .scattered
    )
  }

  struct Reader {
    private static let popularities = ["uniform", "zipfian", "spread"]

    static let form = FileForm.either([.choice(["uniform"]), .mapping(fields.map(\.key))])
    private static let fields: [FileField<RelationshipRecipe>] = [
      FileField("uniform", .any, "every target is equally likely (the default)"),
      FileField(
        "zipfian",
        .number,
        "exponent: few targets have most of the references, with a long tail"
      ),
      FileField("spread", DistributionRecipe.form, "weight of each target"),
      FileField(
        "count",
        \.count,
        DistributionRecipe.counts,
        "number of targets of an object, for many-to-many relationships"
      ),
      FileField("null", .share, "share of objects without a target"),
      FileField("placement", \.placement, .choice, "order of the children's rows"),
      FileField(
        "hours",
        .mapping(hoursKeys),
        "targets that depend on working hours, for to-one relationships"
      ),
    ]
    private static let hoursKeys = [
      FileKey(
        "of",
        .text,
        "date attribute that decides which hours are working hours",
        isRequired: true
      ),
      FileKey(
        "working",
        .share,
        "share of the targets that are used in working hours",
        isRequired: true
      ),
    ]

    let pair: RelationshipPair
    let model: Model

    private var name: String { pair.owner.name }

    private var keys: [String] {
      switch pair.kind {
      case .manyToOne: Self.popularities + ["null", "placement", "hours"]
      case .inverselessToMany: Self.popularities + ["null", "placement"]
      case .oneToOne: ["null", "placement"]
      case .manyToMany where pair.isReflexive: ["count"]
      case .manyToMany: Self.popularities + ["count"]
      }
    }

    func recipe(_ value: YAMLValue) -> RelationshipRecipe? {
      var recipe = pair.defaultRecipe
      guard value.isMapping else {
        guard keys.contains("uniform") else {
          value.report(withoutPopularity)
          return nil
        }
        let choices = [(word: "uniform", value: true)]
        guard value.choice(of: choices) == true else { return nil }
        return recipe
      }
      guard let mapping = value.mapping(knowing: keys) else { return nil }
      if let popularity = popularity(mapping) { recipe.popularity = popularity }
      if let value = mapping["null"] { recipe.nullShare = nullShare(value) }
      recipe.hours = mapping["hours"].flatMap(hours)
      mapping.fill(&recipe, Self.fields)
      return recipe
    }

    /// The message that explains why `uniform` alone cannot describe this relationship.
    private var withoutPopularity: String {
      pair.kind == .oneToOne
        ? "\(name) is a one-to-one: each object has a target of its own, so that nothing is "
          + "distributed; leave it out, or write { null: 0.1 } for objects without a target"
        : "\(name) leads to its own entity: write { count: { poisson: 2 } }, the number of targets of "
          + "an object"
    }

    private func hours(_ value: YAMLValue) -> RelationshipRecipe.Hours? {
      guard let mapping = value.mapping(knowing: Self.hoursKeys),
        let entity = model.entity(named: pair.owner.entity)
      else { return nil }
      let isPlain =
        !entity.isAbstract && model.family(of: entity).count == 1
        && pair.owner.relationship.destination != entity.name
        && pair.inverse?.relationship.isOrdered != true && pair.inverseCounts == 0...Int.max
      if !isPlain {
        value.report(
          "'hours' cannot be used for \(name): its entity must have no sub-entities, its target "
            + "must be a different entity, and its inverse must have no order and no minimum or "
            + "maximum"
        )
      }
      let dates = model.attributes(of: entity).filter { $0.type == .date && !$0.isTransient }
      let date = mapping.required("of")?.choice(of: dates.map { (word: $0.name, value: $0.name) })
      guard let working = mapping.required("working")?.share(), let date else { return nil }
      return RelationshipRecipe.Hours(attribute: date, working: working)
    }

    private func popularity(_ mapping: YAMLMapping) -> Popularity? {
      let named = mapping.entries.filter { Self.popularities.contains($0.key) }
      guard let entry = named.first else { return nil }
      guard named.count == 1 else {
        mapping.report("\(name) must have one of \(Self.popularities.joined(separator: ", "))")
        return nil
      }
      return switch entry.key {
      case "zipfian": DistributionReader.exponent(entry.value).map { .zipfian(exponent: $0) }
      case "spread":
        DistributionReader(isWhole: true).distribution(entry.value).map { .spread($0) }
      default: uniform(entry.value)
      }
    }

    private func uniform(_ value: YAMLValue) -> Popularity? {
      guard value.scalar == .null else {
        value.report("'uniform' takes no parameters; write it without a value")
        return nil
      }
      return .uniform
    }

    private func nullShare(_ value: YAMLValue) -> Double {
      guard let share = value.share() else { return 0 }
      if share > 0, pair.kind != .inverselessToMany, !pair.owner.relationship.isOptional {
        value.report("\(name) is not optional, so its values cannot be null")
      }
      return share
    }
  }
}

/// The distribution that determines how often each object is chosen as a target.
package enum Popularity: Hashable, Sendable {
  /// All objects are equally likely.
  case uniform
  /// A few popular objects and a long tail; a shuffle decides which objects are popular.
  case zipfian(exponent: Double)
  /// Each object is chosen in proportion to a random weight.
  case spread(DistributionRecipe)
  /// The number of choices per object follows the bins (ranges with counts) of a profile.
  case counts([Bin])
}

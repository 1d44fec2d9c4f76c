import DataModel

/// One connection between two entities: a relationship and, where there is one, its inverse.
struct RelationshipPair: Hashable, Sendable {
  /// How many objects can be at each side.
  enum Kind: Hashable, Sendable {
    /// Many children with one parent each; the owner is the child.
    case manyToOne
    /// The same without a property on the child: the owner is the parent.
    case inverselessToMany
    case oneToOne
    case manyToMany
  }

  /// One side, by the entity that declares its relationship.
  struct End: Hashable, Sendable {
    let entity: String
    let relationship: Relationship

    var name: String { "\(entity).\(relationship.name)" }
  }

  let kind: Kind
  /// The side that a recipe describes; of one-to-ones and many-to-manys it may be either.
  let owner: End
  /// The other side; the owner itself where a relationship is its own inverse.
  let inverse: End?

  /// Every connection of a model, by the owner's entity and name.
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

  /// The same connection described from its other side, where both sides are alike.
  var reversed: RelationshipPair? {
    guard kind == .oneToOne || kind == .manyToMany, let inverse else { return nil }
    return RelationshipPair(kind: kind, owner: inverse, inverse: owner)
  }

  /// Whether the relationship is its own inverse.
  var isReflexive: Bool { owner == inverse }

  /// The recipe where none is given: partners chosen evenly.
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
}

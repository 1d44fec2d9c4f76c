import DataModel
import Profiling

/// How the objects of one connection find each other, as a profile describes it from both sides.
struct LikeRelationship {
  let pair: RelationshipPair
  let profile: StoreProfile

  var recipe: RelationshipRecipe {
    var recipe = pair.defaultRecipe
    recipe.placement = .scattered
    let own = profiles(of: pair.owner)
    let inverse = pair.inverse.map { profiles(of: $0) } ?? []
    switch pair.kind {
    case .manyToOne:
      recipe.nullShare = nullShare(own)
      if let bins = bins(inverse) { recipe.popularity = .counts(bins) }
    case .oneToOne: recipe.nullShare = nullShare(own)
    case .inverselessToMany:
      if let bins = bins(own) { recipe.popularity = .counts(bins) }
      recipe.nullShare = orphanShare(own)
    case .manyToMany:
      if let bins = bins(own) { recipe.count = DistributionRecipe(.binned(bins)) }
      if let bins = bins(inverse), !pair.isReflexive { recipe.popularity = .counts(bins) }
    }
    return recipe
  }

  private typealias Known = (objects: Int, relationship: RelationshipProfile)

  /// What is known of a relationship, of every concrete entity that has it.
  private func profiles(of end: RelationshipPair.End) -> [Known] {
    guard let declaring = profile.model.entity(named: end.entity) else { return [] }
    return profile.model.family(of: declaring).compactMap { entity in
      guard let described = profile.entity(named: entity.name), let objects = described.objects,
        let relationship = described.relationships.first(where: {
          $0.name == end.relationship.name
        })
      else { return nil }
      return (objects, relationship)
    }
  }

  private func nullShare(_ known: [Known]) -> Double {
    let objects = known.reduce(0) { $0 + $1.objects }
    guard objects > 0 else { return 0 }
    return Double(known.reduce(0) { $0 + min($1.relationship.nulls, $1.objects) }) / Double(objects)
  }

  private func bins(_ known: [Known]) -> [Bin]? {
    let bins = known.flatMap(\.relationship.fanOut).sorted { ($0.from, $0.to) < ($1.from, $1.to) }
    return bins.isEmpty ? nil : bins
  }

  /// Of the objects that a to-many without inverse could lead to, the share that it does not.
  private func orphanShare(_ known: [Known]) -> Double {
    guard let destination = profile.model.entity(named: pair.owner.relationship.destination)
    else { return 0 }
    let objects = profile.model.family(of: destination).reduce(0) {
      $0 + (profile.entity(named: $1.name)?.objects ?? 0)
    }
    let led = known.reduce(0.0) { $0 + Double($1.objects) * $1.relationship.meanFanOut }
    return objects > 0 && !known.isEmpty ? min(max(1 - led / Double(objects), 0), 1) : 0
  }
}

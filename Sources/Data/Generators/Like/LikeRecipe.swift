import DataModel
import PersistentStore
import Profiling

/// Makes the recipe of a store that has the shape of a profile.
package struct LikeRecipe {
  private let profile: StoreProfile
  private let scale: Double

  /// Makes `scale` times the original's objects; of entities under k half of k.
  package init(_ profile: StoreProfile, scale: Double = 1) {
    self.profile = profile
    self.scale = scale
  }

  package func recipe(name: String, seed: UInt64) -> Recipe {
    let model = profile.model
    return Recipe(
      name: name,
      model: model,
      flavour: profile.flavour,
      frameworkVersion: profile.frameworkVersion,
      seed: seed,
      entities: model.entities.filter { !$0.isAbstract }.map(entity),
      relationships: RelationshipPair.all(of: model).map {
        LikeRelationship(pair: $0, profile: profile).recipe
      },
      history: history,
      externalStorageThreshold: StoreBehaviours().externalStorageThreshold,
      origin: StoreOrigin(
        versionIdentifiers: profile.versionIdentifiers,
        versionHashes: profile.versionHashes
      )
    )
  }

  /// The objects to make of an entity: half of k where only that is known.
  private func count(_ entity: EntityProfile?) -> Int {
    guard let objects = entity?.objects else { return profile.k / 2 }
    return Int(min((Double(objects) * scale).rounded(), Double(Limits.mostObjects)))
  }

  private func entity(_ entity: Entity) -> EntityRecipe {
    let model = profile.model
    let described = profile.entity(named: entity.name)
    let unique = uniqueAttributes(of: entity)
    let names = model.entities.map(\.name)
    var attributes: [String: AttributeRecipe] = [:]
    for attribute in model.attributes(of: entity) where !attribute.isTransient {
      let known = described?.columns.first { $0.name == attribute.name }
      let column = ShapedColumn(
        known ?? .unknown(attribute),
        isUnique: unique.contains(attribute.name),
        series: names.firstIndex(of: entity.name) ?? 0,
        seriesCount: names.count
      )
      attributes[attribute.name] = AttributeRecipe(.shaped(column))
    }
    return EntityRecipe(name: entity.name, count: count(described), attributes: attributes)
  }

  /// One attribute of each unique constraint, which then keeps the whole of it.
  private func uniqueAttributes(of entity: Entity) -> Set<String> {
    let attributes = profile.model.attributes(of: entity)
    let constraints = profile.model.lineage(of: entity).flatMap(\.uniquenessConstraints)
    return Set(
      constraints.compactMap { names in
        let described = names.compactMap { name in attributes.first { $0.name == name } }
        let best = described.first { [.lengths, .none].contains($0.type.measure) }
        return (best ?? described.first)?.name
      }
    )
  }

  private var history: HistoryRecipe? {
    guard let history = profile.history else { return nil }
    let usual = CalendarMonth(index: 24 * 12).seconds...CalendarMonth(index: 25 * 12).seconds
    return HistoryRecipe(
      objectsPerSave: 1,
      author: nil,
      bundleIdentifier: "org.storebench.app",
      processName: "storebench",
      from: history.times.first?.from ?? usual.lowerBound,
      to: history.times.last?.to ?? usual.upperBound,
      shape: HistoryShape(history, scale: scale, k: profile.k)
    )
  }
}

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
        Relationship(pair: $0, profile: profile).recipe
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
        profile: known ?? .unknown(attribute),
        isUnique: unique.contains(attribute.name),
        series: names.firstIndex(of: entity.name) ?? 0,
        seriesCount: names.count
      )
      attributes[attribute.name] = AttributeRecipe(column)
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

  /// How the objects of one connection find each other, as a profile describes it from both sides.
  struct Relationship {
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
      return Double(known.reduce(0) { $0 + min($1.relationship.nulls, $1.objects) })
        / Double(objects)
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
}

extension LikeRecipe {
  /// The recipe of a profile file, which stands for a store of that shape, or `nil` after reporting
  /// what is wrong with the profile.
  ///
  /// - Throws: ``GeneratorsError`` for counts that are asked of entities it does not have.
  static func recipe(
    of value: YAMLValue,
    path: String,
    options: RecipeFile.Options
  ) throws -> Recipe? {
    guard let profile = ProfileFile.profile(value) else { return nil }
    if options.model != nil { value.report("a profile has a model of its own; leave out 'model'") }
    var recipe = LikeRecipe(profile).recipe(
      name: RecipeFile.stem(of: path),
      seed: options.seed ?? 1
    )
    if let flavour = options.flavour { recipe.flavour = flavour }
    let names = recipe.entities.map(\.name)
    if let unknown = options.objects.keys.sorted().first(where: { !names.contains($0) }) {
      throw GeneratorsError.unknownEntity(
        name: unknown,
        recipe: path,
        suggestion: suggestion(for: unknown, among: names)
      )
    }
    let counts = EntitiesReader.scaled(
      recipe.entities.map { (name: $0.name, count: $0.count, isFixed: false) },
      to: options.objects
    )
    for (index, count) in counts.enumerated() { recipe.entities[index].count = count }
    return recipe
  }
}

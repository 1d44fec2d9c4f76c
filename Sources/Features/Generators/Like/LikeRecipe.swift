import Basics
import DataModel
import PersistentStore

/// Creates the recipe of a store with the entities, counts and distributions of a profile.
package struct LikeRecipe {
  /// The number of objects to generate.
  package enum Size: Hashable, Sendable {
    /// A multiple of the original's number of objects.
    case scale(Double)
    /// The number of objects of some entities; the other entities are scaled in proportion
    /// (``EntitiesReader``).
    case objects([String: Int])
  }

  let profile: StoreProfile
  private let size: Size

  /// Creates a recipe for every entity of the profile.
  ///
  /// If the profile shows only that an entity has fewer than k objects (its anonymity threshold), k
  /// / 2 is assumed.
  package init(_ profile: StoreProfile, size: Size = .scale(1)) {
    self.profile = profile
    self.size = size
  }

  /// Whether a store has so few objects of an entity that their number probably does not grow with
  /// the store's use.
  package static func isFew(_ objects: Int, of all: Int) -> Bool {
    (1...20).contains(objects) && objects * 100 <= all
  }

  /// A warning that entities with few objects are scaled like all others, with the options that
  /// keep their numbers; `nil` if there are no such entities.
  package var fewScaled: String? {
    let asked: [String: Int] = if case .objects(let objects) = size { objects } else { [:] }
    let wanted = wantedCounts
    let sizes = profile.model.entities.filter { !$0.isAbstract }.map {
      (name: $0.name, count: profile.entity(named: $0.name)?.objects ?? 0)
    }
    let all = sizes.reduce(0) { $0 + $1.count }
    let few = sizes.filter { size in
      Self.isFew(size.count, of: all) && asked[size.name] == nil
        && wanted[size.name] ?? 0 > size.count
    }
    guard !few.isEmpty, let largest = sizes.max(by: { $0.count < $1.count }) else { return nil }
    let names = few.map { "'\($0.name)' from \($0.count) to \((wanted[$0.name] ?? 0).grouped)" }
    let warning = "entities with few objects are scaled too: \(Figures.few(names))"
    let base = asked.isEmpty ? [largest.name: wanted[largest.name] ?? 0] : asked
    let fixed = Dictionary(keepingFirst: few.map { ($0.name, $0.count) })
    // Compute the actual counts, because a relationship may need more objects than requested.
    let counts = LikeRecipe(profile, size: .objects(base.merging(fixed) { $1 })).counts
    let kept = few.filter { counts[$0.name] == $0.count }.map { "--objects \($0.name)=\($0.count)" }
    guard !kept.isEmpty else { return warning }
    let first = asked.isEmpty ? ["--objects \(largest.name)=\(wanted[largest.name] ?? 0)"] : []
    return "\(warning); if their number does not grow with the app's use, keep it with "
      + "'\((first + kept).joined(separator: " "))'"
      + (asked.isEmpty ? " in place of '--to'" : " as well")
  }

  package func recipe(name: String, seed: UInt64) -> Recipe {
    let model = profile.model
    let counts = counts
    let entities = model.entities.filter { !$0.isAbstract }.map { entity in
      EntityRecipe(
        name: entity.name,
        count: counts[entity.name] ?? 0,
        attributes: Dictionary(
          uniqueKeysWithValues: columns(of: entity).map {
            ($0.column.profile.name, AttributeRecipe(RuledColumn.rule($0.column, of: $0.known)))
          }
        )
      )
    }
    return Recipe(
      name: name,
      model: model,
      flavour: profile.flavour,
      frameworkVersion: profile.frameworkVersion,
      seed: seed,
      entities: entities,
      relationships: RelationshipPair.all(of: model).map {
        Relationship(pair: $0, profile: profile).recipe
      },
      history: history(Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0.count) })),
      externalStorageThreshold: StoreBehaviours().externalStorageThreshold,
      pageUse: profile.pageUse,
      origin: StoreOrigin(
        versionIdentifiers: profile.versionIdentifiers,
        versionHashes: profile.versionHashes,
        triggers: profile.triggers
      )
    )
  }

  /// The number of an entity's objects in the original store.
  ///
  /// If the profile shows only that there are fewer than its anonymity threshold k, k / 2 is
  /// assumed.
  private func originalCount(_ entity: Entity) -> Int {
    let described = profile.entity(named: entity.name)
    return described.map { $0.objects ?? profile.k / 2 } ?? 0
  }

  private var counts: [String: Int] {
    let model = profile.model
    var most: [String: Int] = [:]
    for entity in model.entities where !entity.isAbstract {
      most[entity.name] = columns(of: entity).map(\.column).filter { !$0.isOptional }
        .map(\.mostValues).min()
    }
    let pairs = RelationshipPair.all(of: model)
    let shapes = pairs.map { ($0, RelationshipShape($0, profile: profile)) }
    return LikeCounts(
      wantedCounts,
      most: most,
      shapes: Dictionary(keepingFirst: shapes),
      model: model
    ).counts
  }

  /// The number of objects of each entity, at least 1 for each that has objects in the original
  /// store.
  var wantedCounts: [String: Int] {
    let entities = profile.model.entities.filter { !$0.isAbstract }
    let originals = entities.map { EntitiesReader.Size(name: $0.name, count: originalCount($0)) }
    let counts =
      switch size {
      case .objects(let asked): EntitiesReader.scaled(originals, to: asked)
      case .scale(let scale): originals.map { EntitiesReader.scaled($0.count, by: scale) }
      }
    return Dictionary(keepingFirst: zip(originals.map(\.name), counts))
  }

  func columns(of entity: Entity) -> [(known: ColumnProfile?, column: ShapedColumn)] {
    let described = profile.entity(named: entity.name)
    let unique = UniqueAttributes(of: entity, profile: profile).series
    return profile.model.attributes(of: entity).filter { !$0.isTransient }.map { attribute in
      var known = described?.columns.first { $0.name == attribute.name }
      // The profile of a UUID column has no bins. Compute the number of values from the number of
      // nulls.
      if let nulls = known?.nulls, known?.measure == ColumnProfile.Measure.none,
        let objects = described?.objects, objects > nulls
      {
        known?.bins = [Bin(at: 0, count: objects - nulls)]
      }
      var shape = known ?? .unknown(attribute)
      // If another attribute determines which objects have a value, ignore the share of nulls.
      if shape.presence != nil, unique[attribute.name] == nil { shape.nulls = 0 }
      let column = ShapedColumn(
        shape,
        of: attribute,
        unique: unique[attribute.name]
      )
      return (known, column)
    }
  }

  private func history(_ counts: [String: Int]) -> HistoryRecipe? {
    guard let history = profile.history else { return nil }
    let usual = CalendarMonth(index: 24 * 12).seconds...CalendarMonth(index: 25 * 12).seconds
    return HistoryRecipe(
      objectsPerSave: 1,
      author: nil,
      bundleIdentifier: "org.storebench.app",
      processName: "storebench",
      from: history.times.first?.from ?? usual.lowerBound,
      to: history.times.last?.to ?? usual.upperBound,
      shape: HistoryShape(history, factors: factors(counts), k: profile.k)
    )
  }

  /// The ratio of generated to original objects for each entity; the overall ratio for entities
  /// without objects.
  private func factors(_ counts: [String: Int]) -> [String: Double] {
    var (wanted, originals) = (0, 0)
    var factors: [String: Double] = [:]
    for entity in profile.model.entities where !entity.isAbstract {
      let (count, original) = (counts[entity.name] ?? 0, originalCount(entity))
      if original > 0 { factors[entity.name] = Double(count) / Double(original) }
      wanted += count
      originals += original
    }
    let overall =
      if case .scale(let scale) = size { scale } else {
        originals > 0 ? Double(wanted) / Double(originals) : 1
      }
    for entity in profile.model.entities where factors[entity.name] == nil {
      factors[entity.name] = overall
    }
    return factors
  }

  /// The attributes of an entity whose generated values must be unique.
  ///
  /// One attribute of each unique constraint suffices to satisfy the constraint.
  struct UniqueAttributes {
    private(set) var series: [String: ShapedColumn.Series] = [:]

    init(of entity: Entity, profile: StoreProfile) {
      let model = profile.model
      let attributes = model.attributes(of: entity)
        .filter { !$0.isTransient && $0.derivation == nil }
      for declaring in model.lineage(of: entity) {
        let family = model.family(of: declaring).filter { !$0.isAbstract }.map(\.name)
        for constraint in declaring.uniquenessConstraints {
          let candidates = constraint.compactMap { name in attributes.first { $0.name == name } }
          // Use the values of the declaring entity and all its sub-entities, so that all choose the
          // same attribute.
          guard
            let chosen = candidates.max(by: {
              Self.variety(of: $0, in: family, profile) < Self.variety(of: $1, in: family, profile)
            })
          else { continue }
          let own = ShapedColumn.Series(
            number: family.firstIndex(of: entity.name) ?? 0,
            count: family.count
          )
          if own.count > series[chosen.name]?.count ?? 0 { series[chosen.name] = own }
        }
      }
    }

    /// A score for choosing a unique attribute: its distinct values per object, plus a bonus for
    /// types with room for more values.
    private static func variety(
      of attribute: Attribute,
      in family: [String],
      _ profile: StoreProfile
    ) -> Double {
      let columns = family.compactMap { name in
        profile.entity(named: name)?.columns.first { $0.name == attribute.name }
      }
      let room: Double =
        switch attribute.type {
        // Prefer UUIDs and strings: their profiles contain only lengths, which unique values do not
        // change.
        case .uuid: 1.2
        case .string, .uri: 1.1
        case .boolean: 0
        default: 0.1
        }
      let objects = columns.reduce(0) { $0 + $1.objects }
      guard objects > 0 else { return room }
      return columns.reduce(0.0) { $0 + $1.values } / Double(objects) + room
    }
  }

  struct Relationship {
    let pair: RelationshipPair
    let profile: StoreProfile

    var recipe: RelationshipRecipe {
      var recipe = pair.defaultRecipe
      recipe.placement = .scattered
      recipe.shape = RelationshipShape(pair, profile: profile)
      let own = profiles(of: pair.owner)
      switch pair.kind {
      case .manyToOne, .manyToMany, .oneToOne: break
      case .inverselessToMany:
        if let bins = bins(own) { recipe.popularity = .counts(bins) }
        recipe.nullShare = orphanShare(own)
      }
      return recipe
    }

    typealias Known = (objects: Int, relationship: RelationshipProfile)

    func profiles(of end: RelationshipPair.End) -> [Known] {
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

    private func bins(_ known: [Known]) -> [Bin]? {
      let bins = known.flatMap(\.relationship.fanOut).sorted { ($0.from, $0.to) < ($1.from, $1.to) }
      return bins.isEmpty ? nil : bins
    }

    /// The share of the destination's objects that no object references, in a to-many relationship
    /// without an inverse.
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
  /// The recipe of a store with the counts and distributions of a profile file, or `nil` after
  /// reporting the profile's problems.
  static func recipe(
    of value: YAMLValue,
    path: String,
    options: RecipeFile.Options
  ) throws -> Recipe? {
    guard let profile = ProfileFile.profile(value) else { return nil }
    if options.model != nil {
      value.report("a store profile contains its model; leave out 'model'")
    }
    try checkEntities(options.objects, of: profile.model, path: path)
    let size: Size = options.objects.isEmpty ? .scale(1) : .objects(options.objects)
    var recipe = LikeRecipe(profile, size: size).recipe(
      name: RecipeFile.stem(of: path),
      seed: options.seed ?? 1
    )
    if let flavour = options.flavour { recipe.flavour = flavour }
    return recipe
  }

  /// Checks that the counted entities exist and are not abstract.
  ///
  /// - Throws: ``Refusal/unknownEntity(name:recipe:suggestion:)`` if an entity does not exist or is
  ///   abstract.
  package static func checkEntities(
    _ objects: [String: Int],
    of model: Model,
    path: String
  ) throws {
    let names = model.entities.filter { !$0.isAbstract }.map(\.name)
    guard let unknown = objects.keys.sorted().first(where: { !names.contains($0) }) else { return }
    throw Refusal.unknownEntity(
      name: unknown,
      recipe: path,
      suggestion: suggestion(for: unknown, among: names)
    )
  }
}

extension ColumnProfile {
  var objects: Int {
    max(bins.reduce(0) { $0 + $1.count }, sharing?.objects ?? 0)
  }

  var values: Double {
    let points = measure == .numbers || measure == .dates ? bins.filter(\.isPoint) : []
    let rest = objects - points.reduce(0) { $0 + $1.count }
    guard let sharing else { return Double(points.count + rest) }
    let clusters = sharing.clusters.reduce(0.0) { $0 + Double($1.count) / max($1.middle, 1) }
    return Double(points.count + sharing.ranks.count) + clusters
  }
}

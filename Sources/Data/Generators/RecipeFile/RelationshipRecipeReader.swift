import DataModel

/// Reads how the objects of a relationship find each other.
struct RelationshipRecipeReader {
  private static let popularities = ["uniform", "zipfian", "spread"]

  let pair: RelationshipPair
  let model: Model

  private var name: String { pair.owner.name }

  /// The keys that a relationship of the pair's kind can have.
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
      let choices = keys.contains("uniform") ? [(word: "uniform", value: true)] : []
      guard value.choice(of: choices) == true else { return nil }
      return recipe
    }
    guard let mapping = value.mapping(knowing: keys) else { return nil }
    if let popularity = popularity(mapping) { recipe.popularity = popularity }
    if let value = mapping["null"] { recipe.nullShare = nullShare(value) }
    if let value = mapping["placement"] {
      let choices = RelationshipRecipe.Placement.allCases.map { (word: $0.rawValue, value: $0) }
      if let placement = value.choice(of: choices) { recipe.placement = placement }
    }
    recipe.hours = mapping["hours"].flatMap(hours)
    if let count = mapping["count"].flatMap({ DistributionReader(isWhole: true).distribution($0) })
    {
      recipe.count = count
    }
    return recipe
  }

  /// Which targets belong to working hours.
  private func hours(_ value: YAMLValue) -> HoursRecipe? {
    guard let mapping = value.mapping(knowing: ["of", "working"]),
      let entity = model.entity(named: pair.owner.entity)
    else { return nil }
    let isPlain =
      !entity.isAbstract && model.family(of: entity).count == 1
      && pair.owner.relationship.destination != entity.name
      && pair.inverse?.relationship.isOrdered != true
    if !isPlain {
      value.report(
        "\(name) cannot follow hours: it needs an entity without sub-entities, another one as its "
          + "target, and an inverse without an order"
      )
    }
    let dates = model.attributes(of: entity).filter { $0.type == .date && !$0.isTransient }
    let date = mapping.required("of")?.choice(of: dates.map { (word: $0.name, value: $0.name) })
    guard let working = mapping.required("working")?.share(), let date else { return nil }
    return HoursRecipe(attribute: date, working: working)
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
      value.report("\(name) is not optional, so no share of it can be null")
    }
    return share
  }
}

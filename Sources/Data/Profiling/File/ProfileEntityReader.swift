import DataModel
import PersistentStore

/// Reads the entities and the history of a profile against its model.
struct ProfileEntityReader {
  let model: Model
  let k: Int

  private var bins: ProfileBinsReader { ProfileBinsReader(k: k) }
  private var concrete: [Entity] {
    EntityNumbers(model: model).entities.filter { !$0.isAbstract }
  }

  /// The concrete entities in the order of their numbers; one that the file leaves out has no objects
  /// to speak of.
  func entities(_ value: YAMLValue?) -> [EntityProfile] {
    let mapping = value?.mapping()
    mapping?.reportKeys(except: concrete.map(\.name))
    return concrete.map { entity in
      mapping?[entity.name].flatMap { profile(of: entity, $0) }
        ?? EntityProfile(name: entity.name, objects: nil)
    }
  }

  private func profile(of entity: Entity, _ value: YAMLValue) -> EntityProfile? {
    let keys = ["objects", "attributes", "relationships"]
    guard let mapping = value.mapping(knowing: keys), let count = mapping.required("objects")
    else { return nil }
    if isTooFew(count) { return EntityProfile(name: entity.name, objects: nil) }
    guard let objects = bins.count(count) else { return nil }
    return EntityProfile(
      name: entity.name,
      objects: objects,
      columns: columns(of: entity, objects: objects, mapping["attributes"]),
      relationships: relationships(of: entity, objects: objects, mapping["relationships"])
    )
  }

  /// Whether a count is written as `"< 20"`.
  private func isTooFew(_ value: YAMLValue) -> Bool { value.scalar == .text("< \(k)") }

  // MARK: Attributes

  private func columns(
    of entity: Entity,
    objects: Int,
    _ value: YAMLValue?
  ) -> [ColumnProfile] {
    let attributes = model.attributes(of: entity).filter { !$0.isTransient }
      .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    let mapping = value?.mapping()
    mapping?.reportKeys(except: attributes.map(\.name))
    return attributes.compactMap { attribute in
      mapping?[attribute.name].flatMap { column(attribute, objects: objects, $0) }
    }
  }

  private func column(
    _ attribute: Attribute,
    objects: Int,
    _ value: YAMLValue
  ) -> ColumnProfile? {
    let measure = attribute.type.measure
    let keys = ["nulls", measure.rawValue, "grain", "ranks", "shared"]
    guard let mapping = value.mapping(knowing: keys) else { return nil }
    var column = ColumnProfile(name: attribute.name, measure: measure)
    column.nulls = mapping["nulls"].flatMap(bins.count) ?? 0
    column.bins =
      mapping[measure.rawValue].map { bins.bins($0, isDate: measure == .dates) } ?? []
    let grains = ColumnProfile.Grain.allCases.map { (word: $0.rawValue, value: $0) }
    column.grain = mapping["grain"].flatMap { $0.choice(of: grains) } ?? .whole
    let ranks = mapping["ranks"]?.items()?.compactMap(bins.count) ?? []
    let clusters = mapping["shared"].map { bins.bins($0) } ?? []
    if !ranks.isEmpty || !clusters.isEmpty {
      column.sharing = Sharing(ranks: ranks, clusters: clusters)
    }
    check(column, objects: objects, mapping)
    return column
  }

  private func check(_ column: ColumnProfile, objects: Int, _ mapping: YAMLMapping) {
    let values = column.bins.reduce(0) { $0 + $1.count }
    let isWhole = column.measure == .none || values + column.nulls == objects
    if !isWhole {
      mapping.report(
        "the bins and nulls of \(mapping.name) add up to \(values + column.nulls), "
          + "and the entity has \(objects) objects"
      )
    }
    if column.nulls > objects || column.sharing.map({ $0.objects > objects }) == true {
      mapping.report("\(mapping.name) speaks of more than the entity's \(objects) objects")
    }
    let isSize = column.measure == .lengths || column.measure == .sizes
    if isSize, column.bins.contains(where: { $0.from < 0 || $0.to > 1_000_000_000 }) {
      mapping.report("\(mapping.name) has sizes that are negative or over 1 GB")
    }
    if column.sharing?.clusters.contains(where: { $0.from < 1 }) == true {
      mapping.report("a value of \(mapping.name) cannot be that of no object")
    }
  }

  // MARK: Relationships

  private func relationships(
    of entity: Entity,
    objects: Int,
    _ value: YAMLValue?
  ) -> [RelationshipProfile] {
    let known = model.relationships(of: entity).filter { !$0.isTransient }
      .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    let mapping = value?.mapping()
    mapping?.reportKeys(except: known.map(\.name))
    return known.compactMap { relationship in
      guard let entry = mapping?[relationship.name]?.mapping(knowing: ["nulls", "counts"]) else {
        return nil
      }
      let profile = RelationshipProfile(
        name: relationship.name,
        nulls: entry["nulls"].flatMap(bins.count) ?? 0,
        fanOut: entry["counts"].map { bins.bins($0) } ?? []
      )
      if profile.nulls > objects || profile.fanOut.contains(where: { $0.from < 0 || $0.to > 1e9 }) {
        entry.report("\(entry.name) does not fit the entity's \(objects) objects")
      }
      return profile
    }
  }

  // MARK: History

  func history(_ value: YAMLValue) -> HistoryProfile? {
    let keys = ["transactions", "changesPerTransaction", "dates", "changes"]
    guard let mapping = value.mapping(knowing: keys),
      let transactions = mapping.required("transactions")
    else { return nil }
    let changes = mapping["changes"]?.mapping()
    changes?.reportKeys(except: concrete.map(\.name))
    return HistoryProfile(
      transactions: isTooFew(transactions) ? nil : bins.count(transactions),
      changesPerTransaction: mapping["changesPerTransaction"].map { bins.bins($0) } ?? [],
      times: mapping["dates"].map { bins.bins($0, isDate: true) } ?? [],
      changes: concrete.compactMap { entity in
        changes?[entity.name]?.mapping(knowing: ["inserts", "updates", "deletes"]).map {
          HistoryProfile.Changes(
            entity: entity.name,
            inserts: $0["inserts"].flatMap(bins.count) ?? 0,
            updates: $0["updates"].flatMap(bins.count) ?? 0,
            deletes: $0["deletes"].flatMap(bins.count) ?? 0
          )
        }
      }
    )
  }
}

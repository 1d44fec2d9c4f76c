import Basics
import DataModel
import PersistentStore

struct DatasetBuilder {
  let recipe: Recipe
  private let layout: StoreLayout
  let root: StreamKey
  private var families: [String: Span] = [:]
  private var spans: [String: Span] = [:]
  /// The relationship sources, keyed by `Entity.relationship`, where the entity declares the
  /// relationship.
  private var relationships: [String: RelationshipSource] = [:]
  private(set) var inverselessParents: [String: RelationshipSource] = [:]
  private(set) var links: [String: RelationshipSource] = [:]
  /// The objects whose join rows reference missing objects, keyed by `Entity.relationship`.
  private(set) var orphans: [String: DefectRows] = [:]
  private var clusters: [String: DuplicateClusters] = [:]

  init(recipe: Recipe, layout: StoreLayout) {
    self.recipe = recipe
    self.layout = layout
    root = StreamKey(seed: recipe.seed)
    for table in layout.tables { layOut(table) }
    for entity in recipe.entities { clusters[entity.name] = duplicates(of: entity) }
    let pairs = RelationshipPair.all(of: recipe.model)
    for pair in pairs.flatMap({ [$0, $0.reversed].compactMap { $0 } }) {
      let described = recipe.relationships.first {
        $0.entity == pair.owner.entity && $0.name == pair.owner.relationship.name
      }
      if let described { connect(pair, described) }
    }
  }

  private mutating func layOut(_ table: EntityTable) {
    var offset = 0
    for name in table.entities {
      let count = recipe.entity(named: name)?.count ?? 0
      spans[name] = Span(offset: offset, count: count)
      offset += count
    }
    for name in table.entities {
      guard let entity = recipe.model.entity(named: name) else { continue }
      let members = recipe.model.family(of: entity).compactMap { spans[$0.name] }
      families[name] = Span(
        offset: members.map(\.offset).min() ?? 0,
        count: members.reduce(0) { $0 + $1.count }
      )
    }
  }

  private func family(_ name: String) -> Span { families[name] ?? Span(offset: 0, count: 0) }

  // MARK: Relationships

  private mutating func connect(_ pair: RelationshipPair, _ described: RelationshipRecipe) {
    let key = root.derived(described.entity).derived(described.name)
    let own = family(pair.source)
    let other = family(pair.owner.relationship.destination)
    let shared = shared(pair)
    if let shape = described.shape, let rules = shaped(pair, shape, key: key) {
      set(pair, own: rules.own, inverse: rules.inverse, own, other)
      if pair.kind == .manyToMany { links[pair.owner.name] = relationships[pair.owner.name] }
      return
    }
    switch pair.kind {
    case .manyToOne where pair.owner.entity == pair.owner.relationship.destination:
      let tree = Tree(
        count: own.count,
        rootShare: max(described.nullShare, 0.05),
        most: pair.inverseCounts.upperBound,
        key: key
      )
      set(pair, own: .treeParent(tree), inverse: .treeChildren(tree), own, own)
    case .manyToOne:
      if let parents = hourlyParents(pair, described, own, other, key: key) {
        set(pair, own: .hourlyParent(parents), inverse: .hourlyChildren(parents), own, other)
        return
      }
      let parent = pair.owner.relationship.destination
      let fanOut = fanOut(
        described,
        of: parent,
        children: own.count,
        range: pair.inverseCounts,
        key: key
      )
      set(pair, own: .parent(fanOut), inverse: .children(fanOut), own, other, shared)
    case .inverselessToMany:
      let fanOut = fanOut(
        described,
        of: pair.owner.entity,
        children: other.count,
        range: pair.owner.counts,
        key: key
      )
      set(pair, own: .children(fanOut), inverse: nil, own, other)
      inverselessParents[pair.owner.name] = RelationshipSource(
        rule: .parent(fanOut),
        own: other,
        other: own,
        members: members(of: pair.owner.entity)
      )
    case .oneToOne where pair.isReflexive:
      let partners = Partners(count: own.count, nullShare: described.nullShare, key: key)
      set(pair, own: .partner(partners), inverse: nil, own, own)
    case .oneToOne:
      let pairing = Pairing(
        sources: own.count,
        targets: other.count,
        nullShare: described.nullShare,
        isScattered: described.placement == .scattered,
        key: key
      )
      set(pair, own: .target(pairing), inverse: .source(pairing), own, other)
    case .manyToMany: connectMany(pair, described, own, other, key: key)
    }
  }

  /// Assigns parents by the hour of each child's date.
  ///
  /// Returns `nil` if the recipe does not distinguish working hours.
  private func hourlyParents(
    _ pair: RelationshipPair,
    _ described: RelationshipRecipe,
    _ own: Span,
    _ other: Span,
    key: StreamKey
  ) -> HourlyParents? {
    guard let hours = described.hours, var entity = recipe.entity(named: pair.owner.entity),
      let model = recipe.model.entity(named: entity.name)
    else { return nil }
    // Build only the date and the attributes on which it depends, so that no other values are
    // cached.
    let needed = entity.chain(to: hours.attribute)
    entity.attributes = entity.attributes.filter { needed.contains($0.key) }
    let builder = AttributeBuilder(
      recipe: entity,
      attributes: recipe.model.attributes(of: model),
      root: root,
      duplicates: clusters[entity.name]
    )
    return builder.sources()[hours.attribute].map { date in
      HourlyParents(
        described,
        workingShare: hours.working,
        date: date,
        parents: other.count,
        children: own.count,
        key: key
      )
    }
  }

  private mutating func set(
    _ pair: RelationshipPair,
    own rule: RelationshipSource.Rule,
    inverse inverseRule: RelationshipSource.Rule?,
    _ own: Span,
    _ other: Span,
    _ shared: SharedRelationships? = nil
  ) {
    relationships[pair.owner.name] = RelationshipSource(
      rule: rule,
      own: own,
      other: other,
      members: members(of: pair.owner.relationship.destination),
      shared: shared
    )
    guard let inverse = pair.inverse, !pair.isReflexive, let inverseRule else { return }
    relationships[inverse.name] = RelationshipSource(
      rule: inverseRule,
      own: other,
      other: own,
      members: members(of: inverse.relationship.destination),
      shared: shared
    )
  }

  /// The copies that share their original's targets of a relationship.
  ///
  /// Returns `nil` if the model orders or limits the inverse or requires a target.
  private func shared(_ pair: RelationshipPair) -> SharedRelationships? {
    guard pair.inverseCounts == 0...Int.max, pair.inverse?.relationship.isOrdered != true,
      pair.owner.counts.lowerBound == 0
    else { return nil }
    return SharedRelationships(
      members(of: pair.owner.entity).map { ($0.span, clusters[$0.entity]) }
    )
  }

  func members(of name: String) -> [RelationshipSource.Member] {
    let family = recipe.model.entity(named: name).map(recipe.model.family) ?? []
    return family.compactMap { entity in
      guard let span = spans[entity.name], span.count > 0, let number = layout.numbers[entity.name]
      else { return nil }
      return RelationshipSource.Member(entity: entity.name, number: number, span: span)
    }
  }

  private func fanOut(
    _ described: RelationshipRecipe,
    of parent: String,
    children: Int,
    range: ClosedRange<Int>,
    key: StreamKey
  ) -> FanOut {
    let orphans = Int((Double(children) * described.nullShare).rounded())
    var counts = FanOutCounts(
      parents: family(parent).count,
      children: children - orphans,
      popularity: described.popularity,
      range: range,
      key: key
    ).counts()
    let start = family(parent).offset
    for member in members(of: parent) {
      guard let clusters = clusters[member.entity],
        let children = recipe.entity(named: member.entity)?.duplicates?.children
      else { continue }
      clusters.move(children, of: &counts, offset: member.span.offset - start)
    }
    return FanOut(
      counts: counts,
      children: children,
      isScattered: described.placement == .scattered,
      key: key
    )
  }

  private mutating func connectMany(
    _ pair: RelationshipPair,
    _ described: RelationshipRecipe,
    _ own: Span,
    _ other: Span,
    key: StreamKey
  ) {
    let made = ReversedLinks(
      Links(
        sources: own.count,
        targets: other.count,
        count: described.count.distribution(),
        countRange: pair.owner.counts,
        inverseRange: pair.inverseCounts,
        popularity: described.popularity,
        isAmongItself: own == other,
        isReflexive: pair.isReflexive,
        shared: own == other ? nil : shared(pair),
        offset: own.offset,
        key: key
      )
    )
    set(pair, own: .targets(made), inverse: .sources(made), own, other)
    links[pair.owner.name] = relationships[pair.owner.name]
    orphans[pair.owner.name] = changesBuilder.orphans(
      of: pair.owner.relationship.name,
      in: pair.owner.entity,
      sources: own.count
    )
  }

  func entities() -> [EntitySource] {
    let dependencies = Dependencies(model: recipe.model, entities: recipe.entities)
    let followed = dependencies.followed
    let binder = PathBinder()
    let made = layout.numbers.entities.compactMap { entity in
      make(entity, followed[entity.name] ?? [], dependencies, binder)
    }
    binder.bind(to: Dictionary(keepingFirst: made.map { ($0.name, $0.attributes) }))
    return made
  }

  private func make(
    _ entity: Entity,
    _ followed: Set<String>,
    _ dependencies: Dependencies,
    _ binder: PathBinder
  ) -> EntitySource? {
    guard let described = recipe.entity(named: entity.name), let span = spans[entity.name],
      let number = layout.numbers[entity.name]
    else { return nil }
    var relations: [String: RelationshipSource] = [:]
    for declaring in recipe.model.lineage(of: entity) {
      for relationship in declaring.relationships {
        relations[relationship.name] = relationships["\(declaring.name).\(relationship.name)"]
      }
    }
    let duplicates = clusters[described.name]
    let attributes = AttributeBuilder(
      recipe: described,
      attributes: recipe.model.attributes(of: entity),
      root: root,
      duplicates: duplicates,
      relationships: relations,
      binder: binder,
      isDerivable: {
        !dependencies.isCircular(Dependencies.Node(entity: entity.name, attribute: $0))
      },
      bases: followed.union(described.edited.map { [$0] } ?? []),
      offset: span.offset
    ).sources()
    return EntitySource(
      name: entity.name,
      number: number,
      span: span,
      duplicates: duplicates,
      attributes: attributes,
      relationships: relations,
      changes: changesBuilder.changes(of: described, clusters: duplicates),
      saves: SaveCounts(described, sources: attributes, root: root)
    )
  }

  private var changesBuilder: PropertyChanges.Builder {
    PropertyChanges.Builder(recipe: recipe, layout: layout, root: root)
  }

  private func duplicates(of described: EntityRecipe) -> DuplicateClusters? {
    described.duplicates.map {
      DuplicateClusters(
        rows: described.count,
        rate: $0.rate,
        copies: $0.copies.distribution(),
        likeness: $0.likeness,
        key: root.derived(described.name).derived("duplicates of").derived($0.key.joined())
      )
    }
  }
}

import Basics
import DataModel

struct EntitiesReader {
  struct Size {
    let name: String
    var count = 0
    var isFixed = false
  }

  static let fields: [FileField<Size>] = [
    FileField(
      "count",
      \.count,
      .integer(0...Limits.mostObjects),
      "number of objects",
      isRequired: true
    ),
    FileField(
      "scaling",
      \.isFixed,
      .choice(of: [(word: "proportional", value: false), (word: "fixed", value: true)]),
      "how the number of objects grows with other entities"
    ),
    FileField(
      "attributes",
      .named("ATTRIBUTE", AttributeReader.form),
      "how values are made: a generator, a constant, or a mapping of one generator and modifiers"
    ),
    FileField(
      "relationships",
      .named("RELATIONSHIP", RelationshipPair.Reader.form),
      "how objects are linked, given at the side that holds the foreign key"
    ),
    FileField(
      "duplicates",
      .mapping(DuplicatesRecipe.Reader.fields.map(\.key)),
      "objects that are copies"
    ),
    FileField(
      "edited",
      .text,
      "attribute of the objects that were saved again: a date 'after' another, or a Boolean"
    ),
    FileField(
      "dirty",
      .named("PROPERTY", .mapping(DefectRecipe.Reader.keys)),
      "shares of defects, by property; `Z_MAX` stands for the highest key in Z_PRIMARYKEY"
    ),
  ]

  let model: Model
  let period: ClosedRange<Double>
  let options: RecipeFile.Options
  let recipe: String
  /// The raw values of enums, by property (`Trip.kind`).
  let enumValues: [String: [Value]]
  private(set) var relationships: [RelationshipRecipe] = []
  var mappings: [String: YAMLMapping] = [:]

  mutating func entities(_ value: YAMLValue) throws -> [EntityRecipe]? {
    guard let mapping = value.mapping() else { return nil }
    let names = model.entities.map(\.name)
    mapping.reportKeys(except: names)
    for entry in mapping.entries where names.contains(entry.key) {
      mappings[entry.key] = entry.value.mapping(knowing: Self.fields.map(\.key))
    }
    let counts = try scaledCounts()
    var recipes = zip(concrete, counts).map { entity, count in
      EntityRecipe(
        name: entity.name,
        count: count,
        attributes: attributes(of: entity),
        duplicates: DuplicatesRecipe.Reader(
          entity: entity.name,
          attributes: model.attributes(of: entity)
        )
        .duplicates(mappings[entity.name]?["duplicates"])
      )
    }
    for (index, entity) in concrete.enumerated() { recipes[index].edited = edited(entity) }
    readRelationships()
    readDefects(&recipes)
    RecipeChecks(
      model: model,
      entities: recipes,
      relationships: relationships,
      mappings: mappings,
      top: mapping,
      isAsWritten: options.objects.isEmpty
    ).report()
    return recipes
  }

  private var concrete: [Entity] {
    model.entities.filter { !$0.isAbstract }
  }

  private func scaledCounts() throws -> [Int] {
    for (name, count) in options.objects.sorted(by: { $0.key < $1.key }) {
      guard let entity = model.entity(named: name) else {
        let hint = suggestion(for: name, among: concrete.map(\.name))
        throw Refusal.unknownEntity(name: name, recipe: recipe, suggestion: hint)
      }
      guard !entity.isAbstract else {
        throw Refusal.badInput(
          "entity '\(name)' is abstract and has no objects; name one of its "
            + "sub-entities"
        )
      }
      guard (0...Limits.mostObjects).contains(count) else {
        throw Refusal.badInput(
          "cannot make \(count) objects of '\(name)': use a number from 0 to "
            + "\(Limits.mostObjects)"
        )
      }
    }
    for entity in model.entities where entity.isAbstract {
      mappings[entity.name]?["count"]?.report(
        "entity '\(entity.name)' is abstract and has no objects; give counts for its sub-entities"
      )
    }
    let sizes = concrete.map { entity in
      var size = Size(name: entity.name)
      mappings[entity.name]?.fill(&size, Self.fields)
      return size
    }
    return Self.scaled(sizes, to: options.objects)
  }

  private func attributes(of entity: Entity) -> [String: AttributeRecipe] {
    let all = model.attributes(of: entity).filter { !$0.isTransient }
    let defaults = DefaultGenerators(
      entity: entity.name,
      attributes: all,
      period: period,
      enumValues: rawValues(of: entity)
    )
    var recipes: [String: AttributeRecipe] = [:]
    for attribute in all { recipes[attribute.name] = defaults.recipe(for: attribute) }
    var described: Set<String> = []
    for ancestor in model.lineage(of: entity) {
      guard let section = mappings[ancestor.name]?["attributes"]?.mapping() else { continue }
      let known = model.attributes(of: ancestor).filter { !$0.isTransient }
      section.reportKeys(except: known.map(\.name))
      for entry in section.entries {
        guard let attribute = known.first(where: { $0.name == entry.key }) else { continue }
        let reader = AttributeReader(
          entity: ancestor.name,
          attribute: attribute,
          siblings: known,
          period: period,
          toManys: model.lineage(of: ancestor).flatMap(\.relationships)
            .filter { $0.isToMany && !$0.isTransient }.map(\.name),
          targets: targets(of: ancestor),
          enumValues: rawValues(of: ancestor)
        )
        recipes[attribute.name] = reader.recipe(entry.value)
        described.insert(attribute.name)
      }
    }
    let family = model.family(of: model.root(of: entity)).filter { !$0.isAbstract }.map(\.name)
    let place = family.count > 1 ? family.firstIndex(of: entity.name) : nil
    for constraint in model.lineage(of: entity).flatMap(\.uniquenessConstraints)
    where !constraint.contains(where: { recipes[$0]?.isDistinct == true }) {
      let open = all.filter { constraint.contains($0.name) && !described.contains($0.name) }
      let made = open.compactMap { attribute in
        recipes[attribute.name]?.distinct(for: attribute, place: place).map { (attribute.name, $0) }
      }
      if let (name, recipe) = made.first { recipes[name] = recipe }
    }
    return recipes
  }

  /// The raw values of the enums among an entity's attributes, by their names.
  private func rawValues(of entity: Entity) -> [String: [Value]] {
    var found: [String: [Value]] = [:]
    for ancestor in model.lineage(of: entity) {
      for attribute in ancestor.attributes {
        found[attribute.name] = enumValues["\(ancestor.name).\(attribute.name)"]
      }
    }
    return found
  }

  private func edited(_ entity: Entity) -> String? {
    let names = model.attributes(of: entity)
      .filter { !$0.isTransient && [.date, .boolean].contains($0.type) }.map(\.name)
    return mappings[entity.name]?["edited"]?.name(
      among: names,
      lackedBy: "\(entity.name) has no date or boolean attribute"
    )
  }

  private func targets(of entity: Entity) -> [PathTarget] {
    model.lineage(of: entity).flatMap(\.relationships).compactMap { relationship in
      guard !relationship.isToMany, !relationship.isTransient,
        let target = model.entity(named: relationship.destination)
      else { return nil }
      return PathTarget(
        relationship: relationship.name,
        attributes: model.attributes(of: target)
      )
    }
  }

  private func readDefects(_ recipes: inout [EntityRecipe]) {
    let described = Set(relationships.map { "\($0.entity).\($0.name)" })
    for (index, entity) in concrete.enumerated() {
      recipes[index].defects =
        DefectRecipe.Reader(
          model: model,
          entity: entity,
          recipe: recipes[index],
          described: described
        )
        .defects(mappings[entity.name]?["dirty"])
    }
    for entity in model.entities where entity.isAbstract {
      mappings[entity.name]?["dirty"]?.report(
        "entity '\(entity.name)' is abstract and has no objects; give defects for its sub-entities"
      )
    }
  }

  private mutating func readRelationships() {
    var described: [String: YAMLValue] = [:]
    for entity in model.entities {
      guard let section = mappings[entity.name]?["relationships"]?.mapping() else { continue }
      let own = entity.relationships.filter { !$0.isTransient }.map(\.name)
      for entry in section.entries {
        if own.contains(entry.key) {
          described["\(entity.name).\(entry.key)"] = entry.value
        } else if let above = model.declarer(of: entry.key, in: entity), above != entity {
          entry.value.report("'\(entry.key)' is declared by '\(above.name)': move it there")
        } else {
          section.reportKeys(except: own)
        }
      }
    }
    for pair in RelationshipPair.all(of: model) {
      relationships.append(relationship(pair, &described))
    }
  }

  private func relationship(
    _ pair: RelationshipPair,
    _ described: inout [String: YAMLValue]
  ) -> RelationshipRecipe {
    let own = described[pair.owner.name]
    guard let inverse = pair.inverse, !pair.isReflexive, let other = described[inverse.name] else {
      return own.flatMap { reader(pair).recipe($0) } ?? pair.defaultRecipe
    }
    if let reversed = pair.reversed, own == nil {
      return self.reader(reversed).recipe(other) ?? reversed.defaultRecipe
    }
    other.report(
      own == nil
        ? "describe its inverse '\(pair.owner.name)' instead: that side holds the foreign key"
        : "'\(inverse.name)' is described by its inverse '\(pair.owner.name)' already"
    )
    return own.flatMap { self.reader(pair).recipe($0) } ?? pair.defaultRecipe
  }

  private func reader(_ pair: RelationshipPair) -> RelationshipPair.Reader {
    RelationshipPair.Reader(pair: pair, model: model)
  }

  /// The number of objects of each entity if the caller replaces the recipe's numbers.
  ///
  /// Named entities get the requested number, and entities with `scaling: fixed` keep their number.
  /// All other numbers are multiplied by the largest factor of a named entity and rounded, with a
  /// minimum of 1.
  static func scaled(_ entities: [Size], to asked: [String: Int]) -> [Int] {
    let factors = entities.compactMap { entity in
      entity.count > 0 ? asked[entity.name].map { Double($0) / Double(entity.count) } : nil
    }
    let factor = factors.max() ?? 1
    return entities.map { entity in
      if let own = asked[entity.name] { return own }
      return entity.isFixed ? entity.count : scaled(entity.count, by: factor)
    }
  }

  static func scaled(_ count: Int, by factor: Double) -> Int {
    guard count > 0 else { return 0 }
    return Int(min(max((Double(count) * factor).rounded(), 1), Double(Limits.mostObjects)))
  }
}

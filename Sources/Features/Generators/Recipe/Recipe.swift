import Basics
import DataModel
import PersistentStore

/// Everything that decides the content of a generated store, with every default filled in.
///
/// Two equal recipes give the same bytes.
package struct Recipe: Hashable, Sendable {
  /// The version of the recipe format; a change of generator that moves a byte raises it.
  package static let format = 1

  /// The file's name without folder and extension.
  package var name: String
  package var model: Model
  package var flavour: Flavour
  /// The framework version that decides the store's layout.
  package var frameworkVersion = StoreMetadata.currentFrameworkVersion
  package var seed: UInt64
  /// The concrete entities that have objects or are described, in the order of their numbers.
  package var entities: [EntityRecipe]
  package var relationships: [RelationshipRecipe]
  /// `nil` where no history is kept.
  package var history: HistoryRecipe?
  /// The largest blob, in bytes, that external storage keeps in the row.
  package var externalStorageThreshold: Int
  /// `nil` where the store is left as it was made.
  package var age: AgeRecipe?
  /// How full the pages of the tables and indexes are; `nil` where all are full.
  package var pageUse: PageUse?
  /// What the store's version hashes are copied from; `nil` for a store that no app has made.
  package var origin: StoreOrigin?
  /// What its reader has to say of it, for a person; no part of the content.
  package var notes: [String] = []

  /// The recipe of an entity's objects.
  package func entity(named name: String) -> EntityRecipe? {
    entities.first { $0.name == name }
  }
}

/// How the objects of one concrete entity are made.
package struct EntityRecipe: Hashable, Sendable {
  package var name: String
  package var count: Int
  /// By attribute, inherited ones included; what is transient has none.
  var attributes: [String: AttributeRecipe]
  /// The names of the attributes that are made.
  package var attributeNames: [String] { attributes.keys.sorted() }
  package var duplicates: DuplicatesRecipe?
  /// The attribute that shows which objects were saved again: a date that follows another, or a
  /// Boolean; `nil` where all were saved once.
  package var edited: String?
  /// In the order of properties and defects.
  package var defects: [DefectRecipe] = []
}

/// The persistent history of the objects' creation.
package struct HistoryRecipe: Hashable, Sendable {
  /// How many objects one save inserts.
  package var objectsPerSave: Int
  package var author: String?
  package var bundleIdentifier: String
  package var processName: String
  /// When the first and the last save were made, in seconds since 2001-01-01.
  package var from: Double
  package var to: Double
  /// Changes as a profile has them; `nil` for the creation of the objects alone.
  package var shape: HistoryShape?
}

/// How the objects of one relationship find each other.
package struct RelationshipRecipe: Hashable, Sendable {
  /// Whether partners are made at the same time or at any.
  package enum Placement: String, CaseIterable, Hashable, Sendable {
    /// Children follow each other in the order of their parents.
    case clustered
    /// Children come in any order.
    case scattered
  }

  /// The entity that declares the relationship.
  package var entity: String
  package var name: String
  package var popularity: Popularity
  /// The share of objects without a target, for to-ones.
  package var nullShare: Double
  /// The number of targets, for many-to-manys.
  package var count: DistributionRecipe
  package var placement: Placement
  /// `nil` where targets are chosen at any hour alike.
  package var hours: Hours?
  /// What a profile has of each entity on both sides; it takes the place of all else.
  var shape: RelationshipShape?

  /// Which targets are chosen in working hours and which outside of them.
  package struct Hours: Hashable, Sendable {
    /// The date that says the hour, of the object that the relationship leads from.
    package var attribute: String
    /// The share of the targets that belong to working hours: the first ones.
    package var working: Double
  }
}

/// What the metadata of a generated store is copied from.
package struct StoreOrigin: Hashable, Sendable {
  package var versionIdentifiers: [String]
  /// The entities' version hashes, from a store or from a `VersionInfo.plist`.
  package var versionHashes: [String: [UInt8]]
  /// The statements of the triggers and R-tree indexes that frameworks made (``CopiedTriggers``).
  package var triggers: [String] = []
}

extension StoreOrigin {
  /// The origin of a store whose model's version hashes a `VersionInfo.plist` has.
  ///
  /// The version whose entities are the model's is taken: the one that is named, or else the current
  /// one before others.
  package init(versionInfo path: String, version: String? = nil, model: Model) throws {
    let info = try VersionInfo(path: path)
    let names = Set(model.entities.map(\.name))
    let fitting = info.hashes.filter {
      Set($0.value.keys) == names && (version == nil || $0.key == version)
    }
    let current = info.current.flatMap { fitting[$0] }
    guard let hashes = current ?? (fitting.count == 1 ? fitting.first?.value : nil) else {
      throw Refusal.badInput(
        "'\(path)' must contain exactly one version with the entities of the "
          + "recipe's model"
      )
    }
    self.init(versionIdentifiers: model.versionIdentifiers, versionHashes: hashes)
  }
}

/// What happens to a store after it was made: edits and deletions over time, and what they leave.
package struct AgeRecipe: Hashable, Sendable {
  /// How free pages are given back.
  package enum Vacuum: String, CaseIterable, Hashable, Sendable {
    case never
    /// Free pages are cut off at the end of the file; those in use stay as full as they are.
    case incremental
    /// The file is written anew.
    case full
  }

  /// The share of each entity's objects that are edited, from 0 to 1.
  package var edits = 0.0
  /// The share of each entity's objects that are deleted, those not counted that cascades reach.
  package var deletes = 0.0
  /// The entities that are edited and deleted; all where it is empty.
  package var entities: [String] = []
  package var objectsPerSave = 20
  /// How long it takes, in days from the end of the history of the objects' creation.
  package var days = 365.0
  package var vacuum = Vacuum.never
  /// The least bytes of the -wal that is left beside the store; 0 leaves none.
  package var walBytes = 0
}

/// How the values of one attribute are made.
struct AttributeRecipe: Hashable, Sendable {
  var rule: any ValueRule
  /// The share of objects without a value, from 0 to 1.
  var nullShare = 0.0
  var condition: String?
  /// Whether the row's number follows the text, so that no two are alike.
  var isNumbered = false
  var stream: String?

  init(_ rule: any ValueRule) {
    self.rule = rule
  }

  static func == (left: AttributeRecipe, right: AttributeRecipe) -> Bool {
    AnyHashable(left.rule) == AnyHashable(right.rule) && left.nullShare == right.nullShare
      && left.condition == right.condition && left.isNumbered == right.isNumbered
      && left.stream == right.stream
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(AnyHashable(rule))
    hasher.combine(nullShare)
    hasher.combine(condition)
    hasher.combine(isNumbered)
    hasher.combine(stream)
  }

  var isDistinct: Bool { rule.isDistinct || isNumbered }

  /// The recipe with no two values alike, of an attribute that a unique constraint names; `nil` for
  /// types that have too few values.
  ///
  /// `place` is the entity's place among those of its table, which count their rows each alone; `nil`
  /// where it is the only one.
  func distinct(for attribute: Attribute, place: Int?) -> AttributeRecipe? {
    var recipe = self
    switch attribute.type {
    case .string, .uri:
      if place != nil {
        recipe.rule = UUIDGenerator(isText: true)
      } else if rule.canBeNumbered {
        recipe.isNumbered = true
      } else {
        recipe.rule = CodeRule(
          prefix: rule is URLGenerator ? "https://example.com/" : "",
          digits: 8
        )
      }
    case .integer16, .integer32, .integer64, .double, .decimal:
      let first = Double(place ?? 0) * (attribute.type == .integer16 ? 1_000 : 100_000_000) + 1
      let numbers = DistributionRecipe(.sequence(start: first, step: 1))
      recipe.rule = NumberRule(numbers, for: attribute)
    case .date:
      guard var dates = rule as? DateRule else { return nil }
      dates.isOrdered = true
      recipe.rule = dates
    case .binary where !attribute.allowsExternalStorage:
      recipe.rule = UUIDGenerator(isText: false)
    default: return nil
    }
    return recipe.isDistinct ? recipe : nil
  }

  /// The attributes of the same object that the values depend on.
  var bases: [String] {
    (condition.map { [$0] } ?? []) + rule.bases
      + rule.paths.compactMap { $0.relationship == nil ? $0.attribute : nil }
  }

  var isAlwaysNull: Bool { rule as? ConstantGenerator == ConstantGenerator(value: .null) }

  var isNeverNull: Bool { nullShare == 0 && condition == nil && !isAlwaysNull }
}

extension EntityRecipe {
  func chain(to attribute: String) -> Set<String> {
    var (chain, next): (Set<String>, [String]) = ([], [attribute])
    while let name = next.popLast() {
      if chain.insert(name).inserted { next += attributes[name]?.bases ?? [] }
    }
    return chain
  }
}

/// Finds what no store can have: unique values that repeat, targets that are not there.
struct RecipeChecks {
  let model: Model
  let entities: [EntityRecipe]
  let relationships: [RelationshipRecipe]
  let mappings: [String: YAMLMapping]
  let top: YAMLMapping
  /// Whether the numbers of objects are the recipe's own, and not those of a smaller store.
  let isAsWritten: Bool

  func report() {
    for recipe in entities where recipe.count > 0 {
      guard let entity = model.entity(named: recipe.name) else { continue }
      checkUnique(entity, recipe)
      checkDuplicates(entity, recipe)
      checkAttributes(entity, recipe)
    }
    for relationship in relationships { checkTargets(of: relationship) }
    PathChecks(
      model: model,
      entities: entities,
      relationships: relationships,
      report: { report($0, at: $1) }
    ).check()
  }

  private func report(_ message: String, at entity: String) {
    (mappings[entity] ?? top).report(message)
  }

  private func checkUnique(_ entity: Entity, _ recipe: EntityRecipe) {
    for declarer in model.lineage(of: entity) {
      let family = Set(model.family(of: declarer).map(\.name))
      let rows = entities.reduce(0) { $0 + (family.contains($1.name) ? $1.count : 0) }
      for constraint in declarer.uniquenessConstraints {
        check(constraint, of: entity, recipe, rows: rows)
      }
    }
  }

  private func check(_ constraint: [String], of entity: Entity, _ recipe: EntityRecipe, rows: Int) {
    if recipe.duplicates != nil, constraint.allSatisfy(recipe.isShared) {
      report(
        "'\(constraint.joined(separator: ", "))' is unique in the model, so it cannot have "
          + "duplicates; use a version of the model without the constraint",
        at: entity.name
      )
    }
    let isDistinct = constraint.contains { recipe.attributes[$0]?.isDistinct == true }
    if !isDistinct, rows > 1 {
      report(
        "\(entity.name) needs distinct values of '\(constraint.joined(separator: ", "))', "
          + "which is unique: use uuid, code, label, email, or 'distinct: true'",
        at: entity.name
      )
    }
  }

  private func checkDuplicates(_ entity: Entity, _ recipe: EntityRecipe) {
    guard let duplicates = recipe.duplicates else { return }
    let keys = duplicates.key.compactMap { recipe.attributes[$0] }
    if !keys.contains(where: \.isDistinct) {
      report(
        "the originals of \(entity.name)'s duplicates need distinct keys: use uuid, code, label, "
          + "email, or 'distinct: true' for one of '\(duplicates.key.joined(separator: ", "))'",
        at: entity.name
      )
    }
    if let edits = duplicates.edits, duplicates.likeness.contains(where: { $0.choice == .near }),
      !edits.attributes.contains(where: { recipe.attributes[$0]?.isNeverNull == true })
    {
      report(
        "at least one of '\(edits.attributes.joined(separator: ", "))' must never be null, so that "
          + "every near copy has a value to edit",
        at: entity.name
      )
    }
    if keys.contains(where: { $0.nullShare > 0 || $0.condition != nil }) {
      report(
        "'\(duplicates.key.joined(separator: ", "))' cannot be null, because it is the key by which "
          + "duplicates are recognized",
        at: entity.name
      )
    }
  }

  private func checkAttributes(_ entity: Entity, _ recipe: EntityRecipe) {
    for attribute in model.attributes(of: entity) where !attribute.isTransient {
      let isEmpty = recipe.attributes[attribute.name]?.isAlwaysNull == true
      if isEmpty, !attribute.isOptional {
        report("no values can be made for \(entity.name).\(attribute.name)", at: entity.name)
      }
      if attribute.derivation != nil, Derivation.made(of: attribute) == nil {
        (mappings[entity.name] ?? top).report(
          "\(entity.name).\(attribute.name) is derived; its values are generated, not derived",
          severity: .warning
        )
      }
    }
    checkCircles(entity, recipe)
  }

  /// Attributes that follow others, or depend on them, must not do so in a circle.
  private func checkCircles(_ entity: Entity, _ recipe: EntityRecipe) {
    for start in recipe.attributes.keys.sorted() {
      var seen: Set<String> = [start]
      var next = recipe.attributes[start]?.bases ?? []
      while let name = next.popLast() {
        if name == start {
          report("'\(start)' of \(entity.name) depends on itself", at: entity.name)
        }
        guard seen.insert(name).inserted else { continue }
        next += recipe.attributes[name]?.bases ?? []
      }
    }
  }

  private func checkTargets(of recipe: RelationshipRecipe) {
    guard
      let pair = RelationshipPair.all(of: model).lazy
        .flatMap({ [$0, $0.reversed].compactMap { $0 } })
        .first(where: {
          $0.owner.entity == recipe.entity && $0.owner.relationship.name == recipe.name
        })
    else { return }
    let sources = count(of: recipe.entity)
    let targets = count(of: pair.owner.relationship.destination)
    let isMandatory = !pair.owner.relationship.isOptional
    if pair.kind == .manyToMany, sources > 0, targets > 0 {
      checkCount(
        recipe,
        of: targets - (pair.owner.entity == pair.owner.relationship.destination ? 1 : 0)
      )
    }
    if isMandatory, pair.kind == .manyToOne, sources > 0, targets == 0 {
      report(
        "\(pair.owner.name) is not optional, but there are no objects of "
          + "\(pair.owner.relationship.destination)",
        at: recipe.entity
      )
    }
    let each = pair.inverseCounts.upperBound
    if isMandatory, pair.kind == .manyToOne, targets > 0, (sources - 1) / each >= targets {
      report(
        "\(pair.owner.name) is not optional, but \(targets) objects of "
          + "\(pair.owner.relationship.destination) take at most \(each) each, and there are "
          + "\(sources) objects of \(recipe.entity)",
        at: recipe.entity
      )
    }
    if isMandatory, pair.kind == .oneToOne, sources > targets {
      report(
        "\(pair.owner.name) is one-to-one and not optional, but there are only \(targets) objects "
          + "of \(pair.owner.relationship.destination) for \(sources) of \(recipe.entity)",
        at: recipe.entity
      )
    }
    if isMandatory, pair.kind == .oneToOne, pair.isReflexive, targets % 2 == 1 {
      report(
        "\(pair.owner.name) is one-to-one within its entity and not optional, so the number of "
          + "objects must be even, but there are \(targets) of "
          + "\(pair.owner.relationship.destination)",
        at: recipe.entity
      )
    }
    if let inverse = pair.inverse, pair.kind == .oneToOne, !inverse.relationship.isOptional,
      targets > sources
    {
      report(
        "\(inverse.name) is one-to-one and not optional, but there are only \(sources) objects of "
          + "\(recipe.entity) for \(targets) of \(pair.owner.relationship.destination)",
        at: inverse.entity
      )
    }
    if isMandatory, pair.kind == .manyToOne, sources > 0, isTree(pair) {
      report(
        "\(pair.owner.name) is a tree: its root has no target; make the relationship optional",
        at: recipe.entity
      )
    }
  }

  /// What a recipe asks for must be there; a smaller store of it has what there is.
  private func checkCount(_ recipe: RelationshipRecipe, of targets: Int) {
    let described = mappings[recipe.entity]?["relationships"]?.mapping()?[recipe.name]
    guard let value = described?.isMapping == true ? described?.mapping()?["count"] : nil,
      recipe.count.typical > Double(targets)
    else { return }
    let name = "\(recipe.entity).\(recipe.name)"
    let wanted = recipe.count.typical.shortest
    if isAsWritten {
      value.report("\(name) asks for \(wanted) targets of each object, and there are \(targets)")
    } else {
      value.report(
        "\(name) asks for \(wanted) targets of each object; in this smaller store there are "
          + "\(targets)",
        severity: .warning
      )
    }
  }

  private func isTree(_ pair: RelationshipPair) -> Bool {
    pair.owner.relationship.destination == pair.owner.entity
  }

  private func count(of name: String) -> Int {
    guard let entity = model.entity(named: name) else { return 0 }
    let family = model.family(of: entity).map(\.name)
    return entities.filter { family.contains($0.name) }.reduce(0) { $0 + $1.count }
  }
}

extension EntityRecipe {
  fileprivate func isShared(_ attribute: String) -> Bool {
    duplicates?.key.contains(attribute) == true || sharesInCopies(attribute)
      || duplicates?.likeness.contains { $0.choice == .syncRetry } == true
  }
}

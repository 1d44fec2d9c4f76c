import Basics
import DataModel
import PersistentStore

/// Everything that determines the content of a generated store, including all defaults.
///
/// Equal recipes give identical bytes.
package struct Recipe: Hashable, Sendable {
  /// The version of the recipe format.
  package static let format = 1

  /// The recipe file's name without folder and extension.
  package var name: String
  package var model: Model
  package var flavour: Flavour
  /// The framework version, which determines the store's layout.
  package var frameworkVersion = StoreMetadata.currentFrameworkVersion
  package var seed: UInt64
  /// The concrete entities that have objects or that the recipe describes, ordered by entity
  /// number.
  package var entities: [EntityRecipe]
  package var relationships: [RelationshipRecipe]
  /// The persistent history; `nil` if the store does not keep it.
  package var history: HistoryRecipe?
  /// The size in bytes up to which a blob with external storage stays in its row.
  package var externalStorageThreshold: Int
  /// The aging of the store; `nil` if it is not aged.
  package var age: AgeRecipe?
  /// The extent to which the pages of tables and indexes are filled; `nil` if all pages are full.
  package var pageUse: PageUse?
  /// The origin of copied metadata, such as version hashes; `nil` if nothing is copied.
  package var origin: StoreOrigin?
  /// Messages about the recipe for the user; not part of the content.
  package var notes: [String] = []

  /// The recipe of an entity's objects; `nil` if the recipe does not contain the entity.
  package func entity(named name: String) -> EntityRecipe? {
    entities.first { $0.name == name }
  }
}

/// The recipe of the objects of one concrete entity.
package struct EntityRecipe: Hashable, Sendable {
  package var name: String
  package var count: Int
  /// The recipes by attribute name, including inherited but not transient attributes.
  var attributes: [String: AttributeRecipe]
  /// The names of the generated attributes, sorted.
  package var attributeNames: [String] { attributes.keys.sorted() }
  package var duplicates: DuplicatesRecipe?
  /// The attribute that shows which objects were saved more than once: a Boolean, or a date that
  /// follows another date; `nil` if all objects were saved once.
  package var edited: String?
  /// The defects, ordered by property and kind.
  package var defects: [DefectRecipe] = []
}

/// The persistent history of a generated store.
package struct HistoryRecipe: Hashable, Sendable {
  /// The number of objects inserted per save.
  package var objectsPerSave: Int
  package var author: String?
  package var bundleIdentifier: String
  package var processName: String
  /// The times of the first and the last save, in seconds since 2001-01-01.
  package var from: Double
  package var to: Double
  /// The changes that a profile describes; `nil` if the history consists of the objects' creation
  /// and edits.
  package var shape: HistoryShape?
}

/// The recipe of a relationship.
package struct RelationshipRecipe: Hashable, Sendable {
  /// The order of the children's rows.
  package enum Placement: String, CaseIterable, Hashable, Sendable {
    /// Children are sorted by parent.
    case clustered
    /// Children are in random order.
    case scattered
  }

  /// The entity that declares the relationship.
  package var entity: String
  package var name: String
  package var popularity: Popularity
  /// The share of objects without a target, for to-one relationships.
  package var nullShare: Double
  /// The number of targets per object, for many-to-many relationships.
  package var count: DistributionRecipe
  package var placement: Placement
  /// The rule that chooses targets by working hours; `nil` if working hours have no effect.
  package var hours: Hours?
  /// A profile's description of both sides of the relationship; it replaces all other properties.
  var shape: RelationshipShape?

  /// The division of targets into a group for working hours and a group for other hours.
  package struct Hours: Hashable, Sendable {
    /// The date attribute of the relationship's owner that determines the hour.
    package var attribute: String
    /// The share of the targets that are used in working hours, starting with the first target.
    package var working: Double
  }
}

/// Metadata that a generated store copies from an app's store or model.
package struct StoreOrigin: Hashable, Sendable {
  package var versionIdentifiers: [String]
  /// The entities' version hashes, from a store or from a `VersionInfo.plist`.
  package var versionHashes: [String: [UInt8]]
  /// The statements that create Core Data's triggers and R-tree indexes (``CopiedTriggers``).
  package var triggers: [String] = []
}

extension StoreOrigin {
  /// Reads the version hashes of a model from a `VersionInfo.plist`.
  ///
  /// The initializer uses the version that `version` names or, if it is `nil`, preferably the
  /// current version. The entities of the version must be those of the model.
  ///
  /// - Throws: A ``Refusal`` if the file cannot be read or no single version fits.
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

/// The aging of a generated store by edits and deletions, which leave traces in its pages.
package struct AgeRecipe: Hashable, Sendable {
  /// The way in which free pages are returned to the file system.
  package enum Vacuum: String, CaseIterable, Hashable, Sendable {
    case never
    /// Truncates free pages from the end of the file; the remaining pages stay as full as they are.
    case incremental
    /// Rewrites the whole file.
    case full
  }

  /// The share of each entity's objects that are edited, from 0 to 1.
  package var edits = 0.0
  /// The share of each entity's objects that are deleted, from 0 to 1, not counting objects deleted
  /// by cascades.
  package var deletes = 0.0
  /// The entities whose objects are edited and deleted; empty for all entities.
  package var entities: [String] = []
  package var objectsPerSave = 20
  /// The duration of aging in days.
  ///
  /// Aging starts after the last object has been created.
  package var days = 365.0
  package var vacuum = Vacuum.never
  /// The minimum size in bytes of the `-wal` file that remains next to the store; 0 for no such
  /// file.
  package var walBytes = 0
}

struct AttributeRecipe: Hashable, Sendable {
  var rule: any ValueRule
  var nullShare = 0.0
  var condition: String?
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

  /// A recipe with unique values for an attribute in a unique constraint; `nil` if the attribute's
  /// type has too few values.
  ///
  /// `place` is the entity's index among the entities of its table, each of which numbers its own
  /// rows; `nil` if the table has only one entity.
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

/// Finds requirements that no store can meet, such as unique values that repeat or targets that do
/// not exist.
struct RecipeChecks {
  let model: Model
  let entities: [EntityRecipe]
  let relationships: [RelationshipRecipe]
  let mappings: [String: YAMLMapping]
  let top: YAMLMapping
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
        report(
          "no values can be made for \(entity.name).\(attribute.name), which is not optional: make "
            + "it optional in the model, or set 'count: 0' for \(entity.name)",
          at: entity.name
        )
      } else if attribute.type == .composite {
        (mappings[entity.name] ?? top).report(
          "\(entity.name).\(attribute.name) is a composite attribute, and it is not known how a "
            + "store keeps one: it gets no values",
          severity: .warning
        )
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

  /// Reports a number of targets that exceeds the number of available objects; the report is only a
  /// warning if the store is smaller than the recipe's.
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

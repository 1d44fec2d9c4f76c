import Basics
import DataModel
import PersistentStore
import SQLite
import SwiftModels

/// The changes from one model to another, with all obstacles to the migration.
package struct ModelComparison: Sendable {
  package let old: ModelInput
  package let new: ModelInput
  /// Whether both sides have the same version: by their hashes or, if a side has no hashes, by all
  /// details that determine a version.
  private let identity: SchemaComparison.Answer
  /// The oldest system on which the SwiftData app must run.
  ///
  /// The target is `nil` if the user gave no target and the migration is not from Core Data to
  /// SwiftData.
  package let target: TargetSystem?
  package let mapping: MappingModel
  /// The model version that matches the old store.
  ///
  /// The match is `nil` unless the old side is a store and the new side is a model.
  package let match: VersionMatch?
  /// The number of objects of each entity in the old store; `nil` if the old side is not a store.
  package let counts: [String: Int64]?
  package let dropped: [DroppedColumn]
  package let dataObstacles: [DataObstacle]
  package let suspectedRenames: [SuspectedRename]
  /// The elements of the new model that get no value from the old model, with the most serious
  /// first.
  package let unfilled: [UnfilledPlace]
  /// The versions of the new side's model family from the old to the new version, inclusive.
  ///
  /// The list is empty if the family does not contain the old version.
  package let versions: [VersionedSchema]

  /// Whether a final Core Data release of the app can rename the entities by a lightweight
  /// migration.
  ///
  /// The value is `nil` if the old side already uses SwiftData, if there is no target, or if the
  /// models are equal.
  package let renameFirst: RenameFirst?
  /// The path of the map file that defines the mapping; `nil` if the mapping is inferred.
  package let mapPath: String?

  /// Compares two sides, and reads counts from the old side if it is a store.
  ///
  /// Without a target, ``TargetSystem/standard`` is assumed if the new side uses SwiftData and the
  /// old side does not.
  /// Without a map, the mapping is inferred from the two models.
  ///
  /// - Throws: an error if the map or the store cannot be read, or a ``MigrationMapError`` if the
  ///   map is for other models.
  package init(
    from old: ModelInput,
    to new: ModelInput,
    target: TargetSystem? = nil,
    mapPath: String? = nil
  ) throws {
    let (before, after) = (old.version.model, new.version.model)
    identity = Self.identity(old, new)
    // Ignore former names if both sides have the same version, because no migration takes place.
    let inferred =
      identity == .same
      ? MappingModel(from: before.withoutFormerNames, to: after.withoutFormerNames)
      : MappingModel(from: before, to: after)
    let mapping = try mapPath.map { try inferred.mapped(by: $0) } ?? inferred
    self.old = old
    self.new = new
    self.mapPath = mapPath
    self.target = target ?? (new.isSwiftData && !old.isSwiftData ? .standard : nil)
    self.mapping = mapping
    renameFirst =
      !old.isSwiftData && self.target != nil && before != after
      ? RenameFirst(mapping, isSynced: Self.isSynced(old, new)) : nil
    match = old.store.flatMap { new.kind == .store ? nil : VersionMatch.of($0, in: new.family) }
    suspectedRenames = SuspectedRename.all(in: mapping)
    counts = try old.store?.objectCounts()
    unfilled = UnfilledPlace.all(in: mapping, counts: counts)
    versions = Self.versions(from: old, to: new, match)
    guard let facts = old.store else {
      let layout = StoreLayout(model: old.version.model, keepsHistory: false)
      dropped = try DroppedData(mapping: mapping, layout: layout, connection: nil).all()
      dataObstacles = []
      return
    }
    (dropped, dataObstacles) = try StoreFacts.reading(facts.store) { connection in
      let dropped = DroppedData(mapping: mapping, layout: facts.layout, connection: connection)
      let counting = MappedObstacles(
        mapping: mapping,
        layout: facts.layout,
        connection: connection,
        externalFiles: facts.store.externalDataFolder
      )
      let obstacles = DataObstacles(mapping: mapping, layout: facts.layout, connection: connection)
      return (
        try dropped.all(), try mapping.map == nil ? obstacles.all() : Self.obstacles(counting)
      )
    }
  }

  private static func obstacles(_ counting: MappedObstacles) throws -> [DataObstacle] {
    let found: [(DataObstacle.Kind, [MappedObstacles.Found])] = [
      (.duplicates, try counting.duplicates()), (.missingValues, try counting.missingValues()),
    ]
    return found.flatMap { kind, obstacles in
      obstacles.map {
        DataObstacle(kind: kind, entity: $0.entity, properties: $0.properties, count: $0.count)
      }
    }
  }

  private static func versions(
    from old: ModelInput,
    to new: ModelInput,
    _ match: VersionMatch?
  ) -> [VersionedSchema] {
    guard new.isOrdered else { return [] }
    let versions = new.family.versions
    guard let last = versions.lastIndex(where: { $0.name == new.version.name }) else { return [] }
    let first = versions[...last].lastIndex { version in
      match?.version.map { $0 == version.name } ?? (version.model == old.version.model)
    }
    return first.map { Array(versions[$0...last]) } ?? []
  }

  /// The known risk of a plan of migration stages from the old version to the new version.
  ///
  /// The risk is `nil` if no version is between the two, or if a stage has custom code.
  package var stagePlanRisk: StagePlanRisk? {
    StagePlanRisk(versions, stages: new.family.stages)
  }

  /// Whether the source of the new model has a migration plan, which Xcode's models lack.
  package var hasPlan: Bool { new.family.stages != nil }

  /// The differences between a store migrated through all intermediate versions and a store
  /// migrated directly; empty unless both migrations can be inferred.
  package var detours: [MigrationChain.Difference] {
    guard versions.count > 2 else { return [] }
    let chain = MigrationChain(versions.map(\.model))
    return chain.isEitherPermitted ? chain.differences : []
  }

  /// Returns the differences between the old store's indexes and the new model's indexes.
  ///
  /// Returns `nil` unless the old side is a store and the new side is a model.
  ///
  /// - Throws: ``PersistentStoreError`` if the store cannot be read.
  package func indexDrift() throws -> IndexDrift? {
    guard let facts = old.store, new.store == nil else { return nil }
    return try StoreFacts.reading(facts.store) { connection in
      try IndexDrift(model: new.version.model, connection: connection, path: facts.store.path)
    }
  }

  /// Whether both sides have the same version of every entity, so that no migration is needed.
  package var isSameVersion: Bool { identity == .same }

  /// Whether the sides have different versions, so that a migration is needed; `false` if the
  /// answer is not known.
  var isOtherVersion: Bool { identity == .changed }

  /// Whether both sides have the same hash for every entity; `nil` if a side has no hashes.
  var hasEqualHashes: Bool? { Self.haveEqualHashes(old, new) }

  private static func haveEqualHashes(_ old: ModelInput, _ new: ModelInput) -> Bool? {
    guard let before = old.hashes, let after = new.hashes else { return nil }
    return before == after
  }

  private static func identity(_ old: ModelInput, _ new: ModelInput) -> SchemaComparison.Answer {
    if let areEqual = haveEqualHashes(old, new) { return areEqual ? .same : .changed }
    let assumed = new.family.assumed[new.version.name] ?? [:]
    return SchemaComparison(
      from: old.version.model,
      to: new.version.model,
      assumed: (old.family.assumed[old.version.name], assumed)
    ).answer
  }

  /// A sentence with evidence that the user swapped the old and the new version; `nil` if there is
  /// no evidence.
  package var signOfSwap: String? {
    hasEqualHashes ?? (old.version.model == new.version.model)
      ? nil : SwapSign(old: old, new: new, countsAnew: isTowardsSwiftData).words
  }

  /// Whether the model and the data are known to allow a lightweight migration.
  package var isLightweight: Bool {
    mapping.isLightweight && mapping.changedStructs.isEmpty && dataObstacles.isEmpty
  }

  /// Whether SwiftData will open a store that Core Data wrote.
  package var isTowardsSwiftData: Bool { target != nil && !old.isSwiftData }

  /// Whether the two models have no entity in common.
  package var hasNothingInCommon: Bool { mapping.entities.allSatisfy { $0.source == nil } }

  /// Whether both sides use Core Data, so that a renaming identifier is sufficient for a rename.
  var isWithinCoreData: Bool { !isTowardsSwiftData && !old.isSwiftData && !new.isSwiftData }

  /// Whether entities are, or seem to be, renamed in a way that requires a map or another release
  /// of the app.
  ///
  /// Within Core Data, a renaming identifier is sufficient for a suspected rename. The value is
  /// then `true` only if the models have no entity in common and an old entity has no suspected new
  /// name.
  var needsNewNames: Bool {
    let renamed = Set(suspectedRenames.filter { $0.entity == nil }.map(\.former))
    guard isWithinCoreData else { return hasNothingInCommon || !renamed.isEmpty }
    return hasNothingInCommon
      && mapping.source.entities.contains { !$0.isAbstract && !renamed.contains($0.name) }
  }

  /// Whether a file shows that the app syncs with CloudKit: the store has tables for mirroring, or
  /// a model is marked for CloudKit.
  package var isSynced: Bool { Self.isSynced(old, new) }

  private static func isSynced(_ old: ModelInput, _ new: ModelInput) -> Bool {
    old.store?.isMirrored == true || old.family.isUsedWithCloudKit || new.family.isUsedWithCloudKit
  }

  /// Whether the app may sync with CloudKit, because a file shows it or there is no store to
  /// examine.
  package var mayBeSynced: Bool { isSynced || old.store == nil }

  /// The findings of CloudKit's rules for the migration and the new model.
  ///
  /// For a mirrored store, violations by the old model are omitted, because they do not stop the
  /// sync.
  package var cloudKit: [RuleFinding] {
    let audit = CloudKitAudit(mapping: mapping)
    guard old.store?.isMirrored == true else { return [audit.stepFinding] + audit.modelFindings }
    let before = CloudKitAudit(of: old.version.model).modelFindings
    return [audit.stepFinding]
      + zip(audit.modelFindings, before).map { $0.without($1.places) }
  }

  /// The findings about features of the old and the new model that SwiftData lacks on the target
  /// system.
  package var swiftData: [RuleFinding] {
    guard let target else { return [] }
    let needs = SwiftDataAudit(model: new.version.model, target: target).needs
    guard isTowardsSwiftData else { return needs }
    let audit = SwiftDataAudit(model: old.version.model, target: target)
    let findings = audit.findings
    let broken = Set(findings.filter(\.isBroken).map(\.rule))
    // Skip features of the new model if a finding about the old model already reports that
    // SwiftData lacks them.
    return findings
      + needs.filter { $0.isBroken && !broken.contains($0.rule.replacing("needs.", with: "")) }
  }

  /// The conditions under which Core Data and SwiftData can share the store.
  ///
  /// The list is empty unless SwiftData will open a store that Core Data wrote.
  package var coexistence: [RuleFinding] {
    isTowardsSwiftData ? CoexistenceAudit(old: old, new: new).findings : []
  }

  package var complexity: MigrationComplexity { MigrationComplexity(self) }

  package var checklist: [ChecklistItem] { MigrationChecklist(comparison: self).items }

  /// Data in a store that makes a migration to the other model fail.
  package struct DataObstacle: Hashable, Encodable, Sendable {
    package enum Kind: String, Encodable, Sendable {
      /// Several objects share a value that must become unique.
      case duplicates
      /// Objects lack a value that becomes required.
      case missingValues
      /// Objects belong to an entity that becomes abstract.
      case madeAbstract
    }

    package let kind: Kind
    package let entity: String
    package let properties: [String]
    /// The number of affected objects.
    package let count: Int64

    /// The problem and its solution in one sentence.
    package var sentence: String {
      let names = properties.joined(separator: " + ")
      let have = Figures.counted(count, "object has", "objects have")
      switch kind {
      case .duplicates:
        return "\(entity): \(names) becomes unique, but \(have) a value that another object has "
          + "too; remove the duplicates first"
      case .missingValues:
        return "\(entity): \(names) becomes required, but \(have) no value; add a default or fill "
          + "in the values first"
      case .madeAbstract:
        let are = Figures.counted(count, "object is", "objects are")
        let own = count == 1 ? "it an object" : "them objects"
        return "\(entity): it becomes abstract, but \(are) not of a sub-entity; make \(own) of a "
          + "sub-entity first"
      }
    }
  }

  /// Searches a store for data that makes a migration fail.
  struct DataObstacles {
    let mapping: MappingModel
    let layout: StoreLayout
    let connection: Connection

    func all() throws -> [DataObstacle] {
      try mapping.entities.flatMap { entity in
        guard let source = entity.source else { return [DataObstacle]() }
        let duplicates = try entity.addedConstraints.compactMap {
          try self.duplicates($0, of: source, entity)
        }
        return try duplicates + missingValues(of: source, entity)
          + [madeAbstract(source, entity)].compactMap(\.self)
      }
    }

    private func obstacle(
      _ kind: DataObstacle.Kind,
      of entity: EntityMapping,
      _ properties: [String],
      counting query: String
    ) throws -> DataObstacle? {
      guard let count = try connection.integer(query), count > 0 else { return nil }
      return DataObstacle(
        kind: kind,
        entity: entity.destination,
        properties: properties,
        count: count
      )
    }

    private func madeAbstract(_ source: String, _ entity: EntityMapping) throws -> DataObstacle? {
      guard mapping.makesAbstract(entity), let table = layout.table(of: source)?.name else {
        return nil
      }
      let query = "SELECT count(*) FROM \(table) WHERE Z_ENT = \(layout.numbers[source] ?? 0)"
      return try obstacle(.madeAbstract, of: entity, [], counting: query)
    }

    private func duplicates(
      _ constraint: [String],
      of source: String,
      _ entity: EntityMapping
    ) throws -> DataObstacle? {
      guard let rows = rows(of: source) else { return nil }
      var columns: [String] = []
      for name in constraint {
        guard let attribute = entity.attributes.first(where: { $0.destination.name == name }) else {
          return nil
        }
        if let former = attribute.source {
          guard let column = layout.column(of: former.name, in: source)?.name else { return nil }
          columns.append(column)
        } else if attribute.destination.defaultValue == .null {
          // A new attribute without a default has no duplicates to count: it has no values, or
          // values that the app's code sets.
          return nil
        }
        // Ignore a constant default of a new attribute, because it is the same in all objects.
      }
      let present = columns.map { " AND \($0) IS NOT NULL" }.joined()
      let groups = columns.isEmpty ? "" : " GROUP BY " + columns.joined(separator: ", ")
      return try obstacle(
        .duplicates,
        of: entity,
        constraint,
        counting:
          "SELECT coalesce(sum(n), 0) FROM (SELECT count(*) AS n FROM \(rows)\(present)\(groups)) "
          + "WHERE n > 1"
      )
    }

    private func missingValues(of source: String, _ entity: EntityMapping) throws -> [DataObstacle]
    {
      try entity.attributes.compactMap { attribute in
        guard attribute.isMadeRequired, !attribute.destination.hasDefault,
          let former = attribute.source, let rows = rows(of: source),
          let column = layout.column(of: former.name, in: source)?.name
        else { return nil }
        return try obstacle(
          .missingValues,
          of: entity,
          [attribute.destination.name],
          counting: "SELECT count(*) FROM \(rows) AND \(column) IS NULL"
        )
      }
    }

    /// Returns SQL with a table and a condition that selects the objects of an entity and its
    /// sub-entities.
    private func rows(of name: String) -> String? {
      guard let table = layout.table(of: name), let entity = layout.model.entity(named: name) else {
        return nil
      }
      let numbers = layout.model.family(of: entity).compactMap { layout.numbers[$0.name] }
      return "\(table.name) WHERE Z_ENT IN (\(numbers.map(String.init).joined(separator: ", ")))"
    }
  }
}

extension Model {
  fileprivate var withoutFormerNames: Model {
    var entities = self.entities
    for index in entities.indices {
      entities[index].renamingIdentifier = nil
      for place in entities[index].attributes.indices {
        entities[index].attributes[place].renamingIdentifier = nil
      }
      for place in entities[index].relationships.indices {
        entities[index].relationships[place].renamingIdentifier = nil
      }
    }
    return with(entities)
  }
}

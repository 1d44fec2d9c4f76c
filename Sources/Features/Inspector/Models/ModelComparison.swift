import DataModel
import PersistentStore
import SQLite

/// The changes from one model to another, with all obstacles.
package struct ModelComparison: Sendable {
  package let old: ModelInput
  package let new: ModelInput
  /// The system that SwiftData is to run on; `nil` if the new side is none of SwiftData's.
  package let target: TargetSystem?
  package let mapping: MappingModel
  /// Where one side is a store and the other a family: which version the store is of.
  package let match: VersionMatch?
  /// The old store's objects by entity; `nil` if no store was given.
  package let counts: [String: Int64]?
  package let dropped: [DroppedColumn]
  package let dataObstacles: [DataObstacle]
  package let suspectedRenames: [SuspectedRename]
  /// The unfilled places of the new model, the worst first.
  package let unfilled: [UnfilledPlace]
  /// The versions of the new side's family from the old side's to the new one; empty if the old
  /// side is none of them.
  package let versions: [VersionedSchema]

  /// What a lightweight migration to the new names could do; `nil` if no release can make the
  /// step, as both sides are SwiftData's, or there is no step.
  package let renameFirst: RenameFirst?
  /// The path of the map file that the mapping is made by; `nil` if it is inferred.
  package let mapPath: String?

  /// Reads what has to be counted from the old side's store, where it is one.
  ///
  /// Without a target the strictest is taken where the new side is SwiftData's. A map says what
  /// becomes of what; without one, it is inferred from the two models.
  ///
  /// Throws what reading the map or the store throws, a ``MigrationMapError`` for a map of other
  /// models.
  package init(
    from old: ModelInput,
    to new: ModelInput,
    target: TargetSystem? = nil,
    mapPath: String? = nil
  ) throws {
    let (before, after) = (old.version.model, new.version.model)
    let inferred = MappingModel(from: before, to: after)
    let mapping = try mapPath.map { try inferred.mapped(by: $0) } ?? inferred
    self.old = old
    self.new = new
    self.mapPath = mapPath
    self.target = target ?? (new.isSwiftData && !old.isSwiftData ? .ios17 : nil)
    self.mapping = mapping
    renameFirst =
      !old.isSwiftData && self.target != nil && before != after ? RenameFirst(mapping) : nil
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

  /// What is known of a plan of stages from the old version to the new one; `nil` if there is no
  /// version between them, or a stage of the app's own code.
  package var stagePlanRisk: StagePlanRisk? {
    StagePlanRisk(versions, stages: new.family.stages)
  }

  /// Where a chain through the versions between ends with a different store than the direct step.
  package var detours: [MigrationChain.Difference] {
    versions.count > 2 ? MigrationChain(versions.map(\.model)).differences : []
  }

  /// Where the old side is a store and the new one a model: how their indexes have drifted apart.
  ///
  /// - Throws: ``PersistentStoreError`` if the store cannot be read.
  package func indexDrift() throws -> IndexDrift? {
    guard let facts = old.store, new.store == nil else { return nil }
    return try StoreFacts.reading(facts.store) { connection in
      try IndexDrift(model: new.version.model, connection: connection, path: facts.store.path)
    }
  }

  /// Whether both sides have the same hash for every entity, so that no migration is due.
  package var isSameVersion: Bool {
    if let before = old.hashes, let after = new.hashes { return before == after }
    return old.version.model == new.version.model
  }

  /// What speaks for OLD being the later of the two; `nil` where nothing does.
  package var signOfSwap: String? {
    isSameVersion ? nil : SwapSign(old: old, new: new, countsAnew: isTowardsSwiftData).words
  }

  /// Whether the model and the data allow a lightweight migration.
  package var isLightweight: Bool { mapping.isLightweight && dataObstacles.isEmpty }

  /// Whether SwiftData is to open what Core Data wrote.
  package var isTowardsSwiftData: Bool { target != nil && !old.isSwiftData }

  /// Whether no entity of the one is in the other.
  package var hasNothingInCommon: Bool { mapping.entities.allSatisfy { $0.source == nil } }

  /// Whether a file shows that the app is synced by CloudKit: the tables of mirroring, or the mark of
  /// a model.
  package var isSynced: Bool {
    old.store?.isMirrored == true || old.family.isUsedWithCloudKit || new.family.isUsedWithCloudKit
  }

  /// Whether sync is worth a word: a file shows it, or there is no store that could.
  package var mayBeSynced: Bool { isSynced || old.store == nil }

  /// The rules of CloudKit for the new model and for the step to it.
  package var cloudKit: [RuleFinding] {
    let audit = CloudKitAudit(mapping: mapping)
    return [audit.stepFinding] + audit.modelFindings
  }

  /// The features of the old model that SwiftData lacks on the target.
  package var swiftData: [RuleFinding] {
    guard let target else { return [] }
    let needs = SwiftDataAudit(model: new.version.model, target: target).needs
    guard isTowardsSwiftData else { return needs }
    let audit = SwiftDataAudit(model: old.version.model, target: target)
    let findings = audit.findings
    let broken = Set(findings.filter(\.isBroken).map(\.rule))
    // Features of the old model are listed once.
    return findings
      + needs.filter { $0.isBroken && !broken.contains($0.rule.replacing("needs.", with: "")) }
  }

  /// What keeps Core Data and SwiftData from working on one store; empty if there is only one of
  /// them.
  package var coexistence: [RuleFinding] {
    isTowardsSwiftData ? CoexistenceAudit(old: old, new: new).findings : []
  }

  package var complexity: MigrationComplexity { MigrationComplexity(self) }

  package var checklist: [ChecklistItem] { MigrationChecklist(comparison: self).items }

  /// Data in a store that a migration to the other model would fail on.
  package struct DataObstacle: Hashable, Encodable, Sendable {
    package enum Kind: String, Encodable, Sendable {
      /// Objects that share what is to be unique.
      case duplicates
      /// Objects without a value that is to be required.
      case missingValues
      /// Objects of an entity that becomes abstract.
      case madeAbstract
    }

    package let kind: Kind
    package let entity: String
    package let properties: [String]
    /// How many objects are in the way.
    package let count: Int64

    /// One sentence: what is in the way and what to do.
    package var sentence: String {
      let names = properties.joined(separator: " + ")
      switch kind {
      case .duplicates:
        return "\(entity): \(names) becomes unique, but \(count) objects have a value that another "
          + "object has too; remove the duplicates first"
      case .missingValues:
        return "\(entity): \(names) becomes required, but \(count) objects have no value; add a "
          + "default or fill in the values first"
      case .madeAbstract:
        return
          "\(entity): it becomes abstract, but \(count) objects are not of a sub-entity; make them "
          + "objects of a sub-entity first"
      }
    }
  }

  /// Looks in a store for data that a migration would fail on.
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

    /// An obstacle of as many objects as a query counts; `nil` if there are none.
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
          // A new attribute has no values, or those that code makes.
          return nil
        }
        // A default that is a constant is the same in all objects, and so tells none apart.
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

    /// A table with a condition for the objects of an entity and of those below it.
    private func rows(of name: String) -> String? {
      guard let table = layout.table(of: name), let entity = layout.model.entity(named: name) else {
        return nil
      }
      let numbers = layout.model.family(of: entity).compactMap { layout.numbers[$0.name] }
      return "\(table.name) WHERE Z_ENT IN (\(numbers.map(String.init).joined(separator: ", ")))"
    }
  }
}

/// Whether a last release with Core Data can bring the store to the new names by a lightweight
/// migration, so that SwiftData opens it where it is.
package struct RenameFirst: Hashable, Encodable, Sendable {
  /// What keeps a lightweight migration from doing it, in sentences; empty if it can.
  package let blockers: [String]

  /// Whether it works.
  package var isPossible: Bool { blockers.isEmpty }

  init(_ mapping: MappingModel) {
    blockers = mapping.renamingBlockers
  }
}

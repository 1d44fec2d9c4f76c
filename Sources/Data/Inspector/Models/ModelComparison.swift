import DataModel
import PersistentStore
import SQLite

/// Everything that leads from one model to another, and what stands in the way.
package struct ModelComparison: Sendable {
  package let old: ModelInput
  package let new: ModelInput
  /// The system that SwiftData is to run on; `nil` where the new side is none of SwiftData's.
  package let target: TargetSystem?
  package let mapping: MappingModel
  /// Where one side is a store and the other a family: which version the store is of.
  package let match: VersionMatch?
  package let dropped: [DroppedColumn]
  package let dataObstacles: [DataObstacle]
  package let suspectedRenames: [SuspectedRename]

  /// Reads what has to be counted from the old side's store, where it is one.
  ///
  /// Without a target the strictest is taken where the new side is SwiftData's.
  package init(from old: ModelInput, to new: ModelInput, target: TargetSystem? = nil) throws {
    let mapping = MappingModel(from: old.version.model, to: new.version.model)
    self.old = old
    self.new = new
    self.target = target ?? (new.isSwiftData && !old.isSwiftData ? .ios17 : nil)
    self.mapping = mapping
    match = old.store.flatMap { new.kind == .store ? nil : VersionMatch.of($0, in: new.family) }
    suspectedRenames = SuspectedRename.all(in: mapping)
    guard let facts = old.store else {
      let layout = StoreLayout(model: old.version.model, keepsHistory: false)
      dropped = try DroppedData(mapping: mapping, layout: layout, connection: nil).all()
      dataObstacles = []
      return
    }
    (dropped, dataObstacles) = try StoreFacts.reading(facts.store) { connection in
      let dropped = DroppedData(mapping: mapping, layout: facts.layout, connection: connection)
      let obstacles = DataObstacles(
        mapping: mapping,
        layout: facts.layout,
        connection: connection
      )
      return (try dropped.all(), try obstacles.all())
    }
  }

  /// Whether both sides have the same hash for every entity, so that no migration is due.
  package var isSameVersion: Bool {
    if let before = old.hashes, let after = new.hashes { return before == after }
    return old.version.model == new.version.model
  }

  /// Whether the model and the data allow a lightweight migration.
  package var isLightweight: Bool { mapping.isLightweight && dataObstacles.isEmpty }

  /// Whether SwiftData is to open what Core Data wrote.
  package var isTowardsSwiftData: Bool { target != nil }

  /// Whether no entity of the one is in the other.
  package var hasNothingInCommon: Bool { mapping.entities.allSatisfy { $0.source == nil } }

  /// Whether a file says that the app is synced by CloudKit.
  package var isSynced: Bool {
    old.store?.isMirrored == true || old.family.isUsedWithCloudKit || new.family.isUsedWithCloudKit
  }

  /// The rules of CloudKit for the new model and for the step to it.
  package var cloudKit: [RuleFinding] {
    let audit = CloudKitAudit(mapping: mapping)
    return [audit.stepFinding] + audit.modelFindings
  }

  /// What of the old model SwiftData lacks on the target.
  package var swiftData: [RuleFinding] {
    target.map {
      SwiftDataAudit(model: old.version.model, unknown: old.family.unknown, target: $0).findings
    } ?? []
  }

  package var coexistence: [RuleFinding] {
    target == nil ? [] : CoexistenceAudit(old: old, new: new).findings
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
        return "\(entity): \(count) objects share their \(names), which becomes unique; "
          + "remove the duplicates first"
      case .missingValues:
        return "\(entity): \(count) objects have no \(names), which becomes required; "
          + "give it a default or fill it in first"
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
        return duplicates + (try missingValues(of: source, entity))
      }
    }

    private func duplicates(
      _ constraint: [String],
      of source: String,
      _ entity: EntityMapping
    ) throws -> DataObstacle? {
      let columns = constraint.compactMap { name in
        entity.attributes.first { $0.destination.name == name }?.source
          .flatMap { layout.column(of: $0.name, in: source)?.name }
      }
      // A new attribute has no values yet; its constraint is checked by nobody but the migration.
      guard columns.count == constraint.count, let rows = rows(of: source) else { return nil }
      let list = columns.joined(separator: ", ")
      let present = columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
      let count = try connection.integer(
        "SELECT coalesce(sum(n), 0) FROM (SELECT count(*) AS n FROM \(rows) AND \(present) "
          + "GROUP BY \(list) HAVING count(*) > 1)"
      )
      guard let count, count > 0 else { return nil }
      return DataObstacle(
        kind: .duplicates,
        entity: entity.destination,
        properties: constraint,
        count: count
      )
    }

    private func missingValues(of source: String, _ entity: EntityMapping) throws -> [DataObstacle]
    {
      try entity.attributes.compactMap { attribute in
        guard attribute.isMadeRequired, attribute.destination.defaultValue == .null,
          let former = attribute.source, let rows = rows(of: source),
          let column = layout.column(of: former.name, in: source)?.name
        else { return nil }
        let count = try connection.integer("SELECT count(*) FROM \(rows) AND \(column) IS NULL")
        guard let count, count > 0 else { return nil }
        return DataObstacle(
          kind: .missingValues,
          entity: entity.destination,
          properties: [attribute.destination.name],
          count: count
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

  /// Something that goes where something like it comes, most likely under a new name.
  package struct SuspectedRename: Hashable, Encodable, Sendable {
    /// The entity of the property; `nil` where an entity itself is meant.
    package let entity: String?
    package let former: String
    package let name: String
    /// What makes them alike, such as "6 of 8 properties have the same name".
    package let likeness: String

    /// One sentence: what is seen and what to do.
    package var sentence: String {
      let place = entity.map { "\($0): '" } ?? "'"
      return "\(place)\(former)' goes and '\(name)' comes, \(likeness); if it is the same, give it "
        + "the former name as renaming identifier (originalName)"
    }

    static func all(in mapping: MappingModel) -> [SuspectedRename] {
      entities(in: mapping) + properties(in: mapping)
    }

    private static func entities(in mapping: MappingModel) -> [SuspectedRename] {
      let added = mapping.entities.filter { $0.source == nil }.map(\.destination)
      return mapping.removedEntities.compactMap { former in
        let before = names(of: former, in: mapping.source)
        let ranked = added.map { name in
          (name, before.intersection(names(of: name, in: mapping.destination)).count)
        }
        guard let best = ranked.max(by: { $0.1 < $1.1 }), best.1 > 0, best.1 * 2 >= before.count
        else {
          return nil
        }
        return SuspectedRename(
          entity: nil,
          former: former,
          name: best.0,
          likeness: "\(best.1) of \(before.count) properties have the same name"
        )
      }
    }

    private static func names(of entity: String, in model: Model) -> Set<String> {
      guard let entity = model.entity(named: entity) else { return [] }
      return Set(
        model.attributes(of: entity).map(\.name) + model.relationships(of: entity).map(\.name)
      )
    }

    /// An attribute is alike where it is of the same type and its name has a word in common.
    private static func properties(in mapping: MappingModel) -> [SuspectedRename] {
      mapping.entities.flatMap { entity -> [SuspectedRename] in
        guard let source = entity.source.flatMap(mapping.source.entity(named:)) else { return [] }
        let kept = Set(entity.attributes.compactMap { $0.source?.name })
        let gone = source.attributes.filter { !kept.contains($0.name) && !$0.isTransient }
        let come = entity.attributes.filter { $0.source == nil && !$0.destination.isTransient }
          .map(\.destination)
        return gone.compactMap { former in
          let alike = come.filter {
            $0.type == former.type && !words(of: $0.name).isDisjoint(with: words(of: former.name))
          }
          guard alike.count == 1 else { return nil }
          return SuspectedRename(
            entity: entity.destination,
            former: former.name,
            name: alike[0].name,
            likeness: "both \(former.type.name)"
          )
        }
      }
    }

    /// The words of a name in camel case, without those that many names have.
    private static func words(of name: String) -> Set<String> {
      var words: [String] = [""]
      for character in name {
        if character.isUppercase || character == "_" { words.append("") }
        words[words.count - 1] += character.lowercased()
      }
      return Set(words.filter { $0.count > 1 && !["is", "has", "id", "at", "date"].contains($0) })
    }
  }
}

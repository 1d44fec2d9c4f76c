import DataModel
import PersistentStore

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
}

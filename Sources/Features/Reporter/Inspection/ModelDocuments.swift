import Basics
import DataModel
import Inspector
import PersistentStore

/// A comparison of two models as JSON for programs.
package struct MigrationDocument: Encodable, Sendable {
  struct Side: Encodable {
    let path: String
    let kind: String
    let version: String
    let versionIdentifiers: [String]
    let entities: Int
    let framework: Int?
    let isSwiftData: Bool
    let notUnderstood: [String]

    init(_ input: ModelInput) {
      path = input.path
      kind = input.kind.rawValue
      version = input.version.name
      versionIdentifiers = input.version.model.versionIdentifiers
      entities = input.version.model.entities.count
      framework = input.store?.metadata.frameworkVersion
      isSwiftData = input.isSwiftData
      notUnderstood = input.family.unknown
    }
  }

  struct Unfilled: Encodable {
    let place: String
    let kind: UnfilledPlace.Kind
    let objects: Int64?
    let advice: String

    init(_ unfilled: UnfilledPlace) {
      (place, kind) = (unfilled.name, unfilled.kind)
      (objects, advice) = (unfilled.objects, unfilled.kind.advice)
    }
  }

  struct CloudKit: Encodable {
    let isSynced: Bool
    let isAllowed: Bool
    let rules: [RuleFinding]
  }

  struct Map: Encodable {
    struct Rule: Encodable {
      let from: String
      let to: String
    }

    let path: String
    let entities: [Rule]
    let leftOut: [String]

    init(path: String, _ mapping: MappingModel) {
      self.path = path
      entities = mapping.entities.compactMap { entity in
        entity.source.map { Rule(from: $0, to: entity.destination) }
      }
      leftOut = mapping.map?.dropped.sorted() ?? []
    }
  }

  struct SwiftData: Encodable {
    let target: TargetSystem
    let rules: [RuleFinding]
    let coexistence: [RuleFinding]
    let complexity: MigrationComplexity
  }

  let format = "storebench.migration"
  let formatVersion = 1
  let old: Side
  let new: Side
  let match: String?
  let isSameVersion: Bool
  let isLightweight: Bool
  let obstacles: [String]
  let dataObstacles: [ModelComparison.DataObstacle]
  let suspectedRenames: [ModelComparison.SuspectedRename]
  let changes: [String]
  let dropped: [DroppedColumn]
  let unfilled: [Unfilled]
  let detours: [MigrationChain.Difference]
  let stagePlanRisk: StagePlanRisk?
  /// `nil` where the old store shows no sync.
  let cloudKit: CloudKit?
  let swiftData: SwiftData?
  let map: Map?
  let renameFirst: RenameFirst?
  let checklist: [ChecklistItem]?
  /// Where a store is compared with a model: how their indexes have drifted apart.
  let indexes: IndexDrift?

  package init(_ comparison: ModelComparison, hasChecklist: Bool, indexes: IndexDrift? = nil) {
    self.indexes = indexes
    old = Side(comparison.old)
    new = Side(comparison.new)
    match = comparison.match?.description
    isSameVersion = comparison.isSameVersion
    isLightweight = comparison.isLightweight
    obstacles = comparison.mapping.obstacles.map(\.description)
    dataObstacles = comparison.dataObstacles
    suspectedRenames = comparison.suspectedRenames
    changes = comparison.mapping.changes.map(\.description)
    dropped = comparison.dropped
    unfilled = comparison.unfilled.map(Unfilled.init)
    detours = comparison.detours
    stagePlanRisk = comparison.stagePlanRisk
    let rules = comparison.cloudKit
    cloudKit =
      comparison.mayBeSynced
      ? CloudKit(
        isSynced: comparison.isSynced,
        isAllowed: !rules.contains(where: \.isBroken),
        rules: rules
      ) : nil
    map = comparison.mapPath.map { Map(path: $0, comparison.mapping) }
    renameFirst = comparison.renameFirst
    swiftData = comparison.target.map { target in
      SwiftData(
        target: target,
        rules: comparison.swiftData,
        coexistence: comparison.coexistence,
        complexity: comparison.complexity
      )
    }
    checklist = hasChecklist ? comparison.checklist : nil
  }
}

/// What there is of models at a path, as JSON for programs.
package struct ModelReportDocument: Encodable, Sendable {
  struct Source: Encodable {
    let path: String
    let versions: [Version]
    let current: String?
    let isUsedWithCloudKit: Bool
    /// By version, why it cannot be read.
    let notRead: [String: String]
    let notUnderstood: [String]
    let unusual: [String]
    let steps: [ModelReport.VersionStep]
    let detours: [ModelReport.Detour]
    let stagePlanRisk: StagePlanRisk?
  }

  struct Version: Encodable {
    let name: String
    let entities: [String]
    let hasHashes: Bool
  }

  struct Agreement: Encodable {
    let first: String
    let second: String
    let version: String
    let differences: [String]
  }

  struct Store: Encodable {
    let path: String
    /// By source, the version that the store is of.
    let versions: [String: String]
    let sentences: [String: String]
  }

  let format = "storebench.models"
  let formatVersion = 1
  let sources: [Source]
  let agreements: [Agreement]
  let stores: [Store]
  let notRead: [String]

  package init(_ report: ModelReport) {
    sources = report.sources.map { source in
      let family = source.family
      return Source(
        path: source.path,
        versions: family.versions.map { version in
          Version(
            name: version.name,
            entities: version.model.entities.map(\.name),
            hasHashes: family.versionHashes[version.name]?.isEmpty == false
          )
        },
        current: family.current,
        isUsedWithCloudKit: family.isUsedWithCloudKit,
        notRead: Dictionary(keepingFirst: family.failures.map { ($0.version, $0.reason) }),
        notUnderstood: family.unknown,
        unusual: family.unusual,
        steps: ModelReport.steps(of: family),
        detours: ModelReport.detours(of: family),
        stagePlanRisk: ModelReport.stagePlanRisk(of: family)
      )
    }
    agreements = report.agreements.map {
      Agreement(
        first: $0.first,
        second: $0.second,
        version: $0.version,
        differences: $0.differences
      )
    }
    stores = report.stores.map { facts, matches in
      let versions = matches.compactMap { match in
        match.match.version.map { (match.source, $0) }
      }
      return Store(
        path: facts.store.path,
        versions: Dictionary(versions, uniquingKeysWith: { first, _ in first }),
        sentences: Dictionary(
          matches.map { ($0.source, "\($0.match)") },
          uniquingKeysWith: { first, _ in first }
        )
      )
    }
    notRead = report.failures
  }
}

import DataModel
import Foundation
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

  struct CloudKit: Encodable {
    let isSynced: Bool
    let isAllowed: Bool
    let rules: [RuleFinding]
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
  let dataObstacles: [DataObstacle]
  let suspectedRenames: [SuspectedRename]
  let changes: [String]
  let dropped: [DroppedColumn]
  let cloudKit: CloudKit
  let swiftData: SwiftData?
  let checklist: [ChecklistItem]?

  package init(_ comparison: ModelComparison, hasChecklist: Bool) {
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
    let rules = comparison.cloudKit
    cloudKit = CloudKit(
      isSynced: comparison.isSynced,
      isAllowed: !rules.contains(where: \.isBroken),
      rules: rules
    )
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

extension Encodable {
  /// JSON with sorted keys, for people to read and for programs to compare.
  package func reportJSON() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
  }
}

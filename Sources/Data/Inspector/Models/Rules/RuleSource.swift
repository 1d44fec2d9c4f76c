/// Where a rule comes from, since the guides disagree.
package struct RuleSource: Hashable, Encodable, Sendable {
  /// How much stands behind a rule.
  package enum Evidence: String, Encodable, Sendable {
    /// Apple's documentation or a session of WWDC.
    case documented
    /// A guide or the notes of somebody who tried.
    case reported
    /// Nothing found; what is known of the frameworks suggests it.
    case assumed
  }

  package let title: String
  /// `nil` where nothing was found.
  package let url: String?
  package let evidence: Evidence

  static let cloudKitModel = RuleSource(
    title: "Apple, Creating a Core Data Model for CloudKit",
    url:
      "https://developer.apple.com/documentation/coredata/creating-a-core-data-model-for-cloudkit",
    evidence: .documented
  )
  static let cloudKitRules = RuleSource(
    title: "fatbobman.com, Designing Models for CloudKit Sync",
    url: "https://fatbobman.com/en/snippet/rules-for-adapting-data-models-to-cloudkit",
    evidence: .reported
  )
  static let inheritance = RuleSource(
    title: "WWDC25, SwiftData: Dive into inheritance and schema migration",
    url: "https://developer.apple.com/videos/play/wwdc2025/291/",
    evidence: .documented
  )
  static let whatIsNew = RuleSource(
    title: "WWDC24, What's new in SwiftData",
    url: "https://developer.apple.com/videos/play/wwdc2024/10137/",
    evidence: .documented
  )
  static let rTree = RuleSource(
    title: "Apple, Schema.Index.Types.rtree(_:)",
    url: "https://developer.apple.com/documentation/swiftdata/schema/index/types/rtree(_:)",
    evidence: .documented
  )
  static let options = RuleSource(
    title: "Apple, Schema.Attribute.Option",
    url: "https://developer.apple.com/documentation/swiftdata/schema/attribute/option",
    evidence: .documented
  )
  static let migrateToSwiftData = RuleSource(
    title: "wwdcnotes.com on WWDC23, Migrate to SwiftData",
    url: "https://wwdcnotes.com/documentation/wwdc23-10189-migrate-to-swiftdata/",
    evidence: .reported
  )
  static let lightweight = RuleSource(
    title: "Apple, Migrating your data model automatically",
    url:
      "https://developer.apple.com/documentation/coredata/migrating-your-data-model-automatically",
    evidence: .documented
  )
  static let auditGuide = RuleSource(
    title: "SwiftData Migration Guide, audit your Core Data model",
    url: "https://skills.sh/bluewaves-creations/bluewaves-skills/swiftdata-migration",
    evidence: .reported
  )
  static let complexityGuide = RuleSource(
    title: "Core Data to SwiftData migration guide, assessing complexity",
    url: "https://eawesome.com.au/blog/ios-core-data-swiftdata-migration-guide",
    evidence: .reported
  )
  static let safetyChecklist = RuleSource(
    title: "Core Data and SwiftData Migration Checklist",
    url: "https://bleepingswift.com/checklists/core-data-swiftdata-migration-checklist",
    evidence: .reported
  )
  static let nothingFound = RuleSource(
    title: "no source found",
    url: nil,
    evidence: .assumed
  )
}

import DataModel

/// A rule, and where a model breaks it.
package struct RuleFinding: Hashable, Encodable, Sendable {
  /// The rule's short name in reports for programs.
  package let rule: String
  /// What holds, in a sentence without a full stop.
  package let text: String
  /// What to do where it is broken.
  package let advice: String
  package let source: Source
  /// The entities and properties that break it; empty where none does.
  package let places: [String]

  package var isBroken: Bool { !places.isEmpty }

  /// Where a rule comes from, since the guides disagree.
  package struct Source: Hashable, Encodable, Sendable {
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

    static let cloudKitModel = Source(
      title: "Apple, Creating a Core Data Model for CloudKit",
      url:
        "https://developer.apple.com/documentation/coredata/creating-a-core-data-model-for-cloudkit",
      evidence: .documented
    )
    static let cloudKitRules = Source(
      title: "fatbobman.com, Designing Models for CloudKit Sync",
      url: "https://fatbobman.com/en/snippet/rules-for-adapting-data-models-to-cloudkit",
      evidence: .reported
    )
    static let inheritance = Source(
      title: "WWDC25, SwiftData: Dive into inheritance and schema migration",
      url: "https://developer.apple.com/videos/play/wwdc2025/291/",
      evidence: .documented
    )
    static let whatIsNew = Source(
      title: "WWDC24, What's new in SwiftData",
      url: "https://developer.apple.com/videos/play/wwdc2024/10137/",
      evidence: .documented
    )
    static let rTree = Source(
      title: "Apple, Schema.Index.Types.rtree(_:)",
      url: "https://developer.apple.com/documentation/swiftdata/schema/index/types/rtree(_:)",
      evidence: .documented
    )
    static let options = Source(
      title: "Apple, Schema.Attribute.Option",
      url: "https://developer.apple.com/documentation/swiftdata/schema/attribute/option",
      evidence: .documented
    )
    static let migrateToSwiftData = Source(
      title: "wwdcnotes.com on WWDC23, Migrate to SwiftData",
      url: "https://wwdcnotes.com/documentation/wwdc23-10189-migrate-to-swiftdata/",
      evidence: .reported
    )
    static let lightweight = Source(
      title: "Apple, Migrating your data model automatically",
      url:
        "https://developer.apple.com/documentation/coredata/migrating-your-data-model-automatically",
      evidence: .documented
    )
    package static let stagePlan = Source(
      title: "Apple Developer Forums, one report of a plan with lightweight stages alone",
      url: StagePlanRisk.report,
      evidence: .reported
    )
    static let auditGuide = Source(
      title: "SwiftData Migration Guide, audit your Core Data model",
      url: "https://skills.sh/bluewaves-creations/bluewaves-skills/swiftdata-migration",
      evidence: .reported
    )
    static let complexityGuide = Source(
      title: "Core Data to SwiftData migration guide, assessing complexity",
      url: "https://eawesome.com.au/blog/ios-core-data-swiftdata-migration-guide",
      evidence: .reported
    )
    static let safetyChecklist = Source(
      title: "Core Data and SwiftData Migration Checklist",
      url: "https://bleepingswift.com/checklists/core-data-swiftdata-migration-checklist",
      evidence: .reported
    )
    package static let renaming = Source(
      title: "Apple, NSEntityDescription.renamingIdentifier",
      url:
        "https://developer.apple.com/documentation/coredata/nsentitydescription/renamingidentifier",
      evidence: .documented
    )
    /// The macro of a class takes no parameter; those of attributes and relationships take an
    /// `originalName`.
    static let originalName = Source(
      title: "Apple, SwiftData Model() and Schema.Attribute.init(_:originalName:hashModifier:)",
      url: "https://developer.apple.com/documentation/swiftdata/model()",
      evidence: .documented
    )
    static let historyReadOnly = Source(
      title: "Michael Tsai, Turning Off Core Data Persistent History Tracking",
      url: "https://mjtsai.com/blog/2023/08/15/turning-off-core-data-persistent-history-tracking/",
      evidence: .reported
    )
    static let movedMirroring = Source(
      title: "Menu Plan, Moving a Core Data store without disrupting CloudKit integration",
      url: "https://www.menuplan.app/coding/2021/10/27/core-data-store-path-migration.html",
      evidence: .reported
    )
    static let movedFiles = Source(
      title: "Use Your Loaf, Moving Core Data Files",
      url: "https://useyourloaf.com/blog/moving-core-data-files",
      evidence: .reported
    )
    static let groupContainer = Source(
      title: "Apple, ModelConfiguration.groupContainer",
      url:
        "https://developer.apple.com/documentation/swiftdata/modelconfiguration/groupcontainer-swift.property",
      evidence: .documented
    )
    package static let nothingFound = Source(
      title: "no source found",
      url: nil,
      evidence: .assumed
    )
  }
}

/// The oldest system that a SwiftData app is to run on.
package enum TargetSystem: String, CaseIterable, Comparable, Encodable, Sendable {
  case ios17
  case ios18
  case ios26

  /// As Apple writes it.
  package var name: String {
    switch self {
    case .ios17: "iOS 17"
    case .ios18: "iOS 18"
    case .ios26: "iOS 26"
    }
  }

  package static func < (first: TargetSystem, second: TargetSystem) -> Bool {
    first.rawValue < second.rawValue
  }
}

/// Picks the parts of a model that a rule is about, by name.
struct ModelPlaces {
  let model: Model

  func entities(where matches: (Entity) -> Bool) -> [String] {
    model.entities.filter(matches).map(\.name)
  }

  func attributes(where matches: (Attribute) -> Bool) -> [String] {
    model.entities.flatMap { entity in
      entity.attributes.filter(matches).map { "\(entity.name).\($0.name)" }
    }
  }

  func relationships(where matches: (Relationship) -> Bool) -> [String] {
    model.entities.flatMap { entity in
      entity.relationships.filter(matches).map { "\(entity.name).\($0.name)" }
    }
  }

  func indexes(where matches: (FetchIndex) -> Bool) -> [String] {
    model.entities.flatMap { entity in
      entity.fetchIndexes.filter(matches).map { "\(entity.name).\($0.name)" }
    }
  }

  func constraints(where matches: ([String]) -> Bool) -> [String] {
    model.entities.flatMap { entity in
      entity.uniquenessConstraints.filter(matches).map {
        "\(entity.name).\($0.joined(separator: " + "))"
      }
    }
  }
}

/// What a model, and a step between two, must keep to where an app is synced by CloudKit.
struct CloudKitAudit {
  let mapping: MappingModel

  /// The rules for the model that the app will have.
  var modelFindings: [RuleFinding] {
    let places = ModelPlaces(model: mapping.destination)
    return [
      RuleFinding(
        rule: "cloudKit.noUniqueConstraints",
        text: "no unique constraints",
        advice: "drop the constraint and remove duplicates in code",
        source: .cloudKitModel,
        places: places.constraints { _ in true }
      ),
      RuleFinding(
        rule: "cloudKit.optionalOrDefault",
        text: "every attribute is optional or has a default",
        advice: "make it optional or give it a default",
        source: .cloudKitRules,
        places: places.attributes {
          !$0.isOptional && !$0.isTransient && $0.defaultValue == .null && $0.derivation == nil
        }
      ),
      RuleFinding(
        rule: "cloudKit.attributeTypes",
        text: "no attributes of type object ID",
        advice: "store a UUID or a URI instead",
        source: .cloudKitModel,
        places: places.attributes { $0.type == .objectID }
      ),
      RuleFinding(
        rule: "cloudKit.optionalRelationships",
        text: "every relationship is optional",
        advice: "make it optional",
        source: .cloudKitModel,
        places: places.relationships { !$0.isOptional }
      ),
      RuleFinding(
        rule: "cloudKit.inverses",
        text: "every relationship has an inverse",
        advice: "add the inverse",
        source: .cloudKitModel,
        places: places.relationships { mapping.destination.inverse(of: $0) == nil }
      ),
      RuleFinding(
        rule: "cloudKit.noDeny",
        text: "no delete rule 'deny'",
        advice: "use nullify or cascade",
        source: .cloudKitModel,
        places: places.relationships { $0.deleteRule == .deny }
      ),
      RuleFinding(
        rule: "cloudKit.noOrder",
        text: "no ordered relationships",
        advice: "keep the position in an attribute",
        source: .cloudKitRules,
        places: places.relationships(where: \.isOrdered)
      ),
      RuleFinding(
        rule: "cloudKit.configurations",
        text: "no relationship leads from one configuration into another",
        advice: "put both entities into one configuration",
        source: .cloudKitModel,
        places: crossings
      ),
    ]
  }

  /// The rule for the step: what is in production can only be added to.
  var stepFinding: RuleFinding {
    RuleFinding(
      rule: "cloudKit.additive",
      text: "entities and properties are only added",
      advice: "keep the old entity or property in the model, and add a new one",
      source: .cloudKitModel,
      places: mapping.changes.compactMap(Self.place)
    )
  }

  private var crossings: [String] {
    let model = mapping.destination
    guard model.configurations.count > 1 else { return [] }
    func homes(_ entity: String) -> Set<String> {
      Set(model.configurations.filter { $0.value.contains(entity) }.keys)
    }
    return model.entities.flatMap { entity in
      entity.relationships.filter { relationship in
        let (own, other) = (homes(entity.name), homes(relationship.destination))
        return !own.isEmpty && !other.isEmpty && own.isDisjoint(with: other)
      }.map { "\(entity.name).\($0.name)" }
    }
  }

  /// Where a change takes something away from CloudKit's schema, or turns it into something else.
  private static func place(of change: ModelChange) -> String? {
    switch change {
    case .entityRemoved(let entity): "\(entity) removed"
    case .entityRenamed(let former, let entity): "\(former) renamed to \(entity)"
    case .attributeRemoved(let entity, let name), .relationshipRemoved(let entity, let name):
      "\(entity).\(name) removed"
    case .attributeRenamed(let entity, let former, let name),
      .relationshipRenamed(let entity, let former, let name):
      "\(entity).\(former) renamed to \(name)"
    case .attributeRetyped(let entity, let name, _, _): "\(entity).\(name) has a different type"
    case .relationshipRetargeted(let entity, let name, _, _):
      "\(entity).\(name) has a different target"
    case .cardinalityChanged(let entity, let name, let isToMany):
      "\(entity).\(name) becomes \(isToMany ? "to-many" : "to-one")"
    case .superentityChanged(let entity, _, _): "\(entity) has a different super-entity"
    default: nil
    }
  }
}

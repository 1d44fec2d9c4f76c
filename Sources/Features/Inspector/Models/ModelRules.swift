import DataModel

/// A rule with the elements of a model that violate it.
package struct RuleFinding: Hashable, Encodable, Sendable {
  /// The rule's short name in machine-readable reports.
  package let rule: String
  /// The rule as a sentence without a period.
  package let text: String
  /// The recommended solution.
  package let advice: String
  package let source: Source
  /// The entities and properties that violate the rule; empty if there are none.
  package let places: [String]

  package var isBroken: Bool { !places.isEmpty }

  func without(_ known: [String]) -> RuleFinding {
    RuleFinding("", (rule, text, advice, source, places.filter { !known.contains($0) }))
  }

  /// A rule's name, text, advice and source, and the elements of the model that violate it.
  typealias Row = (String, String, String, Source, [String])

  init(_ prefix: String, _ row: Row) {
    rule = prefix + row.0
    (text, advice, source, places) = (row.1, row.2, row.3, row.4)
  }

  /// The source of a rule, which is shown because guides disagree.
  package struct Source: Hashable, Encodable, Sendable {
    /// The strength of the evidence for a rule.
    package enum Evidence: String, Encodable, Sendable {
      /// The rule is in Apple's documentation or a WWDC session.
      case documented
      /// The rule is in a guide or in the notes of a developer who tried it.
      case reported
      /// No source was found; the rule is inferred from the behavior of Core Data and SwiftData.
      case assumed
    }

    package let title: String
    /// The URL of the source; `nil` if no source was found.
    package let url: String?
    package let evidence: Evidence

    private init(_ title: String, _ url: String?, _ evidence: Evidence) {
      (self.title, self.url, self.evidence) = (title, url, evidence)
    }

    private static func apple(_ title: String, _ page: String) -> Source {
      Source("Apple, \(title)", "https://developer.apple.com/documentation/\(page)", .documented)
    }

    private static func session(_ title: String, _ number: String) -> Source {
      Source(title, "https://developer.apple.com/videos/play/\(number)/", .documented)
    }

    private static func reported(_ title: String, _ url: String) -> Source {
      Source(title, "https://" + url, .reported)
    }

    static let cloudKitModel = apple(
      "Creating a Core Data Model for CloudKit",
      "coredata/creating-a-core-data-model-for-cloudkit"
    )
    static let cloudKitRules = reported(
      "fatbobman.com, Designing Models for CloudKit Sync",
      "fatbobman.com/en/snippet/rules-for-adapting-data-models-to-cloudkit"
    )
    static let inheritance = session(
      "WWDC25, SwiftData: Dive into inheritance and schema migration",
      "wwdc2025/291"
    )
    static let whatIsNew = session("WWDC24, What's new in SwiftData", "wwdc2024/10137")
    static let rTree = apple(
      "Schema.Index.Types.rtree(_:)",
      "swiftdata/schema/index/types/rtree(_:)"
    )
    static let options = apple("Schema.Attribute.Option", "swiftdata/schema/attribute/option")
    static let migrateToSwiftData = reported(
      "wwdcnotes.com on WWDC23, Migrate to SwiftData",
      "wwdcnotes.com/documentation/wwdc23-10189-migrate-to-swiftdata/"
    )
    static let lightweight = apple(
      "Migrating your data model automatically",
      "coredata/migrating-your-data-model-automatically"
    )
    static let stagePlan = Source(
      "Apple Developer Forums, one report of a plan with lightweight stages alone",
      StagePlanRisk.report,
      .reported
    )
    static let auditGuide = reported(
      "SwiftData Migration Guide, audit your Core Data model",
      "skills.sh/bluewaves-creations/bluewaves-skills/swiftdata-migration"
    )
    static let complexityGuide = reported(
      "Core Data to SwiftData migration guide, assessing complexity",
      "eawesome.com.au/blog/ios-core-data-swiftdata-migration-guide"
    )
    static let safetyChecklist = reported(
      "Core Data and SwiftData Migration Checklist",
      "bleepingswift.com/checklists/core-data-swiftdata-migration-checklist"
    )
    static let renaming = apple(
      "NSEntityDescription.renamingIdentifier",
      "coredata/nsentitydescription/renamingidentifier"
    )
    /// The `@Model` macro has no parameter for a former name; `@Attribute` and `@Relationship` have
    /// `originalName`.
    static let originalName = apple(
      "SwiftData Model() and Schema.Attribute.init(_:originalName:hashModifier:)",
      "swiftdata/model()"
    )
    static let historyReadOnly = reported(
      "Michael Tsai, Turning Off Core Data Persistent History Tracking",
      "mjtsai.com/blog/2023/08/15/turning-off-core-data-persistent-history-tracking/"
    )
    static let movedMirroring = reported(
      "Menu Plan, Moving a Core Data store without disrupting CloudKit integration",
      "www.menuplan.app/coding/2021/10/27/core-data-store-path-migration.html"
    )
    static let movedFiles = reported(
      "Use Your Loaf, Moving Core Data Files",
      "useyourloaf.com/blog/moving-core-data-files"
    )
    static let groupContainer = apple(
      "ModelConfiguration.groupContainer",
      "swiftdata/modelconfiguration/groupcontainer-swift.property"
    )
    static let nothingFound = Source("no source found", nil, .assumed)
  }
}

/// The oldest system on which a SwiftData app must run.
package enum TargetSystem: String, CaseIterable, Comparable, Encodable, Sendable {
  case ios17
  case ios18
  case ios26
  case ios27

  /// The target that is assumed by default.
  package static let standard = TargetSystem.ios18

  /// The name of the system as Apple writes it, such as `iOS 17`.
  package var name: String {
    switch self {
    case .ios17: "iOS 17"
    case .ios18: "iOS 18"
    case .ios26: "iOS 26"
    case .ios27: "iOS 27"
    }
  }

  package static func < (first: TargetSystem, second: TargetSystem) -> Bool {
    first.rawValue < second.rawValue
  }
}

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

struct CloudKitAudit {
  let mapping: MappingModel

  init(mapping: MappingModel) { self.mapping = mapping }

  /// The audit of a model without a migration.
  init(of model: Model) { mapping = MappingModel(from: model, to: model) }

  var modelFindings: [RuleFinding] {
    let places = ModelPlaces(model: mapping.destination)
    let rules: [RuleFinding.Row] = [
      (
        "noUniqueConstraints", "no unique constraints",
        "drop the constraint and remove duplicates in code", .cloudKitModel,
        places.constraints { _ in true }
      ),
      (
        "optionalOrDefault", "every attribute is optional or has a default",
        "make it optional or give it a default", .cloudKitRules,
        places.attributes {
          !$0.isOptional && !$0.isTransient && !$0.hasDefault && $0.derivation == nil
        }
      ),
      (
        "attributeTypes", "no attributes of type object ID", "store a UUID or a URI instead",
        .cloudKitModel, places.attributes { $0.type == .objectID }
      ),
      (
        "optionalRelationships", "every relationship is optional", "make it optional",
        .cloudKitModel, places.relationships { !$0.isOptional }
      ),
      (
        "inverses", "every relationship has an inverse", "add the inverse", .cloudKitModel,
        places.relationships { mapping.destination.inverse(of: $0) == nil }
      ),
      (
        "noDeny", "no delete rule 'deny'", "use nullify or cascade", .cloudKitModel,
        places.relationships { $0.deleteRule == .deny }
      ),
      (
        "noOrder", "no ordered relationships", "keep the position in an attribute", .cloudKitRules,
        places.relationships(where: \.isOrdered)
      ),
      (
        "configurations", "no relationship leads from one configuration into another",
        "put both entities into one configuration", .cloudKitModel, crossings
      ),
    ]
    return rules.map { RuleFinding("cloudKit.", $0) }
  }

  /// The rule for the migration: a schema in production allows only additions.
  var stepFinding: RuleFinding {
    RuleFinding(
      "cloudKit.",
      (
        "additive", "entities and properties are only added",
        "keep the old entity or property in the model, and add a new one", .cloudKitModel,
        mapping.changes.compactMap(Self.place)
      )
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

  /// Describes a change that removes or alters a part of CloudKit's schema; `nil` for other
  /// changes.
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

import DataModel

/// The SwiftData declarations of Swift sources: classes, versions, plans and containers.
package struct SwiftModelFamily: Hashable, Sendable {
  /// The versions (`VersionedSchema`), in the order of the plan or, without a plan, of their
  /// identifiers.
  package var versions: [SwiftVersion]
  /// The classes with which the app opens its store.
  ///
  /// For each class of the newest version, this is the top-level class with the same name or, if
  /// there is none, the version's own class. Without versions, these are all `@Model` classes.
  package var current: SwiftVersion
  package var plans: [SwiftPlan]
  package var containers: [SwiftContainer]
  package var notes: [SourceNote]
  /// The folder to which the file paths of locations are relative; empty for a single file.
  package var root = ""

  package init(
    versions: [SwiftVersion] = [],
    current: SwiftVersion,
    plans: [SwiftPlan] = [],
    containers: [SwiftContainer] = [],
    notes: [SourceNote] = []
  ) {
    self.versions = versions
    self.current = current
    self.plans = plans
    self.containers = containers
    self.notes = notes
  }

  package func version(named name: String) -> SwiftVersion? {
    versions.first { $0.name == name }
  }

  /// The plan that a container uses; the first plan if no container uses a plan.
  package var plan: SwiftPlan? {
    let used = containers.compactMap(\.plan).first
    return plans.first { $0.name == used } ?? plans.first
  }

  /// The versions as a ``ModelFamily``, with the newest version as the current one.
  ///
  /// If there are no versions, the family has a single model made from the classes.
  package var modelFamily: ModelFamily {
    let all = versions.isEmpty ? [current] : versions
    var family = ModelFamily(
      versions: all.map { VersionedSchema(name: $0.name, model: $0.model) },
      current: all.last?.name
    )
    family.unusual = notes.map(\.description)
    for version in all {
      family.assumed[version.name] = version.assumed
      family.enumCases[version.name] = version.enumCases
    }
    family.unusual += all.last?.compositeNotes.map(\.description) ?? []
    family.stages = plan?.stages.map {
      ModelFamily.Stage(from: $0.from, to: $0.to, isCustom: !$0.isLightweight)
    }
    family.isUsedWithCloudKit = containers.contains { $0.cloudKit == .used }
    return family
  }
}

/// One version of a model in Swift source.
package struct SwiftVersion: Hashable, Sendable {
  /// The type's name, such as `SchemaV2`.
  package var name: String
  /// The text of the version's `Schema.Version`, such as `2.0.0`; `nil` if it is missing or
  /// computed.
  package var identifier: String?
  package var place: SourcePlace?
  package var model: Model
  /// The locations of entities (such as `Trip`) and of properties (such as `Trip.name`), by name.
  package var places: [String: SourcePlace]
  /// The types that the version uses, and the locations of their declarations.
  package var uses: [SwiftTypeUse]
  /// The assumptions about the storage of properties, by property (`Trip.kind`); no verdict may
  /// depend on an assumption.
  ///
  /// A name without a dot is an entity that the sources lack, or ``wholeList``.
  package var assumed: [String: String]
  /// The cases of each property's enum type with their raw values, in order, by property
  /// (`Trip.kind`).
  package var enumCases: [String: [EnumValue]] = [:]
  /// The key for an assumption about which entities the version has.
  package static let wholeList = "models"

  /// Whether assumptions make it uncertain that a version has an entity (`Trip`) or property
  /// (`Trip.name`).
  package static func leavesOpen(_ key: String, in assumed: [String: String]) -> Bool {
    assumed[key] != nil || !key.contains(".") && assumed[wholeList] != nil
  }

  package init(
    name: String,
    identifier: String? = nil,
    place: SourcePlace? = nil,
    model: Model,
    places: [String: SourcePlace] = [:],
    uses: [SwiftTypeUse] = [],
    assumed: [String: String] = [:]
  ) {
    self.name = name
    self.identifier = identifier
    self.place = place
    self.model = model
    self.places = places
    self.uses = uses
    self.assumed = assumed
  }

  /// The notes on properties whose type is a struct.
  fileprivate var compositeNotes: [SourceNote] {
    model.entities.flatMap { entity in
      entity.attributes.filter { $0.type == .composite }.map { attribute in
        SourceNote(
          "\(entity.name).\(attribute.name): it is not known how a store keeps a struct; it gets "
            + "one column without values",
          at: place(of: entity.name, attribute.name)
        )
      }
    }
  }

  /// The location of a property or, if it is unknown, that of the entity or the version.
  package func place(of entity: String, _ property: String? = nil) -> SourcePlace? {
    property.flatMap { places["\(entity).\($0)"] } ?? places[entity] ?? place
  }
}

/// A class or value type that a version uses.
package struct SwiftTypeUse: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable {
    case model
    /// A struct, whose fields are part of the schema.
    case value
    /// An enum; only its stored form is part of the schema.
    case enumeration
  }

  package var kind: Kind
  /// The type's name with its enclosing types, such as `SchemaV1.Trip`.
  package var type: String
  /// The version that contains the type's declaration; `nil` if several versions may share the
  /// type.
  package var owner: String?
  /// The property that names the type, such as `Trip.kind`; `nil` if the version lists the type.
  package var property: String?
  /// The location of the type's declaration.
  package var place: SourcePlace

  package init(
    kind: Kind,
    type: String,
    owner: String? = nil,
    property: String? = nil,
    place: SourcePlace
  ) {
    self.kind = kind
    self.type = type
    self.owner = owner
    self.property = property
    self.place = place
  }
}

/// A migration plan (`SchemaMigrationPlan`).
package struct SwiftPlan: Hashable, Sendable {
  package var name: String
  package var place: SourcePlace
  /// The names of the plan's versions, in order.
  package var versions: [String]
  package var stages: [SwiftStage]
  /// Whether the lists of versions and stages could be read completely.
  package var isWhole = true

  package init(
    name: String,
    place: SourcePlace,
    versions: [String] = [],
    stages: [SwiftStage] = []
  ) {
    self.name = name
    self.place = place
    self.versions = versions
    self.stages = stages
  }
}

/// A stage of a plan (`MigrationStage`).
package struct SwiftStage: Hashable, Sendable {
  package var from: String
  package var to: String
  package var isLightweight: Bool
  package var place: SourcePlace

  package init(from: String, to: String, isLightweight: Bool, place: SourcePlace) {
    self.from = from
    self.to = to
    self.isLightweight = isLightweight
    self.place = place
  }
}

/// A location in the code that opens a store (`ModelContainer(for:…)`, `.modelContainer(for:…)`).
package struct SwiftContainer: Hashable, Sendable {
  package enum CloudKit: String, Hashable, Sendable {
    /// The container names a CloudKit database.
    case used
    /// The container names no database, so the app's entitlements decide.
    case automatic
    case none
  }

  package var place: SourcePlace
  /// The name of the migration plan that the container uses.
  package var plan: String?
  package var cloudKit: CloudKit
  /// The models or versions that the container lists, as written in the source.
  package var models: [String]

  package init(
    place: SourcePlace,
    plan: String? = nil,
    cloudKit: CloudKit = .automatic,
    models: [String] = []
  ) {
    self.place = place
    self.plan = plan
    self.cloudKit = cloudKit
    self.models = models
  }
}

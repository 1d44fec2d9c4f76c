import Basics
import DataModel
import PersistentStore
import SQLite

/// The versions in an app's migration plan (`SchemaMigrationPlan`, `NSStagedMigrationManager`), in
/// order.
struct VersionPlan {
  struct Version {
    let name: String
    let model: Model
    /// The version hashes by entity; empty if the model's source contains no hashes, because only
    /// Apple's tools compute them.
    var hashes: [String: [UInt8]] = [:]

    /// An app release that only declares the store's current model as a version in the migration
    /// plan.
    static func wrapper(of model: Model) -> Version {
      var model = model
      model.versionIdentifiers = ["1.0.0"]
      return Version(name: "the wrapper release", model: model)
    }
  }

  let versions: [Version]

  /// The versions to which a store still has to be migrated; all versions if the plan lacks the
  /// store's model.
  func versions(after model: Model) -> [Version] {
    let place = versions.lastIndex { $0.model == model }
    return Array(versions[(place.map { $0 + 1 } ?? 0)...])
  }

  /// The index of the version that a store was written with; `nil` if no version matches.
  ///
  /// Compares the version hashes if both the store and the version have them; otherwise, compares
  /// the parts of the model that affect a version hash.
  func place(of metadata: StoreMetadata, _ model: Model) -> Int? {
    let part = model.versionedPart
    return versions.lastIndex { version in
      version.hashes.isEmpty || metadata.versionHashes.isEmpty
        ? version.model.versionedPart == part : version.hashes == metadata.versionHashes
    }
  }
}

extension VersionPlan.Version {
  /// Selects the only version of a model's source, or its current version.
  ///
  /// - Throws: ``Refusal`` if there are several versions, but no current version.
  init(_ path: String, in family: ModelFamily) throws {
    let current = family.current.flatMap(family.version(named:))
    guard let version = family.versions.count == 1 ? family.versions.first : current else {
      throw Refusal(
        .badInput,
        "'\(path)' has \(family.versions.count) versions of a model, but a migration needs one "
          + "version; name one of them"
      )
    }
    self.init(
      name: path,
      model: version.model,
      hashes: family.versionHashes[version.name] ?? [:]
    )
  }
}

extension Model {
  /// The parts of the model that affect its version hashes, according to Apple's "Core Data Model
  /// Versioning and Data Migration".
  ///
  /// Class names, user info, defaults, validation, transient properties, indexes and version names
  /// do not affect the hashes.
  fileprivate var versionedPart: Model {
    Model(
      entities: entities.map { entity in
        Entity(
          name: entity.name,
          isAbstract: entity.isAbstract,
          superentity: entity.superentity,
          attributes: entity.attributes.filter { !$0.isTransient }.map(\.versionedPart),
          relationships: entity.relationships.filter { !$0.isTransient }.map(\.versionedPart),
          uniquenessConstraints: entity.uniquenessConstraints,
          versionHashModifier: entity.versionHashModifier
        )
      }
    )
  }
}

extension Attribute {
  fileprivate var versionedPart: Attribute {
    Attribute(
      name: name,
      type: type,
      isOptional: isOptional,
      allowsExternalStorage: allowsExternalStorage,
      preservesValueOnDeletion: preservesValueOnDeletion,
      derivation: derivation,
      elements: elements.map(\.versionedPart),
      versionHashModifier: versionHashModifier
    )
  }
}

extension Relationship {
  fileprivate var versionedPart: Relationship {
    Relationship(
      name: name,
      destination: destination,
      inverse: inverse,
      isToMany: isToMany,
      isOrdered: isOrdered,
      isOptional: isOptional,
      minimumCount: minimumCount,
      maximumCount: maximumCount,
      deleteRule: deleteRule,
      versionHashModifier: versionHashModifier
    )
  }
}

/// The lightweight migrations that bring a store to its last model, each starting from the result
/// of the previous one.
struct MigrationRoute {
  let steps: [(migration: LightweightMigration, hashes: [String: [UInt8]])]

  /// Plans the migrations.
  ///
  /// - Throws: ``PersistentStore/MigrationError`` if a lightweight migration cannot reach a
  ///   version.
  init(
    from layout: StoreLayout,
    through versions: [VersionPlan.Version],
    shape: LightweightMigration.Shape
  ) throws {
    var layout = layout
    var steps: [(LightweightMigration, [String: [UInt8]])] = []
    for version in versions {
      let migration = try LightweightMigration(from: layout, to: version.model, shape: shape)
      steps.append((migration, version.hashes))
      layout = migration.destination
    }
    self.steps = steps
  }

  func run(on store: PersistentStore, setting entries: [String: PropertyList?] = [:]) throws {
    for (index, step) in steps.enumerated() {
      try step.migration.run(
        on: store.connection,
        path: store.file.path,
        versionHashes: step.hashes,
        setting: index == steps.count - 1 ? entries : [:]
      )
    }
  }
}

/// The versions between a store's model and the last version, and the result of all steps together.
struct VersionWay {
  /// The chain of steps; `nil` if there is at most one step.
  let chain: MigrationChain?

  init(from model: Model, through versions: [VersionPlan.Version]) {
    chain = versions.count > 1 ? MigrationChain([model] + versions.map(\.model)) : nil
  }

  /// The mapping from the first to the last model.
  ///
  /// A mapping model's own mapping, `direct`, is returned unchanged.
  ///
  /// - Throws: ``Refusal`` if no single mapping has the same result as the steps.
  func mapping(_ direct: MappingModel) throws -> MappingModel {
    guard direct.map == nil, let chain else { return direct }
    guard let mapping = chain.asOneStep else {
      throw Refusal(
        .badInput,
        "the chain of versions ends with a different store than the direct step, in a way that "
          + "cannot be verified: \(firstFew(chain.differences.map(\.description))); use the direct step"
      )
    }
    return mapping
  }

  /// The differences between the results of the chain and of the direct step, for the report; `nil`
  /// if the results are equal.
  var note: String? {
    guard let differences = chain?.differences, !differences.isEmpty else { return nil }
    return "the chain of versions ends with a different store than the direct step; both results "
      + "are permitted: "
      + firstFew(differences.map(\.description))
  }
}

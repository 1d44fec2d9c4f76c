import Basics
import DataModel
import PersistentStore
import SQLite

/// The versions that an app's migration plan knows (`SchemaMigrationPlan`,
/// `NSStagedMigrationManager`), in their order.
struct VersionPlan {
  struct Version {
    let name: String
    let model: Model
    /// By entity, where the source of the model has them: computed by Apple's tools only.
    var hashes: [String: [UInt8]] = [:]

    /// A release that gives a store's own model a version, and changes nothing else.
    static func wrapper(of model: Model) -> Version {
      var model = model
      model.versionIdentifiers = ["1.0.0"]
      return Version(name: "the wrapper release", model: model)
    }
  }

  let versions: [Version]

  /// The versions that a store of a model has still to be brought to; all where it has none of them.
  func versions(after model: Model) -> [Version] {
    let place = versions.lastIndex { $0.model == model }
    return Array(versions[(place.map { $0 + 1 } ?? 0)...])
  }

  /// The place of the version that a store was written with; `nil` for an unknown one.
  ///
  /// By the version hashes, where both sides have them; else by all that goes into a version hash.
  func place(of metadata: StoreMetadata, _ model: Model) -> Int? {
    let part = model.versionedPart
    return versions.lastIndex { version in
      version.hashes.isEmpty || metadata.versionHashes.isEmpty
        ? version.model.versionedPart == part : version.hashes == metadata.versionHashes
    }
  }
}

extension VersionPlan.Version {
  /// The one version of a model's source, or its current one.
  ///
  /// - Throws: ``Refusal`` for several versions without a current one.
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
  /// The model without what has no part in its version hashes, by Apple's "Core Data Model
  /// Versioning and Data Migration": class names, user info, defaults, validation, transient
  /// properties; and without indexes and names of versions.
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

/// The lightweight migrations that bring a store to its last model, each from where the one before
/// it has led.
struct MigrationRoute {
  let steps: [(migration: LightweightMigration, hashes: [String: [UInt8]])]

  /// - Throws: ``PersistentStore/MigrationError`` where no lightweight migration leads to a model.
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

  /// Migrates step by step, each wholly or not at all; the last one sets entries of the metadata.
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

/// The versions between a store's model and the last one, and what all steps together make.
struct VersionWay {
  /// `nil` where there is one step, or none.
  let chain: MigrationChain?

  init(from model: Model, through versions: [VersionPlan.Version]) {
    chain = versions.count > 1 ? MigrationChain([model] + versions.map(\.model)) : nil
  }

  /// The mapping of the whole way, where a direct one is known.
  ///
  /// - Throws: ``Refusal`` if no one mapping makes what the way makes.
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

  /// What a reader should know: where both ways lead, difference by difference.
  var note: String? {
    guard let differences = chain?.differences, !differences.isEmpty else { return nil }
    return "the chain of versions ends with a different store than the direct step; both results "
      + "are permitted: "
      + firstFew(differences.map(\.description))
  }
}

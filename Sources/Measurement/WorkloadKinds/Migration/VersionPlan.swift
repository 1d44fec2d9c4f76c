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

    init(name: String, model: Model, hashes: [String: [UInt8]] = [:]) {
      self.name = name
      self.model = model
      self.hashes = hashes
    }

    /// The one version of a model's source, or its current one.
    ///
    /// - Throws: ``MigrationCaseError/noModel(path:count:)``.
    init(_ path: String, in family: ModelFamily) throws {
      let current = family.current.flatMap(family.version(named:))
      guard let version = family.versions.count == 1 ? family.versions.first : current else {
        throw MigrationCaseError.noModel(path: path, count: family.versions.count)
      }
      self.init(
        name: path,
        model: version.model,
        hashes: family.versionHashes[version.name] ?? [:]
      )
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

  /// - Throws: ``MigrationCaseError/chainDiffers(_:)`` where one direct step leads elsewhere.
  func check(against direct: MappingModel) throws {
    guard steps.count > 1 else { return }
    let comparison = ChainComparison(steps: steps.map(\.migration.mapping), direct: direct)
    let differences = comparison.differences
    if !differences.isEmpty { throw MigrationCaseError.chainDiffers(differences) }
  }
}

extension MigrationRoute {
  /// What a chain of migrations makes of every property, beside what one direct step makes of it.
  ///
  /// A version on the way that drops what a later one has again, or gives another default, makes
  /// another store than the direct step: data that the chain loses.
  struct ChainComparison {
    /// Where the values of a property come from.
    private enum Origin: Hashable {
      /// A property of the source, missing values replaced where it became required on the way.
      case former(String, filled: Value?)
      case constant(Value)
    }

    let steps: [MappingModel]
    let direct: MappingModel

    /// One sentence for each property that the chain treats otherwise.
    var differences: [String] {
      direct.entities.flatMap { entity in
        let former = formerEntity(of: entity.destination)
        guard former == entity.source else {
          return [
            "\(entity.destination) comes from \(former ?? "nowhere") by the chain, from "
              + "\(entity.source ?? "nowhere") directly"
          ]
        }
        return former == nil ? [] : properties(of: entity)
      }
    }

    private func formerEntity(of name: String) -> String? {
      steps.reversed().reduce(name as String?) { name, step in
        name.flatMap { step.mapping(to: $0)?.source }
      }
    }

    private func properties(of entity: EntityMapping) -> [String] {
      let attributes = entity.attributes.filter { mapping in
        guard !mapping.destination.isTransient else { return false }
        return origin(of: mapping.destination.name, in: entity.destination, steps)
          != origin(of: mapping.destination.name, in: entity.destination, [direct])
      }
      let relationships = entity.relationships.filter { mapping in
        guard !mapping.destination.isTransient else { return false }
        return formerRelationship(mapping.destination.name, in: entity.destination)
          != mapping.source?.name
      }
      return (attributes.map(\.destination.name) + relationships.map(\.destination.name)).map {
        "'\($0)' of \(entity.destination) has other values"
      }
    }

    private func origin(
      of attribute: String,
      in entity: String,
      _ steps: [MappingModel]
    ) -> Origin? {
      var (name, place) = (attribute, entity)
      var filled: Value?
      for step in steps.reversed() {
        guard let found = step.mapping(to: place),
          let mapping = found.attributes.first(where: { $0.destination.name == name })
        else { return nil }
        // What became required first decides: there is nothing missing after it.
        if mapping.isMadeRequired { filled = mapping.destination.defaultValue }
        guard let former = mapping.source, !former.isTransient, let above = found.source else {
          let value = mapping.destination.defaultValue
          return .constant(value == .null ? filled ?? .null : value)
        }
        (name, place) = (former.name, above)
      }
      return .former(name, filled: filled)
    }

    private func formerRelationship(_ relationship: String, in entity: String) -> String? {
      var (name, place) = (relationship, entity)
      for step in steps.reversed() {
        guard let found = step.mapping(to: place),
          let former = found.relationships.first(where: { $0.destination.name == name })?.source,
          let above = found.source
        else { return nil }
        (name, place) = (former.name, above)
      }
      return name
    }
  }
}

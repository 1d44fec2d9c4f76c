import DataModel
import PersistentStore
import SQLite

/// Gathers the profile of a store, by plain SQL in one transaction.
package struct StoreProfiler {
  private let content: StoreContent
  private let k: Int
  private let progress: (String) -> Void

  /// Profiles an open store; `progress` is told the name of each property before it is read.
  package init(
    _ content: StoreContent,
    k: Int = StoreProfile.smallestK,
    progress: @escaping (String) -> Void = { _ in }
  ) {
    self.content = content
    self.k = max(k, StoreProfile.smallestK)
    self.progress = progress
  }

  /// The profile.
  ///
  /// - Throws: ``PersistentStoreError`` for damaged metadata, and what SQLite says.
  package func profile() throws -> StoreProfile {
    let layout = content.layout
    let metadata = try StoreMetadata(from: content.connection, path: content.store.path)
    let entities = try layout.numbers.entities.filter { !$0.isAbstract }.map { entity in
      try profile(of: entity)
    }
    return StoreProfile(
      k: k,
      model: layout.model,
      flavour: Self.flavour(of: layout),
      frameworkVersion: metadata.frameworkVersion,
      versionIdentifiers: metadata.versionIdentifiers,
      versionHashes: metadata.versionHashes,
      entities: entities,
      history: layout.keepsHistory ? try history() : nil
    )
  }

  /// SwiftData's models have the one configuration `default`, and always history
  /// (coredata-format.md, sections 9 and 14).
  private static func flavour(of layout: StoreLayout) -> Flavour {
    let isSwiftData = layout.keepsHistory && layout.model.configurations.keys.contains("default")
    return isSwiftData ? .swiftData : .coreData
  }

  private func profile(of entity: Entity) throws -> EntityProfile {
    guard let columns = EntityColumns(entity.name, in: content) else {
      return EntityProfile(name: entity.name, objects: nil)
    }
    let objects = try columns.objectCount()
    guard objects >= k else { return EntityProfile(name: entity.name, objects: nil) }
    let profiler = ColumnProfiler(columns: columns, k: k, objects: objects)
    return EntityProfile(
      name: entity.name,
      objects: objects,
      columns: try columns.attributes.map { attribute in
        progress("\(entity.name).\(attribute.name)")
        return try profiler.profile(of: attribute)
      },
      relationships: try columns.relationships.compactMap { relationship in
        progress("\(entity.name).\(relationship.name)")
        return try profile(of: relationship, columns, objects: objects)
      }
    )
  }

  private func profile(
    of relationship: Relationship,
    _ columns: EntityColumns,
    objects: Int
  ) throws -> RelationshipProfile? {
    var profile = RelationshipProfile(name: relationship.name)
    if let targets = try columns.targetCount(relationship) {
      profile.nulls = targets < k ? objects : objects - targets < k ? 0 : objects - targets
    } else if let counts = try columns.fanOut(relationship) {
      profile.fanOut = try NumberBins(k: k, isWhole: true, isDate: false).bins(of: counts).bins
        .filled(to: objects)
    } else {
      return nil
    }
    return profile
  }

  private func history() throws -> HistoryProfile {
    try HistoryProfiler(connection: content.connection, layout: content.layout, k: k).profile()
  }
}

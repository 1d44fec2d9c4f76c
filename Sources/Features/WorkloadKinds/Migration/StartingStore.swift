import Basics
import DataModel
import Foundation
import PersistentStore
import Runner
import SQLite

/// Creates the store that a case starts from, for example with an older model or without
/// duplicates.
struct StartingStore {
  let parameters: MigrationParameters
  let trial: Trial

  func make() throws {
    // Remove the duplicates first, because the older model may already have the constraints.
    if parameters.duplicates == .removed { try change(removeDuplicates) }
    if !parameters.from.isEmpty { try change(bringToOlderModel) }
    if parameters.strategy == .staged { try change(removeVersion) }
    if parameters.archives, trial.recipe != nil { try change(writeArchives) }
  }

  private func change(_ body: (PersistentStore) throws -> Void) throws {
    let store = try trial.open()
    try body(store)
    try store.connection.checkpoint()
  }

  private func mapping(of store: PersistentStore) throws -> MappingModel {
    let last = try MigrationSession.version(at: parameters.to, in: trial, of: store.model)
    return MappingModel(from: store.model, to: last.model)
  }

  /// Replaces the arbitrary bytes in the Transformable attribute of a generated store with
  /// archives.
  private func writeArchives(_ store: PersistentStore) throws {
    let mapping = try mapping(of: store)
    let stage = try CustomStage(parameters, mapping: mapping)
    guard let source = mapping.mapping(to: stage.destinationEntity),
      let former = source.attributes.first(where: {
        $0.destination.name == stage.destinationAttribute
      })?.source?.name,
      let entity = source.source
    else { return }
    let names = try EntityNames(entity, in: store.layout)
    let (table, column) = (names.table, try names.column(former))
    let keys = try store.connection.prepare(
      "SELECT Z_PK FROM \(table) WHERE \(column) IS NOT NULL ORDER BY Z_PK"
    )
    let update = try store.connection.prepare(
      "UPDATE \(table) SET \(column) = ? WHERE Z_PK = ?"
    )
    try store.connection.transaction {
      for key in try keys.map({ $0.integer(at: 0) }) {
        update.bind(try Self.archive(key), at: 1)
        update.bind(key, at: 2)
        try update.run()
      }
    }
  }

  /// An example of a Transformable value: a document's settings, archived by Foundation.
  private static func archive(_ key: Int64) throws -> [UInt8] {
    let settings: NSDictionary = [
      "columns": ["title", "date", "\(key % 7)"], "isPinned": key % 2 == 0,
      "zoom": Double(key % 40) / 4 + 0.125, "opened": Date(timeIntervalSinceReferenceDate: 7e8),
      "author": NSNull(), "count": Int(key),
    ]
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: settings,
      requiringSecureCoding: false
    )
    return [UInt8](data)
  }

  /// Removes the version identifiers, as in an app that does not use versions yet.
  private func removeVersion(_ store: PersistentStore) throws {
    var model = store.model
    model.versionIdentifiers = [""]
    try MigrationRoute(
      from: store.layout,
      through: [VersionPlan.Version(name: "", model: model)],
      shape: .inPlace
    ).run(on: store)
  }

  /// Rebuilds the store with an older model, as if it had always had that model.
  private func bringToOlderModel(_ store: PersistentStore) throws {
    let version = try MigrationSession.version(at: parameters.from, in: trial, of: store.model)
    let migration = try LightweightMigration(
      from: store.layout,
      to: version.model,
      shape: .rebuild
    )
    try migration.run(on: store.connection, path: trial.store.path)
    try store.connection.execute("VACUUM")
  }

  private func removeDuplicates(_ store: PersistentStore) throws {
    try ObjectDeduplication(
      context: ObjectContext(store: store),
      constraints: UniqueConstraint.added(by: mapping(of: store), parameters),
      children: .moved,
      saves: SavePolicy(parameters)
    ).run()
  }
}

/// A model with one additional optional attribute, the smallest change that a release makes.
///
/// It is written as `+ENTITY` instead of a model's path, and can be used with every store.
struct AdditiveVersion {
  static let prefix = "+"

  let model: Model

  /// Parses `+ENTITY`; returns `nil` if the string is the path of a model.
  ///
  /// - Throws: ``Refusal`` for an unknown entity.
  init?(_ text: String, of model: Model) throws {
    guard text.hasPrefix(Self.prefix) else { return nil }
    let name = String(text.dropFirst(Self.prefix.count))
    guard let index = model.entities.firstIndex(where: { $0.name == name }) else {
      throw Refusal.unknownEntity(name, in: model)
    }
    let taken = Set(
      model.entities.flatMap { $0.attributes.map(\.name) + $0.relationships.map(\.name) }
    )
    var attribute = "addition"
    while taken.contains(attribute) { attribute += "More" }
    var entities = model.entities
    entities[index].attributes.append(Attribute(name: attribute, type: .string))
    self.model = Model(
      entities: entities,
      versionIdentifiers: model.versionIdentifiers,
      configurations: model.configurations
    )
  }
}

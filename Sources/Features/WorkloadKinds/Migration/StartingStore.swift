import Basics
import DataModel
import Foundation
import PersistentStore
import Runner
import SQLite

/// Makes the store that a case starts from: at an older model, or without duplicates.
struct StartingStore {
  let parameters: MigrationParameters
  let trial: Trial

  func make() throws {
    // The older model may have the constraints already.
    if parameters.duplicates == .removed { try removeDuplicates() }
    if !parameters.from.isEmpty { try bring(to: parameters.from) }
    if parameters.strategy == .staged { try removeVersion() }
    if parameters.archives, trial.recipe != nil { try writeArchives() }
  }

  /// Puts archives into the Transformable attribute of a generated store, which has bytes there
  /// that mean nothing.
  private func writeArchives() throws {
    let store = try MigrationSession.open(trial.store, of: trial)
    let model = try MigrationSession.version(at: parameters.to, in: trial, of: store.model).model
    let mapping = MappingModel(from: store.model, to: model)
    let stage = try CustomStage(parameters, mapping: mapping)
    guard let source = mapping.mapping(to: stage.destinationEntity),
      let former = source.attributes.first(where: {
        $0.destination.name == stage.destinationAttribute
      })?.source?.name,
      let entity = source.source, let table = store.layout.table(of: entity)?.name,
      let column = store.layout.column(of: former, in: entity)?.name
    else { return }
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
    try store.connection.checkpoint()
  }

  /// What an app keeps in a Transformable: settings of a document, by Foundation's own archiver.
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

  /// Makes the store one of an app that has not thought of versions yet.
  private func removeVersion() throws {
    let store = try MigrationSession.open(trial.store, of: trial)
    var model = store.model
    model.versionIdentifiers = [""]
    try MigrationRoute(
      from: store.layout,
      through: [VersionPlan.Version(name: "", model: model)],
      shape: .inPlace
    ).run(on: store)
    try store.connection.checkpoint()
  }

  /// Rebuilds the store at a model, so that it looks as if it had always had it.
  private func bring(to path: String) throws {
    let store = try MigrationSession.open(trial.store, of: trial)
    let model = try MigrationSession.version(at: path, in: trial, of: store.model).model
    let migration = try LightweightMigration(from: store.layout, to: model, shape: .rebuild)
    try migration.run(on: store.connection, path: trial.store.path)
    try store.connection.execute("VACUUM")
    try store.connection.checkpoint()
  }

  private func removeDuplicates() throws {
    let store = try MigrationSession.open(trial.store, of: trial)
    let model = try MigrationSession.version(at: parameters.to, in: trial, of: store.model)
      .model
    let constraints = try UniqueConstraint.added(
      by: MappingModel(from: store.model, to: model),
      parameters
    )
    try ObjectDeduplication(
      context: ObjectContext(store: store),
      constraints: constraints,
      children: .moved,
      saves: SavePolicy(parameters)
    ).run()
    try store.connection.checkpoint()
  }
}

/// A model with one optional attribute more, the smallest change that a release makes.
///
/// Written `+ENTITY` where a model's path may stand: every store has such a version.
struct AdditiveVersion {
  static let prefix = "+"

  let model: Model

  /// `nil` where the text is a path and no such version.
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

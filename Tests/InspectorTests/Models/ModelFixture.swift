import DataModel
import Foundation
import Inspector
import PersistentStore
import SQLite

/// A folder with models and stores, removed when the fixture is released.
final class ModelFixture {
  let folder: String

  init() throws {
    folder = NSTemporaryDirectory() + "storebench-models-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Writes and reads a model file with the given entities.
  func model(_ name: String, _ entities: Entity..., configurations: [String: [String]] = [:]) throws
    -> ModelInput
  {
    let path = folder + "/" + name + ".yaml"
    let model = Model(entities: entities, versionIdentifiers: ["1"], configurations: configurations)
    try ModelWriter.text(of: model).write(toFile: path, atomically: true, encoding: .utf8)
    return try ModelInput.read(path: path)
  }

  /// Makes a store and runs SQL statements on it.
  func store(
    _ name: String,
    _ entities: [Entity],
    hashes: [String: [UInt8]] = [:],
    configurations: [String: [String]] = [:],
    history: Bool = false,
    _ statements: String...
  ) throws -> ModelInput {
    let path = folder + "/" + name
    do {
      let model = Model(entities: entities, configurations: configurations)
      let store = try PersistentStore.create(
        at: path,
        model: model,
        metadata: StoreMetadata(
          uuid: "00000000-0000-0000-0000-000000000000",
          versionIdentifiers: [""],
          versionHashes: hashes
        ),
        options: PersistentStore.Options(keepsHistory: history)
      )
      for statement in statements { try store.connection.execute(statement) }
    }
    return try ModelInput.read(path: path)
  }

  static func hash(_ byte: UInt8) -> [UInt8] { Array(repeating: byte, count: 32) }

  static let note = Entity(
    name: "Note",
    attributes: [
      Attribute(name: "title", type: .string), Attribute(name: "stars", type: .integer16),
    ],
    relationships: [Relationship(name: "folder", destination: "Folder", inverse: "notes")]
  )
  static let folderEntity = Entity(
    name: "Folder",
    relationships: [
      Relationship(name: "notes", destination: "Note", inverse: "folder", isToMany: true)
    ]
  )
}

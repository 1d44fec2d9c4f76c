import DataModel
import Foundation
import PersistentStore
import Runner
import SQLite

extension BlobPlaces {
  /// Migrates a copy of the workload's own store to the case's model, and moves its blobs to the
  /// locations chosen by the case.
  ///
  /// All strategies take the same steps, and the store is compacted at the end. Therefore, all
  /// compared cases start with the same number of free pages.
  func move(_ trial: Trial) throws {
    let own = try PersistentStore.open(trial.original, mode: trial.original.restingMode)
    try removeExternalFiles(own, of: trial.store)
    let emptied = Self.model(given, all, isEmptied: true)
    for model in [emptied, model] {
      let store = try trial.open()
      try LightweightMigration(from: store.layout, to: model)
        .run(on: store.connection, path: trial.store.path)
    }
    let store = try PersistentStore.open(
      trial.store,
      mode: .readWrite,
      options: PersistentStore.Options(settings: trial.settings, seed: trial.seed ^ 0x6d6f_7665)
    )
    for blob in all { try fill(blob, of: store, from: own) }
    try store.connection.execute("VACUUM")
    try store.connection.checkpoint()
  }

  private func fill(_ blob: KeptBlob, of store: PersistentStore, from own: PersistentStore) throws {
    let names = try EntityNames(blob.entity, in: own.layout)
    let rows = try own.connection.prepare(
      "SELECT Z_PK FROM \(names.table) "
        + "WHERE Z_ENT IN (\(own.layout.numberList(ofFamily: blob.entity))) ORDER BY Z_PK"
    )
    var keys: [Int64] = []
    while try rows.step() { keys.append(rows.integer(at: 0)) }
    let (source, target) = (try ObjectContext(store: own), try ObjectContext(store: store))
    var files = BlobFiles(appFilesOf: store)
    for some in keys.chunks(of: 100) {
      let (objects, moved) = (
        try source.load(blob.entity, Array(some)), try target.load(blob.entity, Array(some))
      )
      for (object, moved) in zip(objects, moved) {
        try moved.setBlob(try object.value(of: blob.attribute), of: blob, &files)
      }
      try target.save()
      target.reset()
      source.reset()
    }
  }

  /// Removes the external files of attributes that the migration sets to nil, because no row refers
  /// to the files afterwards.
  private func removeExternalFiles(_ own: PersistentStore, of copy: StoreFile) throws {
    for blob in all {
      let names = try EntityNames(blob.entity, in: own.layout)
      guard
        case .attribute(let attribute)? = own.layout.column(
          of: blob.attribute,
          in: blob.entity
        )?.content, attribute.allowsExternalStorage
      else { continue }
      let column = try names.column(blob.attribute)
      let rows = try own.connection.prepare(
        "SELECT \(column) FROM \(names.table) WHERE substr(\(column), 1, 1) = x'02'"
      )
      while try rows.step() {
        guard case .blob(let bytes) = rows.value(at: 0),
          let name = ExternalStorage.fileName(in: bytes)
        else { continue }
        try? FileManager.default.removeItem(atPath: copy.externalDataFolder + "/" + name)
      }
    }
  }
}

extension ManagedObject {
  /// Writes an object's blob to the location that its strategy uses, and replaces the previous
  /// blob.
  func setBlob(_ value: Value, of blob: KeptBlob, _ files: inout BlobFiles) throws {
    guard case .blob(let bytes) = value else { return }
    switch blob.strategy {
    case .inline, .externalStorage: try setValue(value, of: blob.attribute)
    case .file:
      if case .text(let former) = try self.value(of: blob.attribute) { files.abandon(former) }
      try setValue(.text(files.write(bytes)), of: blob.attribute)
    case .separateEntity:
      if let holder = try target(of: blob.attribute) {
        return try holder.setValue(value, of: BlobScenario.data)
      }
      let holder = try context.insert(blob.holder)
      try holder.setValue(value, of: BlobScenario.data)
      try setTarget(holder, of: blob.attribute)
    }
  }

  /// Reads an object's blob, or its first bytes, from the location that its strategy uses.
  ///
  /// From a file, only these bytes are read.
  func blob(of blob: KeptBlob, _ files: inout BlobFiles, upTo limit: Int? = nil) throws -> Value {
    let value: Value
    switch blob.strategy {
    case .inline, .externalStorage: value = try self.value(of: blob.attribute)
    case .file:
      guard case .text(let name) = try self.value(of: blob.attribute) else { return .null }
      return .blob(try files.read(name, upTo: limit))
    case .separateEntity:
      value = try target(of: blob.attribute)?.value(of: BlobScenario.data) ?? .null
    }
    guard let limit, case .blob(let bytes) = value else { return value }
    return .blob(Array(bytes.prefix(limit)))
  }
}

extension BlobFiles {
  /// Opens the folder of the app's own files next to a store; like the files of external storage,
  /// they are not synced.
  init(appFilesOf store: PersistentStore) {
    self.init(folder: store.file.filesFolder, isDurable: false, identifiers: store.identifiers)
  }
}

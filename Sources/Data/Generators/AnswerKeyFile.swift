import Foundation
import PersistentStore
import SQLite

/// A list beside a generated store that says what was put into it on purpose.
package enum AnswerKeyFile: String, CaseIterable, Hashable, Sendable {
  case duplicates
  case dirty

  /// `NAME.duplicates.csv` or `NAME.dirty.csv`, without the store's extension.
  package func path(of file: StoreFile) -> String {
    let name = URL(fileURLWithPath: file.path).deletingPathExtension().lastPathComponent
    return "\(file.folder)/\(name).\(rawValue).csv"
  }

  /// Makes the defects of a written store's files and keys, and writes the lists there are.
  static func write(for dataset: Dataset, of store: StoreFile) throws -> [AnswerKeyFile] {
    var written: [AnswerKeyFile] = []
    let duplicates = AnswerKey(dataset, gone: try goneKeys(of: dataset, store))
    if duplicates.isNeeded {
      try AnswerKeyFile.duplicates.write(duplicates.csv(), of: store)
      written.append(.duplicates)
    }
    if dataset.recipe.isDirty {
      let others = try StoreDefects.make(of: dataset, in: store)
      try dirty.write(DefectList(dataset, and: others).csv, of: store)
      written.append(.dirty)
    }
    return written
  }

  private func write(_ text: String, of store: StoreFile) throws {
    var text = text
    var files = FileBytes()
    try text.withUTF8 {
      try files.write(UnsafeRawBufferPointer($0), to: path(of: store), durable: false)
    }
  }

  /// The objects with copies that ageing has deleted, by entity.
  private static func goneKeys(
    of dataset: Dataset,
    _ store: StoreFile
  ) throws -> [String: Set<Int64>] {
    guard dataset.recipe.age != nil else { return [:] }
    let connection = try StoreContent(store: store, layout: dataset.layout).connection
    var gone: [String: Set<Int64>] = [:]
    for entity in dataset.entities {
      guard let clusters = entity.duplicates, let table = dataset.layout.table(of: entity.name)
      else { continue }
      let exists = try connection.prepare("SELECT 1 FROM \(table.name) WHERE Z_PK = ?")
      for row in clusters.clusters.joined() {
        exists.bind(entity.primaryKey(row: row), at: 1)
        if try exists.step() {
          exists.reset()
        } else {
          gone[entity.name, default: []].insert(entity.primaryKey(row: row))
        }
      }
    }
    return gone
  }
}

import Foundation
import PersistentStore
import SQLite

/// Looks at a case's store and files by plain SQL and plain files.
struct BlobInspection {
  let store: StoreFile
  let layout: StoreLayout
  let expectation: BlobExpectation

  private var model: BlobModel { expectation.model }

  /// One sentence for each thing that is not as expected.
  func problems(since start: StoreFile) throws -> [String] {
    let expected = try expectation.content(StoreContent(store: start, layout: layout))
    var problems = try StoreInspection(store: store, layout: layout)
      .problems(expecting: expected) { comparison in
        comparison.comparesVersions = true
        if model.strategy == .file {
          comparison.ignoredProperties = [model.entity: [model.blob]]
        }
      }
    guard problems.isEmpty else { return problems }
    let content = try StoreContent(store: store, layout: layout)
    problems += try fileProblems(content)
    problems += try placeProblems()
    return problems
  }

  /// What is wrong with the app's own files: each object has its own, and nothing else is there.
  private func fileProblems(_ content: StoreContent) throws -> [String] {
    var found = Findings<String>(limit: 5)
    var owners: [String: Int64] = [:]
    if model.strategy == .file {
      let cursor = try content.objects(of: model.entity)
      while let object = try cursor.next() {
        guard case .text(let name)? = object[model.blob] else {
          found.add("\(object.reference) has no path")
          continue
        }
        if let other = owners.updateValue(object.key, forKey: name) {
          found.add("\(object.reference) has the file of \(model.entity) \(other)")
        }
        let value = BlobContent.value(ofFile: name, in: store.filesFolder)
        let expected = ContentValue.blob(expectation.blob(of: object.key))
        if value != expected {
          found.add("\(object.reference) has \(value) where \(expected) is expected")
        }
      }
    }
    let files = (try? FileManager.default.contentsOfDirectory(atPath: store.filesFolder)) ?? []
    for name in files.sorted() where owners[name] == nil {
      found.add("no object has the file '\(name)'")
    }
    return found.sentences
  }

  /// Whether external storage keeps the blobs where its threshold says.
  private func placeProblems() throws -> [String] {
    guard model.strategy == .externalStorage,
      let table = layout.table(of: model.entity)?.name,
      let column = layout.column(of: model.blob, in: model.entity)?.name
    else { return [] }
    let connection = try store.plainConnection()
    let inFiles =
      try connection.integer(
        "SELECT count(*) FROM \(table) WHERE substr(\(column), 1, 1) = x'02'"
      ) ?? 0
    let expected = expectation.parameters.usesExternalFiles ? expectation.keys.count : 0
    guard inFiles != expected else { return [] }
    return ["\(inFiles) blobs are in external files where \(expected) are expected"]
  }

  /// The digest of all objects with their blobs, wherever a strategy keeps them.
  func digest() throws -> String {
    let content = try StoreContent(store: store, layout: layout)
    let shape = model.digestShape(withBlob: true)
    let cursor = try content.objects(of: model.entity)
    var list = ListDigest()
    while let object = try cursor.next() {
      var digest = ObjectDigest(shape, key: object.key)
      for property in shape.properties {
        let value = object[property] ?? .null
        digest.add(property == model.blob ? try blob(value, content) : value)
      }
      list.add(digest.value)
    }
    return list.unordered
  }

  private func blob(_ value: ContentValue, _ content: StoreContent) throws -> ContentValue {
    switch (model.strategy, value) {
    case (.inline, _), (.externalStorage, _): value
    case (.file, .text(let name)): BlobContent.value(ofFile: name, in: store.filesFolder)
    case (.separateEntity, .object(let target)):
      try content.object(key: target.key, in: content.table(of: target.entity))?[BlobModel.data]
        ?? .null
    default: .null
    }
  }
}

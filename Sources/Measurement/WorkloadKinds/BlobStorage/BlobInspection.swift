import Foundation
import PersistentStore
import SQLite

/// Looks at a case's store and files by plain SQL and plain files.
struct BlobInspection {
  let store: StoreFile
  let layout: StoreLayout
  let expectation: BlobExpectation

  private var model: BlobModel { expectation.model }

  /// The app's own files, where it keeps some, are the content of the attribute that names them.
  private var pathAttributes: Set<PathAttribute> {
    model.strategy == .file ? [PathAttribute(entity: model.entity, attribute: model.blob)] : []
  }

  /// One sentence for each thing that is not as expected.
  func problems(since start: StoreFile) throws -> [String] {
    let content = try StoreContent(store: start, layout: layout, pathAttributes: pathAttributes)
    var inspection = StoreInspection(store: store, layout: layout)
    inspection.pathAttributes = pathAttributes
    inspection.toleratesOldFaults = false
    let problems = try inspection.problems(expecting: expectation.content(content)) {
      $0.comparesVersions = true
    }
    return try problems.isEmpty ? strayFileProblems() + placeProblems() : problems
  }

  /// The audit looks at the app's files only where there should be some.
  private func strayFileProblems() -> [String] {
    guard model.strategy != .file else { return [] }
    let files = (try? FileManager.default.contentsOfDirectory(atPath: store.filesFolder)) ?? []
    return files.isEmpty ? [] : ["\(files.count) files are where the app keeps none"]
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
    let content = try StoreContent(store: store, layout: layout, pathAttributes: pathAttributes)
    let shape = model.digestShape(withBlob: true)
    let cursor = try content.objects(of: model.entity)
    var list = ListDigest()
    while let object = try cursor.next() {
      var digest = ObjectDigest(shape, key: object.key)
      for property in shape.properties {
        digest.add(try content.reached(object[property] ?? .null))
      }
      list.add(digest.value)
    }
    return list.unordered
  }
}

extension StoreContent {
  /// The blob in a row of its own that a reference leads to; any other value itself.
  fileprivate func reached(_ value: ContentValue) throws -> ContentValue {
    guard case .object(let target) = value else { return value }
    return try object(key: target.key, in: table(of: target.entity))?[BlobModel.data] ?? .null
  }
}

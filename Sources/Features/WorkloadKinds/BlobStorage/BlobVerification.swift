import DataModel
import Foundation
import PersistentStore
import Runner
import SQLite

extension BlobStorageWorkload {
  func evidence(_ session: BlobSession, _ trial: Trial) -> Evidence? {
    Evidence(
      stores: [trial.store, session.copy],
      facts: Set(session.digests.map(\.unordered)).sorted()
    )
  }

  func outcome(
    of session: BlobSession,
    _ expected: ExpectedStore,
    _ content: BlobScenario
  ) throws -> Outcome {
    if content.strategy == .file {
      // With the strategy `file`, the attribute contains a path, so compare the bytes of the file.
      expected.inspection.pathAttributes = [
        PathAttribute(entity: content.entity, attribute: content.blob)
      ]
    }
    try ExpectedBlobs(expected, content).change(parameters.keys(seed: content.seed))
    var outcome = Outcome(notes: ["the blob as its '\(content.blob)'"])
    let left = BlobInspection(store: expected.trial.store, expected: expected, content: content)
    outcome.problems = try left.problems()
    outcome.digest = { try left.digest() }
    if parameters.operation == .copyStore {
      let copy = BlobInspection(store: session.copy, expected: expected, content: content)
      outcome.problems += try copy.allProblems().map { "the copy: \($0)" }
      outcome.digest = { try copy.digest() }
    } else if !parameters.operation.writes {
      let start = BlobInspection(store: expected.trial.start, expected: expected, content: content)
      let reading = try start.reading(of: session.keys).unordered
      for (index, digest) in session.digests.enumerated() where digest.unordered != reading {
        outcome.problems.append(
          "iteration \(index + 1) has read different values than the objects have"
        )
      }
      outcome.digest = { reading }
    }
    return outcome
  }
}

private struct ExpectedBlobs {
  let expected: ExpectedStore
  let content: BlobScenario
  let names: EntityNames
  let holders: EntityNames?
  let blobs: SeededBlobs
  let rows: SeededRow

  init(_ expected: ExpectedStore, _ content: BlobScenario) throws {
    (self.expected, self.content) = (expected, content)
    names = try EntityNames(content.entity, in: expected.layout)
    holders =
      content.strategy == .separateEntity
      ? try EntityNames(content.blobEntity, in: expected.layout) : nil
    (blobs, rows) = (content.blobs, content.rows)
  }

  func change(_ keys: [Int64]) throws {
    switch content.parameters.operation {
    case .insert: for key in keys { try insert(key) }
    case .update: for key in keys { try update(key) }
    case .updateOther:
      for key in keys {
        let value = rows.counterValue(of: key, version: 1)
        try expected.set([(content.plain.counter, value)], of: key, in: names)
      }
    case .delete:
      let list = keys.map(String.init).joined(separator: ", ")
      for table in [names.table, holders?.table].compactMap(\.self) {
        try expected.change("DELETE FROM \(table) WHERE Z_PK IN (\(list))")
      }
    case .readOne, .readPrefix, .readMany, .list, .copyStore: break
    }
  }

  private func insert(_ key: Int64) throws {
    var values: [PropertyValue] = content.plain.attributes.map {
      ($0.name, rows.value(of: $0, key: key))
    }
    if let holders {
      values.append((content.blob, .integer(key)))
      let blob = try stored(key, version: 0)
      try expected.insert(
        key,
        [(BlobScenario.data, blob), (BlobScenario.owner, .integer(key))],
        in: holders
      )
    } else {
      values.append((content.blob, try stored(key, version: 0)))
    }
    try expected.insert(key, values, in: names)
  }

  private func update(_ key: Int64) throws {
    let property = holders == nil ? content.blob : BlobScenario.data
    try expected.set([(property, stored(key, version: 1))], of: key, in: holders ?? names)
  }

  /// The value that a blob's column must have.
  ///
  /// External storage may keep any blob in the row.
  private func stored(_ key: Int64, version: Int) throws -> Value {
    let bytes = blobs.bytes(of: key, version: version)
    switch content.strategy {
    case .inline, .separateEntity: return .blob(bytes)
    case .externalStorage: return .blob([1] + bytes)
    case .file:
      let name = "expected-\(key)-\(version)"
      try expected.write(bytes, toFile: name)
      return .text(name)
    }
  }
}

private struct BlobInspection {
  let store: StoreFile
  let expected: ExpectedStore
  let content: BlobScenario

  func problems() throws -> [String] { try strayFileProblems() + placeProblems() }

  /// All problems of a store that must equal the trial's starting store.
  func allProblems() throws -> [String] {
    guard store.exists else { return ["it does not exist"] }
    let inspection = expected.inspection
    defer { expected.inspection = inspection }
    expected.inspection.store = store
    let problems = try expected.problems()
    return problems.isEmpty ? try self.problems() : problems
  }

  /// The audit checks the app's files only for the strategy `file`, so check here that other
  /// strategies leave no files.
  private func strayFileProblems() -> [String] {
    guard content.strategy != .file else { return [] }
    let files = (try? FileManager.default.contentsOfDirectory(atPath: store.filesFolder)) ?? []
    return files.isEmpty ? [] : ["\(files.count) files are in a place where the app keeps no files"]
  }

  /// Reports blobs that external storage keeps on the wrong side of its threshold.
  private func placeProblems() throws -> [String] {
    guard content.strategy == .externalStorage else { return [] }
    let names = try EntityNames(content.entity, in: expected.layout)
    let column = try names.column(content.blob)
    let isInRow = content.parameters.usesExternalFiles ? "<>" : "="
    let misplaced = try store.plainConnection().integer(
      "SELECT count(*) FROM \(names.table) WHERE (substr(\(column), 1, 1) = x'02') \(isInRow) 1"
    )
    guard let misplaced, misplaced > 0 else { return [] }
    let place = content.parameters.usesExternalFiles ? "in the row" : "in external files"
    return ["\(misplaced) blobs are \(place)"]
  }

  private func stored() throws -> StoreContent {
    try StoreContent(
      store: store,
      layout: expected.layout,
      pathAttributes: expected.inspection.pathAttributes
    )
  }

  /// The digest of all objects with their blobs, which must be the same for every strategy.
  func digest() throws -> String {
    let stored = try stored()
    let cursor = try stored.objects(of: content.entity)
    let shape = content.digestShape(withBlob: true)
    var list = ListDigest()
    while let object = try cursor.next() { list.add(try stored.digest(of: object, shape)) }
    return list.unordered
  }

  func reading(of keys: [Int64]) throws -> ListDigest {
    let stored = try stored()
    let table = try stored.table(of: content.entity)
    let shape = content.digestShape(withBlob: content.parameters.operation != .list)
    let blobs = content.parameters.operation == .readPrefix ? content.blobs : nil
    var list = ListDigest()
    for key in keys {
      guard let object = try stored.object(key: key, in: table) else { continue }
      let prefix = blobs?.bytes(of: key).prefix(content.parameters.prefixBytes)
      let blob = prefix.map {
        (property: content.blob, value: BlobFingerprint(of: Array($0)))
      }
      list.add(try stored.digest(of: object, shape, blob))
    }
    return list
  }
}

extension StoreContent {
  /// The digest of an object's values.
  ///
  /// If `blob` is given, it replaces the value of its property; a reference is replaced with the
  /// blob of the object that it refers to.
  func digest(
    of object: ContentObject,
    _ shape: ObjectDigest.Shape,
    _ blob: (property: String, value: BlobFingerprint)? = nil
  ) throws -> UInt64 {
    var digest = ObjectDigest(shape, key: object.key)
    for property in shape.properties {
      if let blob, blob.property == property {
        digest.add(.blob(blob.value))
      } else {
        digest.add(try reached(object[property] ?? .null))
      }
    }
    return digest.value
  }

  /// The blob in the separate row that a reference refers to; other values are returned unchanged.
  private func reached(_ value: ContentValue) throws -> ContentValue {
    guard case .object(let target) = value else { return value }
    return try object(key: target.key, in: table(of: target.entity))?[BlobScenario.data] ?? .null
  }
}

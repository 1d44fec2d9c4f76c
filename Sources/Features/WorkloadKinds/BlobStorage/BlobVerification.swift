import DataModel
import Foundation
import PersistentStore
import Runner
import SQLite

extension BlobStorageWorkload {
  package func evidence(_ session: BlobSession, _ trial: Trial) -> Evidence? {
    Evidence(
      stores: [trial.store] + [session.copy].compactMap(\.self),
      facts: Set(session.digests.map(\.unordered)).sorted()
    )
  }

  package func verify(_ session: BlobSession, _ trial: Trial) throws -> Verification {
    let model = try model(for: trial)
    let expectation = BlobExpectation(parameters, model, seed: trial.seed)
    let inspection = BlobInspection(
      store: trial.store,
      layout: StoreLayout(model: model.model, keepsHistory: false),
      expectation: expectation
    )
    var problems = try inspection.problems(since: trial.start)
    let reading = expectation.reading(in: session.keys)
    if onlyReads {
      for (index, digest) in session.digests.enumerated()
      where digest.unordered != reading.unordered {
        problems.append("iteration \(index + 1) has read different values than the objects have")
      }
    }
    if parameters.operation == .copyStore, problems.isEmpty {
      return try verifyCopy(session, trial, expectation, inspection)
    }
    guard problems.isEmpty else { throw VerificationFailure(problems) }
    return Verification(
      digest: onlyReads ? reading.unordered : try inspection.digest(),
      notes: ["objects shaped as '\(model.entity)', the blob as its '\(model.blob)'"]
    )
  }
}

extension BlobStorageWorkload {
  /// Looks at the copy as at a store: it must have all objects and all blobs.
  private func verifyCopy(
    _ session: BlobSession,
    _ trial: Trial,
    _ expectation: BlobExpectation,
    _ original: BlobInspection
  ) throws -> Verification {
    guard let copy = session.copy, copy.exists else {
      throw VerificationFailure(["there is no copy of the store"])
    }
    let inspection = BlobInspection(
      store: copy,
      layout: original.layout,
      expectation: expectation
    )
    let problems = try inspection.problems(since: trial.start)
    guard problems.isEmpty else { throw VerificationFailure(problems.map { "the copy: \($0)" }) }
    return Verification(digest: try inspection.digest())
  }
}

/// What a case must have read or left behind, computed from the seed alone.
struct BlobExpectation {
  let parameters: BlobParameters
  let model: BlobModel
  private let blobs: SeededBlobs
  private let rows: SeededRow
  private let named: Set<Int64>

  init(_ parameters: BlobParameters, _ model: BlobModel, seed: UInt64) {
    self.parameters = parameters
    self.model = model
    blobs = SeededBlobs(seed: seed, size: parameters.size)
    rows = SeededRow(seed: seed, model: model)
    named = Set(parameters.keys(seed: seed))
  }

  /// The keys of all objects that are there at the end.
  var keys: [Int64] {
    let isGone = { (key: Int64) in parameters.operation == .delete && named.contains(key) }
    return (1...Int64(parameters.objects)).filter { !isGone($0) }
  }

  private func isChanged(_ key: Int64, by operation: BlobParameters.Operation) -> Bool {
    parameters.operation == operation && named.contains(key)
  }

  /// What is read of a blob.
  private func readBlob(of key: Int64) -> BlobFingerprint {
    guard parameters.operation == .readPrefix else { return blob(of: key) }
    return BlobFingerprint(of: Array(blobs.bytes(of: key).prefix(parameters.prefixBytes)))
  }

  func blob(of key: Int64) -> BlobFingerprint {
    BlobFingerprint(of: blobs.bytes(of: key, version: isChanged(key, by: .update) ? 1 : 0))
  }

  /// The values of the plain attributes by name.
  private func values(of key: Int64) -> [(name: String, value: Value)] {
    model.attributes.map { attribute in
      if attribute.name == model.counter, isChanged(key, by: .updateOther) {
        return (attribute.name, rows.counterValue(of: key, version: 1))
      }
      return (attribute.name, rows.value(of: attribute, key: key))
    }
  }

  /// All that the store must hold; `start` lends its layout only.
  func content(_ start: StoreContent) throws -> ExpectedContent {
    var expected = ExpectedContent(from: start)
    for entity in model.model.entities { try expected.remove(entity.name) { _ in true } }
    for key in keys { expected.add(try objects(of: key, in: expected)) }
    return expected
  }

  private func objects(of key: Int64, in content: ExpectedContent) throws -> [ContentObject] {
    var object = try content.makeObject(model.entity, key: key)
    for (name, value) in values(of: key) { try object.set(name, ContentValue(value)) }
    let blob = ContentValue.blob(blob(of: key))
    let touchesObject = model.strategy != .separateEntity
    object.version = version(
      isChanged(key, by: .updateOther) || touchesObject && isChanged(key, by: .update)
    )
    guard model.strategy == .separateEntity else {
      try object.set(model.blob, blob)
      return [object]
    }
    var holder = try content.makeObject(model.blobEntity, key: key)
    holder.version = version(isChanged(key, by: .update))
    try holder.set(BlobModel.data, blob)
    try holder.set(BlobModel.owner, .object(object.reference))
    try object.set(model.blob, .object(holder.reference))
    return [object, holder]
  }

  private func version(_ isChanged: Bool) -> ContentValue { .integer(isChanged ? 2 : 1) }

  /// The digest of what one iteration must have read.
  func reading(in order: [Int64]) -> ListDigest {
    let withBlob = parameters.operation != .list
    let shape = model.digestShape(withBlob: withBlob)
    var list = ListDigest()
    for key in order {
      var digest = ObjectDigest(shape, key: key)
      let values = Dictionary(uniqueKeysWithValues: values(of: key).map { ($0.name, $0.value) })
      for property in shape.properties {
        digest.add(values[property].map { ContentValue($0) } ?? .blob(readBlob(of: key)))
      }
      list.add(digest.value)
    }
    return list
  }
}

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
    return files.isEmpty ? [] : ["\(files.count) files are in a place where the app keeps no files"]
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
    return ["\(inFiles) blobs are in external files, but \(expected) are expected"]
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

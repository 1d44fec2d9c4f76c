import DataModel
import PersistentStore

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

  private func isChanged(_ key: Int64, by operation: BlobOperation) -> Bool {
    parameters.operation == operation && named.contains(key)
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
        digest.add(values[property].map { ContentValue($0) } ?? .blob(blob(of: key)))
      }
      list.add(digest.value)
    }
    return list
  }
}

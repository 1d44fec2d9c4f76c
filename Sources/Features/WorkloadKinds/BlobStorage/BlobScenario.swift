import Basics
import DataModel
import PersistentStore
import Runner

/// One entity of a store with its attributes and one blob, stored as the strategy requires.
///
/// Relationships, constraints and indexes are omitted, so that only the location of the blob
/// affects the cost.
struct BlobScenario: Scenario {
  let plain: PlainEntity
  let parameters: BlobParameters
  let seed: UInt64
  /// The attribute that contains the blob or its file's path or, for a separate entity, the
  /// relationship to the blob's row.
  let blob: String

  var blobEntity: String { entity + "Blob" }
  static let data = "data"
  static let owner = "owner"

  init(_ model: Model, _ parameters: BlobParameters, seed: UInt64) throws {
    let entity = try model.knownEntity(parameters.entity)
    blob = try Self.blob(parameters.attribute, of: entity, in: model)
    plain = try PlainEntity(model, entity: entity.name, but: blob)
    (self.parameters, self.seed) = (parameters, seed)
  }

  var strategy: BlobParameters.Strategy { parameters.strategy }
  var blobs: SeededBlobs { SeededBlobs(seed: seed, size: parameters.size) }

  /// Checks and returns the name of a binary attribute; returns `blob` if the name is empty.
  ///
  /// - Throws: ``Refusal`` if the entity has no such attribute.
  static func blob(_ name: String, of entity: Entity, in model: Model) throws -> String {
    if name.isEmpty { return "blob" }
    let binary = binaryAttributes(of: entity, in: model)
    if binary.contains(name) { return name }
    throw Refusal(
      .badInput,
      "entity '\(entity.name)' has no binary attribute '\(name)'"
        + (binary.isEmpty ? ": leave it out to add one" : nameHint(name, among: binary))
    )
  }

  static func binaryAttributes(of entity: Entity, in model: Model) -> [String] {
    model.attributes(of: entity).filter { $0.type == .binary && !$0.isTransient }.map(\.name)
  }

  var kept: KeptBlob {
    KeptBlob(entity: entity, attribute: blob, strategy: strategy, holder: blobEntity)
  }

  var model: Model {
    let object = Entity(
      name: entity,
      attributes: plain.attributes + [Attribute(name: blob, type: .binary)]
    )
    return BlobPlaces.model(Model(entities: [object]), [kept], isEmptied: false)
  }

  func digestShape(withBlob: Bool) -> ObjectDigest.Shape {
    ObjectDigest.Shape(entity: entity, properties: properties(withBlob: withBlob))
  }

  /// The names of the properties, sorted bytewise, as a digest requires.
  func properties(withBlob: Bool) -> [String] {
    (plain.attributes.map(\.name) + (withBlob ? [blob] : []))
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}

import DataModel
import PersistentStore

/// One entity of a store with its plain attributes and one blob, kept as a strategy keeps it.
///
/// Relationships, constraints and indexes are left out: what the blob's place costs is to be seen.
struct BlobModel: Sendable {
  let strategy: BlobStrategy
  let entity: String
  /// The attribute, or for a separate entity the relationship, that leads to the blob.
  let blob: String
  /// The other attributes, in name order.
  let attributes: [Attribute]
  /// The attribute that an update of something else than the blob changes.
  let counter: String

  /// The entity that holds the blobs of a separate entity, and its properties.
  var blobEntity: String { entity + "Blob" }
  static let data = "data"
  static let owner = "owner"

  /// - Throws: ``BlobStorageError`` for names that the model does not have.
  init(_ model: Model, strategy: BlobStrategy, entity name: String, attribute: String) throws {
    let chosen = try Self.entity(name, of: model)
    let all = model.attributes(of: chosen)
    self.strategy = strategy
    entity = chosen.name
    blob = try Self.blob(attribute, of: chosen, in: model)
    let (kept, counter) = Self.plain(all, but: blob)
    attributes = kept
    self.counter = counter
  }

  static func entity(_ name: String, of model: Model) throws -> Entity {
    if let entity = model.entity(named: name) { return entity }
    throw BlobStorageError.unknownEntity(name, known: model.entities.map(\.name))
  }

  /// The attribute of a name; a made-up one where the name is empty.
  static func blob(_ name: String, of entity: Entity, in model: Model) throws -> String {
    if name.isEmpty { return "blob" }
    let binary = binaryAttributes(of: entity, in: model)
    if binary.contains(name) { return name }
    throw BlobStorageError.notBinary(name, entity: entity.name, known: binary)
  }

  static func binaryAttributes(of entity: Entity, in model: Model) -> [String] {
    model.attributes(of: entity).filter { $0.type == .binary && !$0.isTransient }.map(\.name)
  }

  /// Attributes of the types that a seed gives plain values to, one of them a whole number.
  private static func plain(
    _ all: [Attribute],
    but blob: String
  ) -> (kept: [Attribute], counter: String) {
    let types: [AttributeType] = [
      .integer16, .integer32, .integer64, .decimal, .double, .float, .string, .boolean, .date,
      .uuid, .uri,
    ]
    var kept = all.filter { attribute in
      !attribute.isTransient && attribute.derivation == nil && types.contains(attribute.type)
        && attribute.name != blob
    }.map { Attribute(name: $0.name, type: $0.type) }
    let integers: [AttributeType] = [.integer16, .integer32, .integer64]
    if let counter = kept.first(where: { integers.contains($0.type) }) {
      return (kept, counter.name)
    }
    var name = "revision"
    while name == blob || kept.contains(where: { $0.name == name }) { name += "Number" }
    kept.append(Attribute(name: name, type: .integer32))
    return (kept, name)
  }

  /// The model of the strategy's store.
  var model: Model {
    var object = Entity(name: entity, attributes: attributes)
    switch strategy {
    case .inline: object.attributes.append(Attribute(name: blob, type: .binary))
    case .externalStorage:
      object.attributes.append(Attribute(name: blob, type: .binary, allowsExternalStorage: true))
    case .file: object.attributes.append(Attribute(name: blob, type: .string))
    case .separateEntity:
      object.relationships = [
        Relationship(
          name: blob,
          destination: blobEntity,
          inverse: Self.owner,
          deleteRule: .cascade
        )
      ]
      let holder = Entity(
        name: blobEntity,
        attributes: [Attribute(name: Self.data, type: .binary)],
        relationships: [Relationship(name: Self.owner, destination: entity, inverse: blob)]
      )
      return Model(entities: [object, holder])
    }
    return Model(entities: [object])
  }

  /// The digest's shape of an object read with its blob, or without.
  func digestShape(withBlob: Bool) -> ObjectDigest.Shape {
    ObjectDigest.Shape(entity: entity, properties: properties(withBlob: withBlob))
  }

  /// The names of the properties in the byte order in which a digest takes their values.
  func properties(withBlob: Bool) -> [String] {
    (attributes.map(\.name) + (withBlob ? [blob] : []))
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}

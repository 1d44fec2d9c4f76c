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

  /// Chooses among a store's entities and attributes where a name is empty.
  ///
  /// - Throws: ``BlobStorageError`` for names that the model does not have.
  init(_ model: Model, strategy: BlobStrategy, entity name: String, attribute: String) throws {
    let chosen = try Self.entity(name, of: model)
    let all = model.attributes(of: chosen)
    self.strategy = strategy
    entity = chosen.name
    blob = try Self.blob(attribute, among: all, of: chosen.name)
    let (kept, counter) = Self.plain(all, but: blob)
    attributes = kept
    self.counter = counter
  }

  /// The first entity with a binary attribute, otherwise the one with the most attributes.
  private static func entity(_ name: String, of model: Model) throws -> Entity {
    if !name.isEmpty {
      guard let entity = model.entity(named: name) else {
        throw BlobStorageError.unknownEntity(name, known: model.entities.map(\.name))
      }
      return entity
    }
    let concrete = model.entities.filter { !$0.isAbstract }
    let holdsBlob = { (entity: Entity) in
      model.attributes(of: entity).contains { $0.type == .binary && !$0.isTransient }
    }
    if let entity = concrete.first(where: holdsBlob) { return entity }
    var widest: (entity: Entity, count: Int)?
    for entity in concrete {
      let count = model.attributes(of: entity).count
      if count > widest?.count ?? -1 { widest = (entity, count) }
    }
    guard let widest else { throw BlobStorageError.noEntity }
    return widest.entity
  }

  private static func blob(
    _ name: String,
    among attributes: [Attribute],
    of entity: String
  ) throws -> String {
    let binary = attributes.filter { $0.type == .binary && !$0.isTransient }.map(\.name)
    if name.isEmpty { return binary.first ?? "blob" }
    guard binary.contains(name) else {
      throw BlobStorageError.notBinary(name, entity: entity, known: binary)
    }
    return name
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

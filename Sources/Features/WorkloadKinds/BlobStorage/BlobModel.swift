import Basics
import DataModel
import PersistentStore

/// One entity of a store with its plain attributes and one blob, kept as a strategy keeps it.
///
/// Relationships, constraints and indexes are left out: what the blob's place costs is to be seen.
struct BlobModel: Sendable {
  let strategy: BlobParameters.Strategy
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

  /// - Throws: ``Refusal`` for names that the model does not have.
  init(_ model: Model, strategy: BlobParameters.Strategy, entity name: String, attribute: String)
    throws
  {
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
    throw Refusal.unknownEntity(name, in: model)
  }

  /// The attribute of a name; a made-up one where the name is empty.
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

  /// Attributes of the types that a seed gives plain values to, one of them a whole number.
  static func plain(
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

/// The blobs of a case: each a function of the seed, its object's key and its version.
///
/// A blob is a stretch of one pool of random bytes, cheap to cut while the work is timed, with the
/// key and the version mixed into its first bytes. Nothing of it can be compressed, as with photos.
struct SeededBlobs: Sendable {
  /// The stretches begin at this many places of the pool.
  private static let places = 1 << 16
  private static let markerSize = 16

  let size: Int
  private let seed: UInt64
  private let pool: [UInt8]

  init(seed: UInt64, size: Int) {
    self.size = size
    self.seed = seed
    let count = (size + Self.places + 7) / 8
    pool = [UInt8](unsafeUninitializedCapacity: count * 8) { buffer, filled in
      for index in 0..<count {
        let word = SplitMix64.word(seed, 0x706f_6f6c, UInt64(index)).littleEndian
        UnsafeMutableRawBufferPointer(buffer)
          .storeBytes(of: word, toByteOffset: index * 8, as: UInt64.self)
      }
      filled = count * 8
    }
  }

  /// The blob of an object; version 0 is the first.
  func bytes(of key: Int64, version: Int = 0) -> [UInt8] {
    let position = UInt64(bitPattern: key) &* 8 &+ UInt64(version)
    let place = Int(SplitMix64.word(seed, 0x706c_6163_65, position) % UInt64(Self.places))
    var bytes = Array(pool[place..<place + size])
    for index in 0..<min(Self.markerSize, size) {
      let word = SplitMix64.word(seed, 0x6d61_726b, position &* 2 &+ UInt64(index / 8))
      bytes[index] ^= UInt8(truncatingIfNeeded: word >> (8 * UInt64(index % 8)))
    }
    return bytes
  }
}

/// The values of an object's plain attributes: functions of the seed, the attribute and the key.
struct SeededRow: Sendable {
  private static let words = [
    "amber", "birch", "cloud", "delta", "ember", "fjord", "grove", "haven", "inlet", "juniper",
    "kelp", "lark", "maple", "north", "ochre", "pine",
  ]

  let seed: UInt64
  let attributes: [Attribute]
  /// The attribute that an update changes.
  let counter: String

  init(seed: UInt64, attributes: [Attribute], counter: String) {
    self.seed = seed
    self.attributes = attributes
    self.counter = counter
  }

  init(seed: UInt64, model: BlobModel) {
    self.init(seed: seed, attributes: model.attributes, counter: model.counter)
  }

  /// The values in the order of the attributes.
  func values(of key: Int64) -> [Value] {
    attributes.map { value(of: $0, key: key) }
  }

  /// The counter's value before an update and after it.
  func counterValue(of key: Int64, version: Int) -> Value {
    .integer(key % 10_000 * 2 + Int64(version))
  }

  func value(of attribute: Attribute, key: Int64) -> Value {
    if attribute.name == counter { return counterValue(of: key, version: 0) }
    let word = SplitMix64.word(seed, SplitMix64.hash(attribute.name), UInt64(bitPattern: key))
    return switch attribute.type {
    case .boolean: .integer(Int64(word & 1))
    case .integer16: .integer(Int64(word % 30_000))
    case .integer32, .integer64, .decimal: .integer(Int64(word % 1_000_000_000))
    // A quarter keeps the value from being a whole number, which is stored otherwise.
    case .double, .float, .date: .real(Double(word % 1_000_000_000) + 0.25)
    case .string: .text(Self.text(word))
    case .uri: .text("https://example.org/\(word)")
    case .uuid: .blob((0..<16).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0 % 8))) })
    default: .null
    }
  }

  /// Six words: 30 to 40 bytes, as a title has.
  private static func text(_ word: UInt64) -> String {
    (0..<6).map { words[Int(word >> (8 * UInt64($0)) & 15)] }.joined(separator: " ")
  }
}

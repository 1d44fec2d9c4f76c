import Basics
import DataModel
import PersistentStore
import SQLite

/// The values of new objects and of changed ones: functions of the seed, the attribute and the key.
struct StepValues {
  let attributes: [Attribute]
  private let row: SeededRow
  private let unique: Set<String>
  private let blobs: [(attribute: Attribute, bytes: SeededBlobs, size: Step.Numbers)]
  /// Where blobs are kept that a strategy was chosen for, by the attribute's name.
  let kept: [String: KeptBlob]
  private let seed: UInt64

  init(_ step: Step, _ entity: Entity, _ places: BlobPlaces, seed: UInt64) {
    self.seed = seed
    let model = places.given
    kept = Dictionary(keepingFirst: places.of(entity).map { ($0.attribute, $0) })
    let all = model.attributes(of: model.entity(named: entity.name) ?? entity)
    attributes = all.filter(\.isPlain)
    row = SeededRow(seed: seed, attributes: attributes, counter: "")
    unique = Set(model.lineage(of: entity).flatMap { $0.uniquenessConstraints.joined() })
    blobs = all.compactMap { attribute in
      step.blobs[attribute.name].map { size in
        let own = seed ^ SplitMix64.hash(attribute.name)
        return (attribute, SeededBlobs(seed: own, size: size.high), size)
      }
    }
  }

  /// Whether an attribute can get a value that it does not have yet.
  static func isChangeable(_ attribute: Attribute) -> Bool {
    let types: [AttributeType] = [.integer32, .integer64, .decimal, .double, .string, .date]
    return !attribute.isTransient && attribute.derivation == nil && types.contains(attribute.type)
  }

  /// The attributes that a new object has values for.
  var names: [String] { attributes.map(\.name) + blobs.map(\.attribute.name) }

  /// What the attributes' columns hold is marked as being in the row.
  var externalNames: Set<String> {
    Set(
      blobs.map(\.attribute).filter {
        kept[$0.name].map { $0.strategy == .externalStorage } ?? $0.allowsExternalStorage
      }.map(\.name)
    )
  }

  /// The values of a new object, in the order of the names.
  func values(of key: Int64) -> [Value] {
    attributes.map { attribute in
      unique.contains(attribute.name)
        ? Self.unique(attribute, key) : row.value(of: attribute, key: key)
    }
      + blobs.map { attribute, bytes, size in
        let word = SplitMix64.word(
          seed,
          SplitMix64.hash(attribute.name + ".size"),
          UInt64(bitPattern: key)
        )
        return .blob(Array(bytes.bytes(of: key).prefix(size.size(word))))
      }
  }

  private static func unique(_ attribute: Attribute, _ key: Int64) -> Value {
    switch attribute.type {
    case .string: .text("new \(attribute.name) \(key)")
    case .uri: .text("https://example.org/new/\(key)")
    case .uuid:
      .blob((0..<16).map { UInt8(truncatingIfNeeded: $0 < 8 ? key >> (8 * Int64($0)) : 0xA5) })
    case .double, .float, .date: .real(Double(key) + 0.125)
    case .boolean: .integer(key & 1)
    default: .integer(1_000_000_000 + key)
    }
  }

  /// The value that the n-th change of the work sets.
  static func changed(_ attribute: Attribute, _ number: Int) -> Value {
    switch attribute.type {
    case .string: .text("changed the \(number). time")
    case .double, .date: .real(700_000_000 + Double(number) + 0.25)
    default: .integer(Int64(1_000_000 + number))
    }
  }
}

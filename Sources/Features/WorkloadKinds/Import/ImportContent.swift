import Basics
import DataModel
import PersistentStore

/// The content of an import case's store: the entity for a feed's records.
///
/// It has attributes, the feed's identifier and a flag set by the user. If records refer to other
/// objects, it also has a to-one relationship.
struct ImportContent: Scenario {
  let plain: PlainEntity
  let parameters: ImportParameters
  let seed: UInt64
  let identifier: String
  let favorite: String

  static let link = "importGroup"
  static let name = "name"

  /// The attributes for which every record has a value, except the identifier.
  var payload: [Attribute] { plain.seeded }
  var groupEntity: String { entity + "Group" }

  init(_ model: Model, _ parameters: ImportParameters, seed: UInt64) throws {
    var plain = try PlainEntity(model, entity: parameters.entity)
    identifier = plain.add(.string, named: "identifier")
    favorite = plain.add(.boolean, named: "isFavorite")
    self.plain = plain
    (self.parameters, self.seed) = (parameters, seed)
  }

  var model: Model {
    let index = FetchIndex(
      name: "byIdentifier",
      elements: [FetchIndex.Element(property: identifier)]
    )
    var item = plain.entity(
      indexes: parameters.index == .plain ? [index] : [],
      unique: parameters.index == .unique ? [[identifier]] : []
    )
    guard parameters.links > 0 else { return Model(entities: [item]) }
    item.relationships = [
      Relationship(name: Self.link, destination: groupEntity, inverse: "members")
    ]
    let group = Entity(
      name: groupEntity,
      attributes: [Attribute(name: Self.name, type: .string)],
      relationships: [
        Relationship(name: "members", destination: entity, inverse: Self.link, isToMany: true)
      ]
    )
    return Model(entities: [item, group])
  }
}

/// The records of a feed.
///
/// Each record is computed from the seed and the record's number.
struct Feed: Sendable {
  private let content: ImportContent
  private let rows: SeededRow
  private let oldRows: SeededRow
  private var seed: UInt64 { content.seed }
  private var parameters: ImportParameters { content.parameters }

  init(_ content: ImportContent) {
    self.content = content
    rows = content.rows
    oldRows = SeededRow(
      seed: content.seed ^ 0x6f6c_64,
      attributes: content.payload,
      counter: content.plain.counter
    )
  }

  /// The identifier of a record: unique and unsorted, like identifiers assigned by a server.
  func identifier(of record: Int) -> String {
    let word = SplitMix64.word(seed, 0x6665_6564, UInt64(record))
    return String(word, radix: 16) + "-" + String(record, radix: 16)
  }

  func record(of identifier: String) -> Int? {
    guard let number = identifier.split(separator: "-").last.flatMap({ Int($0, radix: 16) }),
      (0..<parameters.records).contains(number), self.identifier(of: number) == identifier
    else { return nil }
    return number
  }

  /// The values of a record's attributes, in order.
  ///
  /// If `isOld` is true, these are the values in the store before the import.
  func values(of record: Int, isOld: Bool = false) -> [Value] {
    let key = Int64(record) + 1
    return rows.attributes.map { attribute in
      // Give the counter attribute a different value, so that every record differs from the object
      // that it updates.
      if attribute.name == rows.counter {
        return rows.counterValue(of: key, version: isOld ? 0 : 1)
      }
      return (isOld ? oldRows : rows).value(of: attribute, key: key)
    }
  }

  func isFavorite(_ record: Int) -> Bool {
    SplitMix64.word(seed, 0x6661_76, UInt64(record)) % 3 == 0
  }

  func link(of record: Int, isOld: Bool = false) -> Int64? {
    guard parameters.links > 0 else { return nil }
    let place = Int(SplitMix64.word(seed, 0x6c69_6e6b, UInt64(record)) >> 33)
    return Int64((place + (isOld ? 1 : 0)) % parameters.links) + 1
  }
}

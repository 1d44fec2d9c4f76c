import Basics
import DataModel
import PersistentStore

/// One entity with a number by which objects are selected, and a flag that an update sets.
struct BulkModel: Sendable {
  /// Numbers are drawn below it, so that every share selects in one starting store.
  private static let numbers = 10_000

  private let plain: PlainEntity
  private let seed: UInt64
  private let share: Double
  /// The attributes that a seed gives values to.
  let attributes: [Attribute]
  let counter: String
  let number: String
  let flag: String

  var entity: String { plain.name }
  var model: Model { Model(entities: [plain.entity()]) }

  /// - Throws: ``BlobStorageError`` for a name that the model does not have.
  init(_ model: Model, _ parameters: BulkParameters, seed: UInt64) throws {
    var plain = try PlainEntity(model, entity: parameters.entity)
    attributes = plain.attributes
    counter = plain.counter
    number = plain.add(.integer16, named: "drawnNumber")
    flag = plain.add(.boolean, named: "isArchived")
    self.plain = plain
    self.seed = seed
    share = parameters.share
  }

  var rows: SeededRow { SeededRow(seed: seed, attributes: attributes, counter: counter) }

  /// The number of an object.
  func number(of key: Int64) -> Int64 {
    Int64(SplitMix64.word(seed, 0x6275_6c6b, UInt64(bitPattern: key)) % UInt64(Self.numbers))
  }

  /// Objects with a number below this one are selected.
  var limit: Int64 { max(1, Int64((share * Double(Self.numbers)).rounded())) }

  func isSelected(_ key: Int64) -> Bool { number(of: key) < limit }
}

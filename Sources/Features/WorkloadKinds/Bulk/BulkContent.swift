import Basics
import DataModel
import PersistentStore

/// One entity with a number that decides which objects are selected, and a flag that an update
/// sets.
struct BulkContent: Scenario {
  /// The exclusive upper bound of the random numbers.
  ///
  /// It does not depend on the share of selected objects, so that all shares use the same starting
  /// store.
  private static let numbers = 10_000

  let plain: PlainEntity
  let parameters: BulkParameters
  let seed: UInt64
  let number: String
  let flag: String

  var keepsHistory: Bool { parameters.keepsHistory }
  var model: Model { Model(entities: [plain.entity()]) }

  init(_ model: Model, _ parameters: BulkParameters, seed: UInt64) throws {
    var plain = try PlainEntity(model, entity: parameters.entity)
    number = plain.add(.integer16, named: "drawnNumber")
    flag = plain.add(.boolean, named: "isArchived")
    self.plain = plain
    self.seed = seed
    self.parameters = parameters
  }

  func number(of key: Int64) -> Int64 {
    Int64(SplitMix64.word(seed, 0x6275_6c6b, UInt64(bitPattern: key)) % UInt64(Self.numbers))
  }

  /// The exclusive upper bound of the numbers of selected objects.
  var limit: Int64 { max(1, Int64((parameters.share * Double(Self.numbers)).rounded())) }

  func isSelected(_ key: Int64) -> Bool { number(of: key) < limit }
}

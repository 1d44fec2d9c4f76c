import Basics
import DataModel
import PersistentStore

/// Objects in lists, and the moves between them.
struct CountModel: Sendable {
  static let list = "badgeList"
  static let items = "items"
  static let name = "name"
  static let number = "itemCount"

  private let plain: PlainEntity
  private let parameters: CountParameters
  private let seed: UInt64
  let rows: SeededRow

  var entity: String { plain.name }
  var listEntity: String { entity + "List" }

  /// - Throws: ``BlobStorageError`` for a name that the model does not have.
  init(_ model: Model, _ parameters: CountParameters, seed: UInt64) throws {
    let plain = try PlainEntity(model, entity: parameters.entity)
    rows = SeededRow(seed: seed, attributes: plain.attributes, counter: plain.counter)
    self.plain = plain
    self.parameters = parameters
    self.seed = seed
  }

  var model: Model {
    var item = plain.entity()
    item.relationships = [
      Relationship(name: Self.list, destination: listEntity, inverse: Self.items)
    ]
    let derivation = parameters.strategy == .derived ? "items.@count" : nil
    let number = Attribute(name: Self.number, type: .integer32, derivation: derivation)
    let list = Entity(
      name: listEntity,
      attributes: [Attribute(name: Self.name, type: .string)]
        + (parameters.keepsCounts ? [number] : []),
      relationships: [
        Relationship(name: Self.items, destination: entity, inverse: Self.list, isToMany: true)
      ]
    )
    return Model(entities: [item, list])
  }

  /// The list that an object is in after so many moves: never the one before.
  func list(of key: Int64, moves: Int) -> Int64 {
    let first = SplitMix64.word(seed, 0x6c69_7374, UInt64(bitPattern: key))
    return Int64((first % UInt64(parameters.lists) + UInt64(moves)) % UInt64(parameters.lists)) + 1
  }

  /// The keys of the objects that a save moves, each once.
  func moved(by save: Int) -> [Int64] {
    (0..<parameters.objectsPerSave).map {
      Int64((save * parameters.objectsPerSave + $0) * 7_919 % parameters.objects) + 1
    }.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// How many objects each list has before the first save.
  var counts: [Int64: Int] {
    var counts = Dictionary((1...Int64(parameters.lists)).map { ($0, 0) }) { $1 }
    for key in 1...Int64(parameters.objects) { counts[list(of: key, moves: 0), default: 0] += 1 }
    return counts
  }
}

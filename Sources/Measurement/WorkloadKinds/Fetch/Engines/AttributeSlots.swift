import DataModel
import PersistentStore

/// Where the objects of an entity and of its sub-entities have the attributes that are read.
struct AttributeSlots {
  private let shape: ObjectDigest.Shape
  private let entity: Int
  private let slots: [Int]
  /// The slots of sub-entities' objects, by the entity's number: their columns lie otherwise.
  private let others: [Int: [Int]]

  init(_ shape: ObjectDigest.Shape, context: ObjectContext) throws {
    let own = try context.description(of: shape.entity)
    let family = context.layout.model.family(of: own.entity)
    self.shape = shape
    entity = own.number
    slots = try Self.slots(of: shape, in: own)
    others = Dictionary(
      try family.map { entity in
        let description = try context.description(of: entity.name)
        return (description.number, try Self.slots(of: shape, in: description))
      },
      uniquingKeysWith: { first, _ in first }
    )
  }

  private static func slots(
    of shape: ObjectDigest.Shape,
    in description: EntityDescription
  ) throws -> [Int] {
    try shape.properties.map { try description.slot(of: $0) }
  }

  /// The digest of an object's values, which fires its fault.
  func digest(_ object: ManagedObject) throws -> UInt64 {
    var digest = ObjectDigest(shape, key: object.key)
    let number = object.description.number
    for slot in number == entity ? slots : others[number] ?? slots {
      digest.add(try object.value(at: slot))
    }
    return digest.value
  }
}

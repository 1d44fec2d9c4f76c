import DataModel

/// Which properties an update changed, as ZCOLUMNS says it: the first property is the highest bit
/// of the first byte; to-ones, attributes, to-manys, each by name (coredata-format.md, section 11).
struct HistoryBitmap {
  private let count: Int
  private let slotPositions: [Int: Int]
  private let toManyPositions: [Int: Int]

  init(description: EntityDescription) {
    var position = 0
    var slots: [Int: Int] = [:]
    var toManys: [Int: Int] = [:]
    for toOne in description.toOnes.sorted(by: { $0.name < $1.name }) {
      slots[toOne.slot] = position
      position += 1
      // A to-one whose target's entity has sub-entities takes two positions.
      if let slot = toOne.entitySlot {
        slots[slot] = position
        position += 1
      }
    }
    let attributes = description.columns.indices.filter {
      if case .attribute = description.columns[$0].content { return true }
      return false
    }
    for slot in attributes.sorted(by: {
      description.columns[$0].property < description.columns[$1].property
    }) {
      slots[slot] = position
      position += 1
    }
    for toMany in description.toManys.sorted(by: { $0.name < $1.name }) {
      toManys[toMany.index] = position
      position += 1
    }
    count = position
    slotPositions = slots
    toManyPositions = toManys
  }

  /// The bitmap of an update.
  func bytes(_ changedSlots: [Int], in object: ManagedObject) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: (count + 7) / 8)
    var positions = changedSlots.compactMap { slotPositions[$0] }
    for (index, cache) in object.toManys.enumerated() where cache?.saved != nil {
      if let position = toManyPositions[index] { positions.append(position) }
    }
    for position in positions { bytes[position / 8] |= 0x80 >> UInt8(position % 8) }
    return bytes
  }
}

/// The places of records that lie one after the other, each behind its length.
struct RecordList {
  let entries: UnsafeMutableBufferPointer<WordEntry1>
  /// Room for as many entries, for sorting.
  let spare: UnsafeMutablePointer<WordEntry1>

  init(_ arena: ByteArena) {
    var places: [Int] = []
    var place = 0
    while place < arena.count {
      places.append(place)
      let (count, length) = Varint.get(arena.memory + place)
      place += Int(count) + length
    }
    self.init(places: places)
  }

  init(places: [Int]) {
    entries = .allocate(capacity: places.count)
    for (index, place) in places.enumerated() {
      entries.initializeElement(at: index, to: WordEntry1(first: 0, rest: UInt64(place)))
    }
    spare = .allocate(capacity: max(places.count, 1))
  }

  func deallocate() {
    entries.deallocate()
    spare.deallocate()
  }
}

/// Counts by 64-bit keys: a hash table with open addressing, for loops that run once a value.
struct CountTable: Equatable, Sendable {
  /// The number of different keys.
  private(set) var count = 0
  private var keys: [Int64]
  /// 0 where a slot is free.
  private var counts: [Int]
  private var mask: Int

  init() {
    mask = 15
    keys = Array(repeating: 0, count: 16)
    counts = Array(repeating: 0, count: 16)
  }

  /// Adds to the count of a key.
  mutating func add(_ key: Int64, _ amount: Int = 1) {
    var slot = place(of: key)
    if counts[slot] == 0 {
      if count >= (mask + 1) / 2 {
        grow()
        slot = place(of: key)
      }
      keys[slot] = key
      count += 1
    }
    counts[slot] += amount
  }

  /// The keys with their counts, in the order of the keys.
  var sorted: [(key: Int64, count: Int)] {
    zip(keys, counts).filter { $1 > 0 }.map { (key: $0, count: $1) }.sorted { $0.key < $1.key }
  }

  static func == (left: CountTable, right: CountTable) -> Bool {
    left.count == right.count && left.sorted.elementsEqual(right.sorted, by: ==)
  }

  private func place(of key: Int64) -> Int {
    // Fibonacci hashing: the high bits of the product are well mixed.
    let product = UInt64(bitPattern: key) &* 0x9e37_79b9_7f4a_7c15
    var slot = Int(truncatingIfNeeded: product >> 32) & mask
    while counts[slot] != 0, keys[slot] != key { slot = (slot + 1) & mask }
    return slot
  }

  private mutating func grow() {
    let (oldKeys, oldCounts) = (keys, counts)
    mask = mask * 2 + 1
    keys = Array(repeating: 0, count: mask + 1)
    counts = Array(repeating: 0, count: mask + 1)
    for (key, amount) in zip(oldKeys, oldCounts) where amount > 0 {
      let slot = place(of: key)
      keys[slot] = key
      counts[slot] = amount
    }
  }
}

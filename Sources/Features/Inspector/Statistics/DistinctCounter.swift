import PersistentStore

/// Counts distinct values in bounded memory: exactly if they are few, otherwise as an estimate with
/// a standard error of 1.6 %.
///
/// Values are added as 64-bit hashes. Uses HyperLogLog with 4,096 registers of one byte. The
/// estimator needs neither a logarithm nor a table of corrections (O. Ertl, "New cardinality
/// estimation algorithms for HyperLogLog sketches", 2017, section 2.4).
package struct DistinctCounter: Equatable, Sendable {
  /// The maximum number of values that are counted exactly.
  package static let exactLimit = 512

  private static let precision = 12
  private static let registerCount = 1 << precision
  private static let largestRank = 64 - precision + 1

  private var seen = CountTable()
  /// The HyperLogLog registers; empty while the count is exact.
  private var registers: [UInt8] = []

  package init() {}

  /// Whether ``count`` is exact, apart from hash collisions.
  package var isExact: Bool { registers.isEmpty }

  /// Adds a value by its hash.
  package mutating func add(hash: UInt64) {
    guard registers.isEmpty else { return register(hash) }
    seen.add(Int64(bitPattern: hash))
    guard seen.count > Self.exactLimit else { return }
    registers = Array(repeating: 0, count: Self.registerCount)
    for (key, _) in seen.sorted { register(UInt64(bitPattern: key)) }
    seen = CountTable()
  }

  /// Adds an integer.
  package mutating func add(_ value: Int64) {
    add(hash: Mixing.spread(UInt64(bitPattern: value)))
  }

  /// Adds a real; a whole number counts as the integer of the same value, as in SQLite's
  /// comparisons.
  package mutating func add(_ value: Double) {
    if let whole = Int64(exactly: value) { return add(whole) }
    add(hash: Mixing.spread(value.bitPattern ^ 0x5555_5555_5555_5555))
  }

  /// Adds the bytes of a string or a blob.
  package mutating func add(_ bytes: UnsafeRawBufferPointer) {
    add(hash: ByteDigest.of(bytes))
  }

  /// The number of distinct values.
  package var count: Int {
    guard !registers.isEmpty else { return seen.count }
    var histogram = Array(repeating: 0, count: Self.largestRank + 1)
    for rank in registers { histogram[Int(rank)] += 1 }
    let size = Double(Self.registerCount)
    var sum = size * Self.tau(1 - Double(histogram[Self.largestRank]) / size)
    for rank in stride(from: Self.largestRank - 1, through: 1, by: -1) {
      sum = 0.5 * (sum + Double(histogram[rank]))
    }
    sum += size * Self.sigma(Double(histogram[0]) / size)
    // The estimator's constant factor is 1 / (2 ln 2).
    let estimate = 0.721_347_520_444_481_7 * size * size / sum
    return estimate < 1e18 ? Int(estimate.rounded()) : Int.max
  }

  private mutating func register(_ hash: UInt64) {
    let index = Int(hash >> (64 - Self.precision))
    let rest = hash << Self.precision
    let rank = UInt8(min(rest.leadingZeroBitCount, 64 - Self.precision) + 1)
    if registers[index] < rank { registers[index] = rank }
  }

  private static func sigma(_ share: Double) -> Double {
    guard share < 1 else { return .infinity }
    var (power, weight, sum) = (share, 1.0, share)
    while true {
      power *= power
      let before = sum
      sum += power * weight
      weight += weight
      if sum == before { return sum }
    }
  }

  private static func tau(_ share: Double) -> Double {
    guard share > 0, share < 1 else { return 0 }
    var (root, weight, sum) = (share, 1.0, 1 - share)
    while true {
      root = root.squareRoot()
      let before = sum
      weight *= 0.5
      sum -= (1 - root) * (1 - root) * weight
      if sum == before { return sum / 3 }
    }
  }
}

/// A hash table of counts by 64-bit key, with open addressing for loops that run once per value.
struct CountTable: Equatable, Sendable {
  private(set) var count = 0
  private var keys: [Int64]
  private var counts: [Int]
  private var mask: Int

  init() {
    mask = 15
    keys = Array(repeating: 0, count: 16)
    counts = Array(repeating: 0, count: 16)
  }

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

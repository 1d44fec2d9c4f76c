/// Draws that a seed, a name and a number decide: the same in every run of the same seed.
struct SeededCoins {
  private var state: UInt64

  init(seed: UInt64, name: String, number: Int) {
    // FNV-1a, then the finaliser of SplitMix64.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    state = Self.mixed(hash ^ (seed &+ UInt64(bitPattern: Int64(number)) &* Self.step))
  }

  /// Heads or tails.
  mutating func flip() -> Bool { next() >> 63 == 1 }

  /// A number below a bound.
  mutating func number(below bound: UInt64) -> Int { Int(next() % bound) }

  private mutating func next() -> UInt64 {
    state &+= Self.step
    return Self.mixed(state)
  }

  private static let step: UInt64 = 0x9e37_79b9_7f4a_7c15

  private static func mixed(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}

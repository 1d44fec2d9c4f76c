/// The SplitMix64 random number generator, which gives the same sequence on every machine.
///
/// Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014,
/// with the constants of Stafford's variant 13. The algorithm must not change: every published
/// digest depends on it.
@usableFromInline package struct SplitMix64: RandomNumberGenerator, Sendable {
  /// The increment between states: 2⁶⁴ divided by the golden ratio, made odd.
  @inlinable package static var increment: UInt64 { 0x9E37_79B9_7F4A_7C15 }

  @usableFromInline package var state: UInt64

  /// Starts the sequence for a seed.
  @inlinable
  package init(state: UInt64) {
    self.state = state
  }

  /// Returns the next 64 random bits.
  @inlinable @inline(__always)
  package mutating func next() -> UInt64 {
    state &+= Self.increment
    return Self.mix(state)
  }

  /// A bijection on 64-bit values in which each output bit depends on every input bit.
  @inlinable @inline(__always)
  package static func mix(_ value: UInt64) -> UInt64 {
    var mixed = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A random word that depends only on a seed, a purpose and a position, not on threads or call
  /// order.
  @inlinable
  package static func word(_ seed: UInt64, _ purpose: UInt64, _ position: UInt64) -> UInt64 {
    let drawn = mix(seed &+ purpose &* increment &+ increment)
    return mix((drawn ^ position &* 0xD1B5_4A32_D192_ED03) &+ increment)
  }

  /// The 64-bit FNV-1a hash of a name's UTF-8 bytes, used to turn names into seeds.
  package static func hash(_ name: String) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return hash
  }
}

/// The 64-bit mixing function on which every generated value rests: the output function of SplitMix64.
///
/// It is a bijection whose output bits each depend on all input bits (Steele, Lea and Flood, "Fast
/// splittable pseudorandom number generators", 2014; constants of Stafford's variant 13).
/// It must not change: every published digest of a generated store depends on it.
enum Mixer {
  /// The odd increment between the states of a stream: 2⁶⁴ divided by the golden ratio.
  static let increment: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// The mixed form of a 64-bit value.
  @inline(__always)
  static func mix(_ value: UInt64) -> UInt64 {
    var mixed = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// The 64-bit FNV-1a hash of a name's UTF-8 bytes: what turns names into numbers, on any machine alike.
  static func hash(_ name: String) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in name.utf8 {
      hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
    }
    return hash
  }
}

/// An incremental SHA-256 or SHA-512 digest (FIPS 180-4).
///
/// It replaces swift-crypto, which would add two minutes to every first build.
package protocol SecureHash {
  init()
  mutating func update(_ bytes: UnsafeRawBufferPointer)
  /// Returns the digest of all bytes; `update` must not be called afterwards.
  mutating func finalize() -> [UInt8]
}

extension SecureHash {
  /// Adds bytes to the hashed data.
  package mutating func update(data: some Sequence<UInt8>) {
    let isWhole: Void? = data.withContiguousStorageIfAvailable {
      update(UnsafeRawBufferPointer($0))
    }
    guard isWhole == nil else { return }
    Array(data).withUnsafeBytes { update($0) }
  }

  /// Returns the digest of the given bytes.
  package static func hash(data: some Sequence<UInt8>) -> [UInt8] {
    var hash = Self()
    hash.update(data: data)
    return hash.finalize()
  }
}

extension Sequence<UInt8> {
  /// The bytes as lowercase hexadecimal digits.
  package var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
      as: UTF8.self
    )
  }
}

/// SHA-256.
package struct SHA256: SecureHash {
  private var blocks = Blocks(size: 64)
  // SHA-256's constants are the upper halves of SHA-512's (FIPS 180-4, 4.2 and 5.3).
  private var state = initialState.map { UInt32($0 >> 32) }
  private static let constants = roundConstants.prefix(64).map { UInt32($0 >> 32) }

  package init() {}

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    blocks.add(bytes) { state.compress($0, count: $1) }
  }

  package mutating func finalize() -> [UInt8] {
    blocks.finish { state.compress($0, count: $1) }
    return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) }
    }
  }

  fileprivate static func compress(
    _ state: UnsafeMutablePointer<UInt32>,
    _ block: UnsafeRawPointer,
    _ count: Int
  ) {
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { words in
      guard let w = words.baseAddress else { return }
      constants.withUnsafeBufferPointer { constants in
        guard let k = constants.baseAddress else { return }
        for index in 0..<count {
          round(state, block + index * 64, w, k)
        }
      }
    }
  }

  @inline(__always)
  private static func round(
    _ state: UnsafeMutablePointer<UInt32>,
    _ block: UnsafeRawPointer,
    _ w: UnsafeMutablePointer<UInt32>,
    _ k: UnsafePointer<UInt32>
  ) {
    for t in 0..<16 {
      w[t] = block.loadUnaligned(fromByteOffset: t &* 4, as: UInt32.self).bigEndian
    }
    var t = 16
    while t < 64 {
      let (x, y) = (w[t &- 15], w[t &- 2])
      let s0 = (x &>> 7 | x &<< 25) ^ (x &>> 18 | x &<< 14) ^ (x &>> 3)
      let s1 = (y &>> 17 | y &<< 15) ^ (y &>> 19 | y &<< 13) ^ (y &>> 10)
      w[t] = w[t &- 16] &+ s0 &+ w[t &- 7] &+ s1
      t &+= 1
    }
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    t = 0
    while t < 64 {
      let s1 = (e &>> 6 | e &<< 26) ^ (e &>> 11 | e &<< 21) ^ (e &>> 25 | e &<< 7)
      let t1 = h &+ s1 &+ (g ^ (e & (f ^ g))) &+ k[t] &+ w[t]
      let s0 = (a &>> 2 | a &<< 30) ^ (a &>> 13 | a &<< 19) ^ (a &>> 22 | a &<< 10)
      let t2 = s0 &+ ((a & b) | (c & (a | b)))
      (h, g, f, e, d, c, b, a) = (g, f, e, d &+ t1, c, b, a, t1 &+ t2)
      t &+= 1
    }
    state[0] &+= a
    state[1] &+= b
    state[2] &+= c
    state[3] &+= d
    state[4] &+= e
    state[5] &+= f
    state[6] &+= g
    state[7] &+= h
  }
}

/// SHA-512.
package struct SHA512: SecureHash {
  private var blocks = Blocks(size: 128)
  private var state = initialState

  package init() {}

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    blocks.add(bytes) { state.compress($0, count: $1) }
  }

  package mutating func finalize() -> [UInt8] {
    blocks.finish { state.compress($0, count: $1) }
    return state.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) }
    }
  }
}

private struct Blocks {
  let size: Int
  private var rest: [UInt8] = []
  private var count: UInt64 = 0

  init(size: Int) {
    self.size = size
  }

  mutating func add(_ bytes: UnsafeRawBufferPointer, _ take: (UnsafeRawPointer, Int) -> Void) {
    count &+= UInt64(bytes.count)
    var bytes = bytes
    if !rest.isEmpty {
      let missing = min(size - rest.count, bytes.count)
      rest.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[..<missing]))
      bytes = UnsafeRawBufferPointer(rebasing: bytes[missing...])
      guard rest.count == size else { return }
      rest.withUnsafeBytes { if let start = $0.baseAddress { take(start, 1) } }
      rest.removeAll(keepingCapacity: true)
    }
    let whole = bytes.count / size
    if whole > 0, let start = bytes.baseAddress { take(start, whole) }
    rest.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[(whole * size)...]))
  }

  /// Passes the final one or two blocks to `take`, padded with a 1 bit, 0 bits and the message's
  /// length in bits.
  mutating func finish(_ take: (UnsafeRawPointer, Int) -> Void) {
    let bits = count &* 8
    var padding: [UInt8] = [0x80]
    let length = size / 8
    while (rest.count + padding.count + length) % size != 0 { padding.append(0) }
    padding += [UInt8](repeating: 0, count: length - 8)
    padding += (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * UInt64($0))) }
    padding.withUnsafeBytes { add($0, take) }
  }
}

extension [UInt64] {
  fileprivate mutating func compress(_ bytes: UnsafeRawPointer, count: Int) {
    for index in 0..<count { round(bytes + index * 128) }
  }

  private mutating func round(_ block: UnsafeRawPointer) {
    func turned(_ word: UInt64, _ count: UInt64) -> UInt64 {
      word &>> count | word &<< (64 &- count)
    }
    var w = (0..<16).map { block.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self).bigEndian }
    for t in 16..<80 {
      let s0 = turned(w[t - 15], 1) ^ turned(w[t - 15], 8) ^ (w[t - 15] &>> 7)
      let s1 = turned(w[t - 2], 19) ^ turned(w[t - 2], 61) ^ (w[t - 2] &>> 6)
      w.append(w[t - 16] &+ s0 &+ w[t - 7] &+ s1)
    }
    var v = self
    for t in 0..<80 {
      let s1 = turned(v[4], 14) ^ turned(v[4], 18) ^ turned(v[4], 41)
      let t1 = v[7] &+ s1 &+ (v[6] ^ (v[4] & (v[5] ^ v[6]))) &+ roundConstants[t] &+ w[t]
      let s0 = turned(v[0], 28) ^ turned(v[0], 34) ^ turned(v[0], 39)
      let t2 = s0 &+ ((v[0] & v[1]) | (v[2] & (v[0] | v[1])))
      v = [t1 &+ t2, v[0], v[1], v[2], v[3] &+ t1, v[4], v[5], v[6]]
    }
    for index in indices { self[index] &+= v[index] }
  }
}

extension [UInt32] {
  fileprivate mutating func compress(_ bytes: UnsafeRawPointer, count: Int) {
    withUnsafeMutableBufferPointer { state in
      guard let state = state.baseAddress else { return }
      SHA256.compress(state, bytes, count)
    }
  }
}

/// The first 64 bits of the fractional parts of the square roots of the first eight primes.
private let initialState: [UInt64] = [
  0x6a09_e667_f3bc_c908, 0xbb67_ae85_84ca_a73b, 0x3c6e_f372_fe94_f82b, 0xa54f_f53a_5f1d_36f1,
  0x510e_527f_ade6_82d1, 0x9b05_688c_2b3e_6c1f, 0x1f83_d9ab_fb41_bd6b, 0x5be0_cd19_137e_2179,
]

/// The first 64 bits of the fractional parts of the cube roots of the first eighty primes.
private let roundConstants: [UInt64] = [
  0x428a_2f98_d728_ae22, 0x7137_4491_23ef_65cd, 0xb5c0_fbcf_ec4d_3b2f, 0xe9b5_dba5_8189_dbbc,
  0x3956_c25b_f348_b538, 0x59f1_11f1_b605_d019, 0x923f_82a4_af19_4f9b, 0xab1c_5ed5_da6d_8118,
  0xd807_aa98_a303_0242, 0x1283_5b01_4570_6fbe, 0x2431_85be_4ee4_b28c, 0x550c_7dc3_d5ff_b4e2,
  0x72be_5d74_f27b_896f, 0x80de_b1fe_3b16_96b1, 0x9bdc_06a7_25c7_1235, 0xc19b_f174_cf69_2694,
  0xe49b_69c1_9ef1_4ad2, 0xefbe_4786_384f_25e3, 0x0fc1_9dc6_8b8c_d5b5, 0x240c_a1cc_77ac_9c65,
  0x2de9_2c6f_592b_0275, 0x4a74_84aa_6ea6_e483, 0x5cb0_a9dc_bd41_fbd4, 0x76f9_88da_8311_53b5,
  0x983e_5152_ee66_dfab, 0xa831_c66d_2db4_3210, 0xb003_27c8_98fb_213f, 0xbf59_7fc7_beef_0ee4,
  0xc6e0_0bf3_3da8_8fc2, 0xd5a7_9147_930a_a725, 0x06ca_6351_e003_826f, 0x1429_2967_0a0e_6e70,
  0x27b7_0a85_46d2_2ffc, 0x2e1b_2138_5c26_c926, 0x4d2c_6dfc_5ac4_2aed, 0x5338_0d13_9d95_b3df,
  0x650a_7354_8baf_63de, 0x766a_0abb_3c77_b2a8, 0x81c2_c92e_47ed_aee6, 0x9272_2c85_1482_353b,
  0xa2bf_e8a1_4cf1_0364, 0xa81a_664b_bc42_3001, 0xc24b_8b70_d0f8_9791, 0xc76c_51a3_0654_be30,
  0xd192_e819_d6ef_5218, 0xd699_0624_5565_a910, 0xf40e_3585_5771_202a, 0x106a_a070_32bb_d1b8,
  0x19a4_c116_b8d2_d0c8, 0x1e37_6c08_5141_ab53, 0x2748_774c_df8e_eb99, 0x34b0_bcb5_e19b_48a8,
  0x391c_0cb3_c5c9_5a63, 0x4ed8_aa4a_e341_8acb, 0x5b9c_ca4f_7763_e373, 0x682e_6ff3_d6b2_b8a3,
  0x748f_82ee_5def_b2fc, 0x78a5_636f_4317_2f60, 0x84c8_7814_a1f0_ab72, 0x8cc7_0208_1a64_39ec,
  0x90be_fffa_2363_1e28, 0xa450_6ceb_de82_bde9, 0xbef9_a3f7_b2c6_7915, 0xc671_78f2_e372_532b,
  0xca27_3ece_ea26_619c, 0xd186_b8c7_21c0_c207, 0xeada_7dd6_cde0_eb1e, 0xf57d_4f7f_ee6e_d178,
  0x06f0_67aa_7217_6fba, 0x0a63_7dc5_a2c8_98a6, 0x113f_9804_bef9_0dae, 0x1b71_0b35_131c_471b,
  0x28db_77f5_2304_7d84, 0x32ca_ab7b_40c7_2493, 0x3c9e_be0a_15c9_bebc, 0x431d_67c4_9c10_0d4c,
  0x4cc5_d4be_cb3e_42b6, 0x597f_299c_fc65_7e2a, 0x5fcb_6fab_3ad6_faec, 0x6c44_198c_4a47_5817,
]

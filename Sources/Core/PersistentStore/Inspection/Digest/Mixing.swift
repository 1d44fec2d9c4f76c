import Basics

/// The 64-bit mixing functions of all content digests: fast and portable, but not cryptographic.
///
/// Two words are multiplied, and the halves of the 128-bit product are combined by exclusive or.
/// Accidental collisions have a probability of about 2^-64 per pair; there is no protection against
/// deliberate collisions.
package enum Mixing {
  // Odd constants with many set bits, otherwise arbitrary: the fractional parts of the square roots
  // of 2, 3, 5 and 7.
  @usableFromInline static let first: UInt64 = 0x6a09_e667_f3bc_c909
  @usableFromInline static let second: UInt64 = 0xbb67_ae85_84ca_a73b
  @usableFromInline static let third: UInt64 = 0x3c6e_f372_fe94_f82b
  @usableFromInline static let fourth: UInt64 = 0xa54f_f53a_5f1d_36f1

  /// Multiplies two words and combines the halves of the product.
  @inlinable
  package static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    return product.high ^ product.low
  }

  /// Mixes a word so that each input bit affects about half of the output bits.
  @inlinable
  package static func spread(_ word: UInt64) -> UInt64 {
    fold(fold(word ^ first, second) ^ third, fourth)
  }

  /// Returns the digest of a sequence of bytes.
  ///
  /// Each step processes 32 bytes in two lanes; smaller steps process the rest.
  @inlinable
  package static func digest(of bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
    var lane = seed ^ first
    var offset = 0
    if bytes.count >= 32 {
      var other = seed ^ second
      repeat {
        lane = fold(word(bytes, offset) ^ third, word(bytes, offset + 8) ^ lane)
        other = fold(word(bytes, offset + 16) ^ fourth, word(bytes, offset + 24) ^ other)
        offset += 32
      } while offset + 32 <= bytes.count
      lane ^= other
    }
    while offset + 8 <= bytes.count {
      lane = fold(word(bytes, offset) ^ lane, fourth)
      offset += 8
    }
    if offset < bytes.count { lane = fold(rest(of: bytes) ^ lane, third) }
    // Mix in the length to distinguish a sequence from the same sequence with trailing zeros.
    return fold(lane ^ UInt64(truncatingIfNeeded: bytes.count), second)
  }

  @usableFromInline @inline(__always)
  static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// Returns the last eight bytes as one word, or all bytes if there are fewer than eight.
  ///
  /// The word may include bytes that were already processed. There must be at least one byte.
  @usableFromInline @inline(__always)
  static func rest(of bytes: UnsafeRawBufferPointer) -> UInt64 {
    let count = bytes.count
    if count >= 8 { return word(bytes, count - 8) }
    if count >= 4 {
      let (low, high) = (half(bytes, 0), half(bytes, count - 4))
      return low | high << 32
    }
    // For up to three bytes, the first, middle and last byte cover all of them.
    return UInt64(bytes[0]) | UInt64(bytes[count / 2]) << 8 | UInt64(bytes[count - 1]) << 16
  }

  @usableFromInline @inline(__always)
  static func half(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    UInt64(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
  }
}

/// The digest of bytes that arrive in segments of a fixed size.
///
/// A blob has the same digest in memory and when read from a file in segments.
package struct ByteDigest {
  /// The number of bytes per segment, except for the last.
  package static let segmentSize = 1 << 18

  private var state: UInt64 = 0
  package private(set) var count: Int64 = 0

  package init() {}

  /// Adds the next segment, which must have `segmentSize` bytes unless it is the last.
  package mutating func add(_ segment: UnsafeRawBufferPointer) {
    state = Mixing.digest(of: segment, seed: state)
    count += Int64(segment.count)
  }

  /// The digest of the bytes added so far.
  package var value: UInt64 { state }

  /// Returns the digest of bytes in memory.
  package static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    // Avoid the segment loop for a single segment, by far the most common case.
    if bytes.count <= segmentSize { return Mixing.digest(of: bytes) }
    var digest = ByteDigest()
    var offset = 0
    while offset < bytes.count {
      let end = min(offset + segmentSize, bytes.count)
      digest.add(UnsafeRawBufferPointer(rebasing: bytes[offset..<end]))
      offset = end
    }
    return digest.value
  }
}

/// The digest of a list of objects, computed incrementally.
package struct ListDigest: Hashable, Sendable {
  /// The number of objects added.
  package private(set) var count: Int64 = 0
  private var chain: UInt64 = 0
  private var low: UInt64 = 0
  private var high: UInt64 = 0

  package init() {}

  /// Adds the digest of the next object.
  @inline(__always)
  package mutating func add(_ object: UInt64) {
    count &+= 1
    chain = Mixing.fold(chain ^ object, Mixing.fourth)
    // Sums do not depend on the order. The second sum mixes the digests first, which makes it
    // independent of the first sum.
    low &+= object
    high &+= Mixing.fold(object ^ Mixing.third, Mixing.first)
  }

  /// The digest of the objects in the order in which they were added, with 16 hexadecimal digits.
  package var ordered: String {
    Mixing.spread(chain ^ UInt64(bitPattern: count)).digits(16, radix: 16)
  }

  /// The digest of the objects in any order, with 32 hexadecimal digits.
  package var unordered: String {
    let size = UInt64(bitPattern: count)
    return Mixing.spread(high ^ size).digits(16, radix: 16)
      + Mixing.spread(low ^ size).digits(16, radix: 16)
  }
}

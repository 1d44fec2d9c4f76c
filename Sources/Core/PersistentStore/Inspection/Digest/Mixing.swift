import Basics

/// The 64-bit mixing under every content digest: fast, portable, and no cryptography.
///
/// Two words are multiplied to 128 bits and folded by exclusive or. Two differing inputs collide
/// by accident once in about 2^64; whoever wants to make a collision can.
package enum Mixing {
  // Odd, dense in bits, and otherwise free: the fractions of the square roots of 2, 3, 5 and 7.
  @usableFromInline static let first: UInt64 = 0x6a09_e667_f3bc_c909
  @usableFromInline static let second: UInt64 = 0xbb67_ae85_84ca_a73b
  @usableFromInline static let third: UInt64 = 0x3c6e_f372_fe94_f82b
  @usableFromInline static let fourth: UInt64 = 0xa54f_f53a_5f1d_36f1

  /// The folded product of two words.
  @inlinable
  package static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    return product.high ^ product.low
  }

  /// Spreads a word so that every bit of it decides half the bits of the result.
  @inlinable
  package static func spread(_ word: UInt64) -> UInt64 {
    fold(fold(word ^ first, second) ^ third, fourth)
  }

  /// The digest of some bytes: 16 bytes a step in each of two lanes, then what is left.
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
    // The length keeps a shorter run of bytes apart from one that ends in zeros.
    return fold(lane ^ UInt64(truncatingIfNeeded: bytes.count), second)
  }

  @usableFromInline @inline(__always)
  static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// The last eight bytes as one word, some of them for the second time, or all where there are
  /// fewer; there is at least one.
  @usableFromInline @inline(__always)
  static func rest(of bytes: UnsafeRawBufferPointer) -> UInt64 {
    let count = bytes.count
    if count >= 8 { return word(bytes, count - 8) }
    if count >= 4 {
      let (low, high) = (half(bytes, 0), half(bytes, count - 4))
      return low | high << 32
    }
    // The first, the middle and the last byte are all there are.
    return UInt64(bytes[0]) | UInt64(bytes[count / 2]) << 8 | UInt64(bytes[count - 1]) << 16
  }

  @usableFromInline @inline(__always)
  static func half(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    UInt64(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
  }
}

/// The digest of a run of bytes that arrives in segments of a fixed size.
///
/// A blob in memory and the same blob read from a file segment by segment have one digest.
package struct ByteDigest {
  /// Bytes a segment, all but the last.
  package static let segmentSize = 1 << 18

  private var state: UInt64 = 0
  package private(set) var count: Int64 = 0

  package init() {}

  /// Adds the next segment: `segmentSize` bytes, fewer only at the end.
  package mutating func add(_ segment: UnsafeRawBufferPointer) {
    state = Mixing.digest(of: segment, seed: state)
    count += Int64(segment.count)
  }

  /// The digest of what was added.
  package var value: UInt64 { state }

  /// The digest of bytes that are in memory.
  package static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    // One segment is by far the most frequent case.
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

/// The digest of a list of objects, fed object by object.
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
    // Sums forget the order; the second one is of digests that share no structure with the first.
    low &+= object
    high &+= Mixing.fold(object ^ Mixing.third, Mixing.first)
  }

  /// The digest of these objects in this order, 16 hexadecimal digits.
  package var ordered: String {
    Mixing.spread(chain ^ UInt64(bitPattern: count)).digits(16, radix: 16)
  }

  /// The digest of these objects in any order, 32 hexadecimal digits.
  package var unordered: String {
    let size = UInt64(bitPattern: count)
    return Mixing.spread(high ^ size).digits(16, radix: 16)
      + Mixing.spread(low ^ size).digits(16, radix: 16)
  }
}

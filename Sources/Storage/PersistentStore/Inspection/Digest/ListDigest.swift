import Basics

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

  /// Adds all objects of another list, without regard to the order of the two.
  package mutating func formUnion(_ other: ListDigest) {
    count &+= other.count
    chain = Mixing.fold(chain ^ other.chain, Mixing.fourth)
    low &+= other.low
    high &+= other.high
  }

  /// The digest of these objects in this order, 16 hexadecimal digits.
  package var ordered: String { Self.hexadecimal(Mixing.spread(chain ^ UInt64(bitPattern: count))) }

  /// The digest of these objects in any order, 32 hexadecimal digits.
  package var unordered: String {
    let size = UInt64(bitPattern: count)
    return Self.hexadecimal(Mixing.spread(high ^ size))
      + Self.hexadecimal(Mixing.spread(low ^ size))
  }

  private static func hexadecimal(_ word: UInt64) -> String {
    let digits = String(word, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

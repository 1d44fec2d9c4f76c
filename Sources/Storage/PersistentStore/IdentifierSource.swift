import Basics

/// UUIDs that a seed decides, for stores, external files and whatever else needs a name.
package final class IdentifierSource {
  private var numbers: SplitMix64

  package init(seed: UInt64) {
    numbers = SplitMix64(state: seed)
  }

  /// The next UUID's 16 bytes, version 4, in RFC 9562 order.
  package func nextBytes() -> [UInt8] {
    var bytes: [UInt8] = []
    for bits in [numbers.next(), numbers.next()] {
      bytes += (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * $0)) }
    }
    bytes[6] = bytes[6] & 0x0f | 0x40
    bytes[8] = bytes[8] & 0x3f | 0x80
    return bytes
  }

  /// The next UUID as 36 characters in upper case.
  package func next() -> String { Self.text(of: nextBytes()) }

  /// The text of a UUID's 16 bytes, in upper case.
  package static func text(of bytes: [UInt8]) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var text: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text.append(0x2d) }
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}

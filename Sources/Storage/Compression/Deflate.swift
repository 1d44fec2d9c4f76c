import CZlib

/// Raw deflate (RFC 1951): no header, no checksum; the form of Z_MODELCACHE.
package enum Deflate {
  /// The bytes in deflate form, at level 0 (none) to 9 (smallest).
  ///
  /// The result is the same wherever the same zlib runs; ``store(_:)`` does not depend on it.
  package static func compress(_ bytes: [UInt8], level: Int = 6) throws -> [UInt8] {
    var result: [UInt8] = []
    let stream = try DeflateStream(level: level)
    try bytes.withUnsafeBytes { try stream.write($0, finishing: true) { result += $0 } }
    return result
  }

  /// The bytes in deflate form without compression: the same on every machine.
  package static func store(_ bytes: [UInt8]) -> [UInt8] {
    // A stored block holds at most 65,535 bytes; empty input still needs its last block.
    let largest = Int(UInt16.max)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + 5 * (bytes.count / largest + 1))
    var start = 0
    repeat {
      let end = min(start + largest, bytes.count)
      let count = UInt16(end - start)
      result.append(end == bytes.count ? 1 : 0)
      result += littleEndian(count) + littleEndian(~count)
      result += bytes[start..<end]
      start = end
    } while start < bytes.count
    return result
  }

  /// The unpacked bytes of raw deflate data that fills all of the input.
  ///
  /// Throws a ``CompressionError``: `truncated`, `corrupt`, `trailingBytes`, or `tooLarge` before
  /// more than `limit` bytes are kept.
  package static func decompress(_ bytes: [UInt8], limit: Int) throws -> [UInt8] {
    let (result, used) = try inflatePrefix(of: bytes, from: 0, limit: limit)
    guard used == bytes.count else { throw CompressionError.trailingBytes(bytes.count - used) }
    return result
  }
}

func littleEndian<Integer: FixedWidthInteger>(_ value: Integer) -> [UInt8] {
  withUnsafeBytes(of: value.littleEndian) { Array($0) }
}

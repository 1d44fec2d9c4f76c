/// The gzip file format (RFC 1952), one member a file.
package enum Gzip {
  /// The bytes as a gzip file with neither time, name nor system in its header.
  ///
  /// The same input gives the same file wherever the same zlib runs.
  package static func compress(_ bytes: [UInt8], level: Int = 6) throws -> [UInt8] {
    var result: [UInt8] = []
    var writer = try GzipWriter(level: level) { result += $0 }
    try writer.append(bytes)
    try writer.finish()
    return result
  }

  /// The unpacked content of a gzip file, checked against its checksum and length.
  ///
  /// Throws a ``CompressionError``; `tooLarge` before more than `limit` bytes are kept.
  package static func decompress(_ bytes: [UInt8], limit: Int) throws -> [UInt8] {
    let start = try headerLength(of: bytes)
    let (output, end) = try inflatePrefix(of: bytes, from: start, limit: limit)
    guard bytes.count >= end + 8 else { throw CompressionError.truncated }
    guard bytes.count == end + 8 else {
      throw CompressionError.trailingBytes(bytes.count - end - 8)
    }
    let (checksum, length) = (word(of: bytes, at: end), word(of: bytes, at: end + 4))
    var computed = Checksum()
    computed.append(output)
    guard checksum == computed.value else {
      throw CompressionError.checksumMismatch(stored: checksum, computed: computed.value)
    }
    guard length == UInt32(truncatingIfNeeded: output.count) else {
      throw CompressionError.lengthMismatch(stored: length, actual: output.count)
    }
    return output
  }
}

/// What the optional parts of a gzip header are announced by.
private struct HeaderFlags: OptionSet {
  let rawValue: UInt8

  static let headerChecksum = HeaderFlags(rawValue: 2)
  static let extra = HeaderFlags(rawValue: 4)
  static let name = HeaderFlags(rawValue: 8)
  static let comment = HeaderFlags(rawValue: 16)
  static let reserved = HeaderFlags(rawValue: 0xe0)
}

private func headerLength(of bytes: [UInt8]) throws(CompressionError) -> Int {
  guard bytes.prefix(2).elementsEqual([0x1f, 0x8b].prefix(bytes.count)) else { throw .notGzip }
  guard bytes.count >= 10 else { throw .truncated }
  let flags = HeaderFlags(rawValue: bytes[3])
  guard bytes[2] == 8, flags.isDisjoint(with: .reserved) else { throw .unsupportedHeader }
  var end = 10
  if flags.contains(.extra) {
    guard bytes.count >= end + 2 else { throw .truncated }
    end += 2 + Int(bytes[end]) + Int(bytes[end + 1]) << 8
  }
  for text in [HeaderFlags.name, .comment] where flags.contains(text) {
    guard end < bytes.count, let zero = bytes[end...].firstIndex(of: 0) else { throw .truncated }
    end = zero + 1
  }
  if flags.contains(.headerChecksum) { end += 2 }
  guard end <= bytes.count else { throw .truncated }
  return end
}

private func word(of bytes: [UInt8], at offset: Int) -> UInt32 {
  bytes[offset..<(offset + 4)].reversed().reduce(0) { $0 << 8 | UInt32($1) }
}

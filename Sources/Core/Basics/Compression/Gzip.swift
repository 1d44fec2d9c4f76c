import CZlib

/// The gzip file format (RFC 1952), with one member per file.
package enum Gzip {
  /// Compresses bytes into a gzip file whose header has no time, name or system.
  ///
  /// The same input and zlib version always give the same file.
  package static func compress(_ bytes: [UInt8], level: Int = 6) throws -> [UInt8] {
    var result: [UInt8] = []
    var writer = try GzipWriter(level: level) { result += $0 }
    try writer.append(bytes)
    try writer.finish()
    return result
  }

  /// Unpacks a gzip file and checks the content against its checksum and length.
  ///
  /// - Throws: A ``Refusal``; `tooLarge` as soon as the content exceeds `limit` bytes.
  package static func decompress(_ bytes: [UInt8], limit: Int) throws -> [UInt8] {
    let start = try headerLength(of: bytes)
    let (output, end) = try InflateStream.prefix(of: bytes, from: start, limit: limit)
    guard bytes.count >= end + 8 else { throw Refusal.truncated }
    guard bytes.count == end + 8 else {
      throw Refusal.trailingBytes(bytes.count - end - 8)
    }
    let (checksum, length) = (word(of: bytes, at: end), word(of: bytes, at: end + 4))
    var computed = Checksum()
    computed.append(output)
    guard checksum == computed.value else {
      throw Refusal.badInput(
        "the unpacked data is damaged: its CRC is \(computed.value.digits(8, radix: 16)) instead "
          + "of \(checksum.digits(8, radix: 16))"
      )
    }
    guard length == UInt32(truncatingIfNeeded: output.count) else {
      throw Refusal.badInput(
        "the unpacked data is damaged: it has \(output.count) bytes instead of "
          + "\(length)"
      )
    }
    return output
  }
}

private struct HeaderFlags: OptionSet {
  let rawValue: UInt8

  static let headerChecksum = HeaderFlags(rawValue: 2)
  static let extra = HeaderFlags(rawValue: 4)
  static let name = HeaderFlags(rawValue: 8)
  static let comment = HeaderFlags(rawValue: 16)
  static let reserved = HeaderFlags(rawValue: 0xe0)
}

private func headerLength(of bytes: [UInt8]) throws(Refusal) -> Int {
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

/// Writes a gzip file piece by piece, in bounded memory.
///
/// Call ``finish()`` once at the end; without it, the file is truncated.
package struct GzipWriter {
  private let stream: DeflateStream
  private let sink: (ArraySlice<UInt8>) throws -> Void
  private var checksum = Checksum()
  private var length = 0

  /// Starts a file: the sink receives the header at once, then the compressed pieces in order.
  package init(level: Int = 6, sink: @escaping (ArraySlice<UInt8>) throws -> Void) throws {
    stream = try DeflateStream(level: level)
    self.sink = sink
    // The signature, deflate, no flags, time 0, no hint, unknown system: a constant header keeps
    // the output reproducible.
    try sink([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])
  }

  /// Compresses the next bytes of the content.
  package mutating func append(_ bytes: [UInt8]) throws {
    checksum.append(bytes)
    length += bytes.count
    try bytes.withUnsafeBytes { try stream.write($0, finishing: false, sink: sink) }
  }

  /// Writes the remaining compressed bytes, the checksum and the length.
  package mutating func finish() throws {
    try stream.write(UnsafeRawBufferPointer(start: nil, count: 0), finishing: true, sink: sink)
    let trailer = littleEndian(checksum.value) + littleEndian(UInt32(truncatingIfNeeded: length))
    try sink(trailer[...])
  }
}

/// Unpacks a gzip file piece by piece, in bounded memory; zlib checks the checksum and length.
package final class GzipReader {
  private let stream: InflateStream
  private let source: () throws -> [UInt8]?
  private var input: [UInt8] = []
  private var offset = 0
  private var isAtEnd = false

  /// Starts to read a file whose bytes come from `source`, which returns `nil` at the end.
  package init(source: @escaping () throws -> [UInt8]?) throws {
    self.source = source
    // Adding 16 to the window bits selects the gzip format.
    stream = try InflateStream(windowBits: MAX_WBITS + 16)
  }

  /// Returns the next bytes of the content, or `nil` at its end.
  package func next() throws -> ArraySlice<UInt8>? {
    while !isAtEnd {
      if offset == input.count {
        guard let more = try source() else { throw Refusal.truncated }
        (input, offset) = (more, 0)
        continue
      }
      let piece = try stream.step(input, from: &offset)
      isAtEnd = piece.isAtEnd
      if !piece.output.isEmpty { return piece.output }
    }
    return nil
  }
}

private struct Checksum {
  private var state = crc32(0, nil, 0)

  var value: UInt32 { UInt32(truncatingIfNeeded: state) }

  mutating func append(_ bytes: [UInt8]) {
    // zlib interprets a missing buffer as a request to reset the checksum.
    guard !bytes.isEmpty else { return }
    bytes.withUnsafeBufferPointer { state = crc32_z(state, $0.baseAddress, $0.count) }
  }
}

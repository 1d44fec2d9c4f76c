import CZlib

/// Raw deflate data (RFC 1951), without header or checksum, as in Core Data's table Z_MODELCACHE.
package enum Deflate {
  /// Compresses the bytes at level 0 (none) to 9 (smallest).
  ///
  /// The result depends on the zlib version, unlike the result of ``store(_:)``.
  package static func compress(_ bytes: [UInt8], level: Int = 6) throws -> [UInt8] {
    var result: [UInt8] = []
    let stream = try DeflateStream(level: level)
    try bytes.withUnsafeBytes { try stream.write($0, finishing: true) { result += $0 } }
    return result
  }

  /// Encodes the bytes as deflate data without compression, with the same result on every machine.
  package static func store(_ bytes: [UInt8]) -> [UInt8] {
    // A stored block has at most 65,535 bytes; empty input still needs one final block.
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

  /// Unpacks raw deflate data that must fill the whole input.
  ///
  /// - Throws: A ``Refusal``; `tooLarge` as soon as the output exceeds `limit` bytes.
  package static func decompress(_ bytes: [UInt8], limit: Int) throws -> [UInt8] {
    let (result, used) = try InflateStream.prefix(of: bytes, from: 0, limit: limit)
    guard used == bytes.count else { throw Refusal.trailingBytes(bytes.count - used) }
    return result
  }
}

func littleEndian<Integer: FixedWidthInteger>(_ value: Integer) -> [UInt8] {
  withUnsafeBytes(of: value.littleEndian) { Array($0) }
}

/// A zlib compressor; it is a class, because zlib keeps pointers into its state.
final class DeflateStream {
  private let stream: UnsafeMutablePointer<z_stream>
  private var output = [UInt8](repeating: 0, count: chunkSize)

  init(level: Int) throws(Refusal) {
    guard (0...9).contains(level) else { throw .invalidLevel(level) }
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let status = czlib_deflate_init(stream, Int32(level), -MAX_WBITS)
    guard status == Z_OK else { throw .zlib(status: status) }
  }

  deinit {
    deflateEnd(stream)
    stream.deinitialize(count: 1)
    stream.deallocate()
  }

  func write(
    _ input: UnsafeRawBufferPointer,
    finishing: Bool,
    sink: (ArraySlice<UInt8>) throws -> Void
  ) throws {
    var rest = input
    repeat {
      // Pass at most 1 GiB at a time, because zlib counts its input in 32 bits.
      let part = UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 30))
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(part.count))
      setInput(of: stream, to: part)
      try drain(finishing: finishing && rest.isEmpty, sink: sink)
    } while !rest.isEmpty
  }

  private func drain(finishing: Bool, sink: (ArraySlice<UInt8>) throws -> Void) throws {
    var status = Z_OK
    repeat {
      status = output.withUnsafeMutableBufferPointer { buffer in
        stream.pointee.next_out = buffer.baseAddress
        stream.pointee.avail_out = UInt32(buffer.count)
        return deflate(stream, finishing ? Z_FINISH : Z_NO_FLUSH)
      }
      // Z_BUF_ERROR is not a failure: there was nothing left to compress.
      guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
        throw Refusal.zlib(status: status)
      }
      let produced = output.count - Int(stream.pointee.avail_out)
      if produced > 0 { try sink(output[..<produced]) }
    } while finishing ? status != Z_STREAM_END : stream.pointee.avail_out == 0
  }
}

/// A zlib decompressor; it is a class, because zlib keeps pointers into its state.
final class InflateStream {
  private let stream: UnsafeMutablePointer<z_stream>
  private var output = [UInt8](repeating: 0, count: chunkSize)

  /// Unpacks raw deflate data if `windowBits` is `-MAX_WBITS`, or a gzip file if it is
  /// `MAX_WBITS + 16`.
  init(windowBits: Int32) throws(Refusal) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let status = czlib_inflate_init(stream, windowBits)
    guard status == Z_OK else { throw .zlib(status: status) }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  func step(
    _ input: [UInt8],
    from offset: inout Int
  ) throws(Refusal) -> (output: ArraySlice<UInt8>, isAtEnd: Bool) {
    let (status, consumed) = input[offset...].prefix(1 << 30).withUnsafeBytes { input in
      output.withUnsafeMutableBufferPointer { output in
        setInput(of: stream, to: input)
        stream.pointee.next_out = output.baseAddress
        stream.pointee.avail_out = UInt32(output.count)
        let status = inflate(stream, Z_NO_FLUSH)
        return (status, input.count - Int(stream.pointee.avail_in))
      }
    }
    offset += consumed
    switch status {
    case Z_OK, Z_BUF_ERROR, Z_STREAM_END: break
    case Z_DATA_ERROR, Z_NEED_DICT: throw .corrupt(offset: offset)
    default: throw .zlib(status: status)
    }
    let produced = output.count - Int(stream.pointee.avail_out)
    return (output[..<produced], status == Z_STREAM_END)
  }

  static func prefix(
    of bytes: [UInt8],
    from start: Int,
    limit: Int
  ) throws(Refusal) -> (output: [UInt8], end: Int) {
    let stream = try InflateStream(windowBits: -MAX_WBITS)
    var output: [UInt8] = []
    var offset = start
    while true {
      let before = offset
      let piece = try stream.step(bytes, from: &offset)
      guard output.count + piece.output.count <= limit else { throw .tooLarge(limit: limit) }
      output += piece.output
      if piece.isAtEnd { return (output, offset) }
      guard !piece.output.isEmpty || offset > before else { throw .truncated }
    }
  }
}

let chunkSize = 64 * 1024

/// Points zlib at its next input, which zlib does not modify.
func setInput(of stream: UnsafeMutablePointer<z_stream>, to input: UnsafeRawBufferPointer) {
  stream.pointee.next_in = UnsafeMutablePointer(
    mutating: input.bindMemory(to: UInt8.self).baseAddress
  )
  stream.pointee.avail_in = UInt32(input.count)
}

import CZlib

/// A gzip file unpacked piece by piece, in bounded memory; zlib checks its checksum and length.
package final class GzipReader {
  private let stream: UnsafeMutablePointer<z_stream>
  private let source: () throws -> [UInt8]?
  private var input: [UInt8] = []
  private var offset = 0
  private var isAtEnd = false
  private var output = [UInt8](repeating: 0, count: chunkSize)

  /// Starts a file whose bytes the source hands over, `nil` at its end.
  ///
  /// - Throws: ``CompressionError``.
  package init(source: @escaping () throws -> [UInt8]?) throws {
    self.source = source
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // 16 more window bits ask for the gzip format.
    let status = czlib_inflate_init(stream, MAX_WBITS + 16)
    guard status == Z_OK else { throw CompressionError.zlib(status: status) }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// The next bytes of the content; `nil` at its end.
  ///
  /// - Throws: ``CompressionError``.
  package func next() throws -> ArraySlice<UInt8>? {
    while !isAtEnd {
      if offset == input.count {
        guard let more = try source() else { throw CompressionError.truncated }
        (input, offset) = (more, 0)
        continue
      }
      let produced = try inflateStep()
      if produced > 0 { return output[..<produced] }
    }
    return nil
  }

  private func inflateStep() throws -> Int {
    let (status, consumed, produced) = input[offset...].withUnsafeBytes { input in
      output.withUnsafeMutableBufferPointer { buffer in
        setInput(of: stream, to: input)
        stream.pointee.next_out = buffer.baseAddress
        stream.pointee.avail_out = UInt32(buffer.count)
        let status = inflate(stream, Z_NO_FLUSH)
        return (
          status, input.count - Int(stream.pointee.avail_in),
          buffer.count - Int(stream.pointee.avail_out)
        )
      }
    }
    offset += consumed
    switch status {
    case Z_STREAM_END: isAtEnd = true
    case Z_OK, Z_BUF_ERROR: break
    case Z_DATA_ERROR, Z_NEED_DICT: throw CompressionError.corrupt(offset: offset)
    default: throw CompressionError.zlib(status: status)
    }
    return produced
  }
}

import CZlib

/// The unpacked bytes of the deflate data at `start`, and the offset where it ends.
func inflatePrefix(
  of bytes: [UInt8],
  from start: Int,
  limit: Int
) throws(CompressionError) -> (output: [UInt8], end: Int) {
  // zlib keeps a pointer back to the stream, which therefore must not move.
  let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
  stream.initialize(to: z_stream())
  defer { stream.deallocate() }
  let status = czlib_inflate_init(stream, -MAX_WBITS)
  guard status == Z_OK else { throw .zlib(status: status) }
  defer { inflateEnd(stream) }

  var output: [UInt8] = []
  var offset = start
  var chunk = [UInt8](repeating: 0, count: chunkSize)
  while true {
    let step = inflateStep(stream, bytes[offset...].prefix(1 << 30), into: &chunk)
    guard output.count + step.produced <= limit else { throw .tooLarge(limit: limit) }
    output += chunk[..<step.produced]
    offset += step.consumed
    switch step.status {
    case Z_STREAM_END: return (output, offset)
    case Z_OK where step.produced > 0 || step.consumed > 0: continue
    case Z_OK, Z_BUF_ERROR: throw .truncated
    case Z_DATA_ERROR, Z_NEED_DICT: throw .corrupt(offset: offset)
    default: throw .zlib(status: step.status)
    }
  }
}

private func inflateStep(
  _ stream: UnsafeMutablePointer<z_stream>,
  _ input: ArraySlice<UInt8>,
  into chunk: inout [UInt8]
) -> (status: Int32, consumed: Int, produced: Int) {
  input.withUnsafeBytes { input in
    chunk.withUnsafeMutableBufferPointer { output in
      setInput(of: stream, to: input)
      stream.pointee.next_out = output.baseAddress
      stream.pointee.avail_out = UInt32(output.count)
      let status = inflate(stream, Z_NO_FLUSH)
      let consumed = input.count - Int(stream.pointee.avail_in)
      return (status, consumed, output.count - Int(stream.pointee.avail_out))
    }
  }
}

import CZlib

/// A running raw deflate compression; zlib keeps pointers into it, so it has an identity.
final class DeflateStream {
  private let stream: UnsafeMutablePointer<z_stream>
  private var output = [UInt8](repeating: 0, count: chunkSize)

  init(level: Int) throws(CompressionError) {
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

  /// Takes more input and hands over whatever output is ready.
  func write(
    _ input: UnsafeRawBufferPointer,
    finishing: Bool,
    sink: (ArraySlice<UInt8>) throws -> Void
  ) throws {
    var rest = input
    repeat {
      // zlib counts its input in 32 bits.
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
      // Z_BUF_ERROR only says that there was nothing left to do.
      guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
        throw CompressionError.zlib(status: status)
      }
      let produced = output.count - Int(stream.pointee.avail_out)
      if produced > 0 { try sink(output[..<produced]) }
    } while finishing ? status != Z_STREAM_END : stream.pointee.avail_out == 0
  }
}

/// The size of the pieces that compressed and unpacked data come in.
let chunkSize = 64 * 1024

/// Points zlib at its next input, which it never writes to.
func setInput(of stream: UnsafeMutablePointer<z_stream>, to input: UnsafeRawBufferPointer) {
  stream.pointee.next_in = UnsafeMutablePointer(
    mutating: input.bindMemory(to: UInt8.self).baseAddress
  )
  stream.pointee.avail_in = UInt32(input.count)
}

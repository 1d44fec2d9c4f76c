/// A gzip file written piece by piece, in bounded memory.
///
/// Call ``finish()`` once at the end: without it the file is truncated.
package struct GzipWriter {
  private let stream: DeflateStream
  private let sink: (ArraySlice<UInt8>) throws -> Void
  private var checksum = Checksum()
  private var length = 0

  /// Starts a file: the sink receives the header at once and later pieces in order.
  package init(level: Int = 6, sink: @escaping (ArraySlice<UInt8>) throws -> Void) throws {
    stream = try DeflateStream(level: level)
    self.sink = sink
    // Magic, deflate, no flags, time 0, no hint, unknown system: the bytes never differ.
    try sink([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])
  }

  /// Compresses more of the content.
  package mutating func append(_ bytes: [UInt8]) throws {
    checksum.append(bytes)
    length += bytes.count
    try bytes.withUnsafeBytes { try stream.write($0, finishing: false, sink: sink) }
  }

  /// Writes what is left, the checksum and the length.
  package mutating func finish() throws {
    try stream.write(UnsafeRawBufferPointer(start: nil, count: 0), finishing: true, sink: sink)
    let trailer = littleEndian(checksum.value) + littleEndian(UInt32(truncatingIfNeeded: length))
    try sink(trailer[...])
  }
}

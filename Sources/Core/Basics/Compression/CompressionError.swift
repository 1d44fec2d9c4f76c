/// What can be wrong with compressed bytes or with a request to compress.
package enum CompressionError: Error, Equatable, CustomStringConvertible {
  case invalidLevel(Int)
  /// The bytes do not start as a gzip member does.
  case notGzip
  /// A compression method or header flag that RFC 1952 does not define.
  case unsupportedHeader
  case truncated
  /// The deflate data breaks its own rules before this many bytes of input.
  case corrupt(offset: Int)
  case checksumMismatch(stored: UInt32, computed: UInt32)
  case lengthMismatch(stored: UInt32, actual: Int)
  case trailingBytes(Int)
  /// The data unpacks to more bytes than the caller allows.
  case tooLarge(limit: Int)
  /// A status of zlib that none of the others explains, such as no memory.
  case zlib(status: Int32)

  package var description: String {
    switch self {
    case .invalidLevel(let level):
      "compression level \(level) does not exist: use 0 (none) to 9 (smallest)"
    case .notGzip:
      "the data is not gzip: it does not start with 1f 8b"
    case .unsupportedHeader:
      "the gzip header asks for a method or a flag that the format does not define"
    case .truncated:
      "the compressed data ends too early: it was cut off"
    case .corrupt(let offset):
      "the compressed data is damaged near byte \(offset)"
    case .checksumMismatch(let stored, let computed):
      "the unpacked data is damaged: its CRC is \(hex(computed)) instead of \(hex(stored))"
    case .lengthMismatch(let stored, let actual):
      "the unpacked data is damaged: it has \(actual) bytes instead of \(stored)"
    case .trailingBytes(let count):
      "\(count) bytes follow the end of the compressed data"
    case .tooLarge(let limit):
      "the compressed data unpacks to more than \(limit) bytes, the most allowed here"
    case .zlib(let status):
      "zlib failed with status \(status)"
    }
  }
}

private func hex(_ value: UInt32) -> String {
  let digits = String(value, radix: 16)
  return String(repeating: "0", count: 8 - digits.count) + digits
}

import CZlib

/// The CRC-32 of gzip, over bytes as they come.
struct Checksum {
  private var state = crc32(0, nil, 0)

  var value: UInt32 { UInt32(truncatingIfNeeded: state) }

  mutating func append(_ bytes: [UInt8]) {
    // Without a buffer zlib would start over instead of adding nothing.
    guard !bytes.isEmpty else { return }
    bytes.withUnsafeBufferPointer { state = crc32_z(state, $0.baseAddress, $0.count) }
  }
}

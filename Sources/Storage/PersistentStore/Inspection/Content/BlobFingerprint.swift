/// What a comparison keeps of a blob: its size, its digest and its first bytes.
package struct BlobFingerprint: Hashable, Sendable {
  /// Bytes in all.
  package let count: Int64
  /// The ``ByteDigest`` of the content.
  package let digest: UInt64
  /// The first 16 bytes, or all of a shorter blob: a UUID is kept whole.
  package let head: [UInt8]

  package init(count: Int64, digest: UInt64, head: [UInt8]) {
    self.count = count
    self.digest = digest
    self.head = head
  }

  package init(of bytes: UnsafeRawBufferPointer) {
    self.init(
      count: Int64(bytes.count),
      digest: ByteDigest.of(bytes),
      head: Array(bytes.prefix(16))
    )
  }

  package init(of bytes: [UInt8]) {
    self = bytes.withUnsafeBytes { BlobFingerprint(of: $0) }
  }
}

extension BlobFingerprint: CustomStringConvertible {
  /// All bytes of a blob no longer than a UUID; of a longer one its size and digest.
  package var description: String {
    guard count > 16 else {
      return "blob of \(count) bytes" + (count == 0 ? "" : " \(head.map(Self.pair).joined())")
    }
    return "blob of \(count) bytes, digest \(String(digest, radix: 16))"
  }

  private static func pair(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }
}

import Basics

/// Reads the content of blobs that a store keeps inline or in files (coredata-format.md, section
/// 8).
package struct BlobContent: Sendable {
  /// The location of a value's content, for an attribute with external storage.
  package enum Reference: Hashable, Sendable {
    /// The content follows the marker byte.
    case inline
    /// The name of a file in the folder of external data.
    case file(String)
    case malformed(String)
  }

  /// The size of a reference in bytes: a marker byte, a UUID string, and a zero byte.
  package static let referenceSize = 38

  let folder: String

  /// Reads the marker of a value.
  ///
  /// A name that is not a UUID is treated as malformed, so that no path leads outside the folder.
  package static func reference(_ bytes: UnsafeRawBufferPointer) -> Reference {
    guard let marker = bytes.first else { return .malformed("external data without a marker") }
    if marker == 1 { return .inline }
    guard marker == 2 else { return .malformed("external data with the marker \(marker)") }
    guard bytes.count == referenceSize, bytes[referenceSize - 1] == 0 else {
      return .malformed("an external reference of \(bytes.count) bytes")
    }
    let name = bytes[1..<referenceSize - 1]
    guard isUUID(name) else { return .malformed("an external reference that is not a UUID") }
    return .file(String(decoding: name, as: UTF8.self))
  }

  /// Whether the bytes are a UUID as `uuidString` writes it: upper case, with dashes.
  static func isUUID(_ name: some Collection<UInt8>) -> Bool {
    guard name.count == 36 else { return false }
    return name.enumerated().allSatisfy { offset, byte in
      switch offset {
      case 8, 13, 18, 23: byte == UInt8(ascii: "-")
      default: (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte)
      }
    }
  }

  func value(_ bytes: UnsafeRawBufferPointer) -> ContentValue {
    switch Self.reference(bytes) {
    case .inline:
      return .blob(BlobFingerprint(of: UnsafeRawBufferPointer(rebasing: bytes.dropFirst())))
    case .file(let name):
      guard access(folder + "/" + name, F_OK) == 0 || errno != ENOENT else {
        return .missingFile(name)
      }
      return Self.value(ofFile: name, in: folder)
    case .malformed(let what): return .malformed(what, digest: ByteDigest.of(bytes))
    }
  }

  /// Returns the content of a file in a folder, or the reason why it cannot be read.
  ///
  /// The name may be a path below the folder; a path that leads outside is refused.
  package static func value(ofFile name: String, in folder: String) -> ContentValue {
    let digest = ObjectDigest.digest(of: name)
    guard isBelow(name) else { return .malformed("the forbidden path '\(name)'", digest: digest) }
    guard let fingerprint = fingerprint(ofFile: folder + "/" + name) else {
      return .malformed(
        "the file '\(name)', which is missing or not a regular file",
        digest: digest
      )
    }
    return .blob(fingerprint)
  }

  static func isBelow(_ path: String) -> Bool {
    !path.isEmpty && !path.utf8.contains(0)
      && path.split(separator: "/", omittingEmptySubsequences: false)
        .allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." }
  }

  /// Returns the fingerprint (size, digest and first bytes) of a file, read in segments.
  ///
  /// Returns `nil` if the file is missing or unreadable, or is a link, a folder or a device.
  package static func fingerprint(ofFile path: String) -> BlobFingerprint? {
    // O_NONBLOCK prevents open from blocking if the path is a pipe.
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    guard let status = FileStatus(ofOpen: descriptor), status.kind == .file else { return nil }
    let size = min(ByteDigest.segmentSize, max(1, Int(status.size)))
    return withUnsafeTemporaryAllocation(byteCount: size, alignment: 16) { buffer in
      fingerprint(of: descriptor, segment: buffer)
    }
  }

  private static func fingerprint(
    of descriptor: Int32,
    segment buffer: UnsafeMutableRawBufferPointer
  ) -> BlobFingerprint? {
    var digest = ByteDigest()
    var head: [UInt8] = []
    while true {
      guard let count = fill(buffer, from: descriptor) else { return nil }
      let segment = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      if digest.count == 0 { head = Array(segment.prefix(16)) }
      // Add one empty segment for empty content, as for a blob in memory.
      if count > 0 || digest.count == 0 { digest.add(segment) }
      if count < buffer.count || buffer.count < ByteDigest.segmentSize { break }
    }
    return BlobFingerprint(count: digest.count, digest: digest.value, head: head)
  }

  private static func fill(
    _ buffer: UnsafeMutableRawBufferPointer,
    from descriptor: Int32
  ) -> Int? {
    var filled = 0
    while filled < buffer.count {
      let count = read(descriptor, buffer.baseAddress?.advanced(by: filled), buffer.count - filled)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      if count == 0 { break }
      filled += count
    }
    return filled
  }
}

/// The size, digest and first bytes of a blob, which a comparison keeps instead of it.
package struct BlobFingerprint: Hashable, Sendable, CustomStringConvertible {
  /// The size in bytes.
  package let count: Int64
  /// The ``ByteDigest`` of the content.
  package let digest: UInt64
  /// The first 16 bytes, or the whole blob if it is shorter; a UUID fits completely.
  package let head: [UInt8]

  /// The blob's size, with its bytes if there are at most 16, otherwise with its digest.
  package var description: String {
    guard count > 16 else {
      return "blob of \(count) bytes" + (count == 0 ? "" : " \(head.hexadecimal)")
    }
    return "blob of \(count) bytes, digest \(String(digest, radix: 16))"
  }
}

extension BlobFingerprint {
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

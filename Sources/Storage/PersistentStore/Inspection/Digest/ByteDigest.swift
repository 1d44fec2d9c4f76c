/// The digest of a run of bytes that arrives in segments of a fixed size.
///
/// A blob in memory and the same blob read from a file segment by segment have one digest.
package struct ByteDigest {
  /// Bytes a segment, all but the last.
  package static let segmentSize = 1 << 18

  private var state: UInt64 = 0
  package private(set) var count: Int64 = 0

  package init() {}

  /// Adds the next segment: `segmentSize` bytes, fewer only at the end.
  package mutating func add(_ segment: UnsafeRawBufferPointer) {
    state = Mixing.digest(of: segment, seed: state)
    count += Int64(segment.count)
  }

  /// The digest of what was added.
  package var value: UInt64 { state }

  /// The digest of bytes that are in memory.
  package static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    // One segment is by far the most frequent case.
    if bytes.count <= segmentSize { return Mixing.digest(of: bytes) }
    var digest = ByteDigest()
    var offset = 0
    while offset < bytes.count {
      let end = min(offset + segmentSize, bytes.count)
      digest.add(UnsafeRawBufferPointer(rebasing: bytes[offset..<end]))
      offset = end
    }
    return digest.value
  }
}

/// The blobs of a case: each a function of the seed, its object's key and its version.
///
/// A blob is a stretch of one pool of random bytes, cheap to cut while the work is timed, with the
/// key and the version mixed into its first bytes. Nothing of it can be compressed, as with photos.
struct SeededBlobs: Sendable {
  /// The stretches begin at this many places of the pool.
  private static let places = 1 << 16
  private static let markerSize = 16

  let size: Int
  private let seed: UInt64
  private let pool: [UInt8]

  init(seed: UInt64, size: Int) {
    self.size = size
    self.seed = seed
    let count = (size + Self.places + 7) / 8
    pool = [UInt8](unsafeUninitializedCapacity: count * 8) { buffer, filled in
      for index in 0..<count {
        let word = SeededBits.word(seed, 0x706f_6f6c, UInt64(index)).littleEndian
        UnsafeMutableRawBufferPointer(buffer)
          .storeBytes(of: word, toByteOffset: index * 8, as: UInt64.self)
      }
      filled = count * 8
    }
  }

  /// The blob of an object; version 0 is the first.
  func bytes(of key: Int64, version: Int = 0) -> [UInt8] {
    let position = UInt64(bitPattern: key) &* 8 &+ UInt64(version)
    let place = Int(SeededBits.word(seed, 0x706c_6163_65, position) % UInt64(Self.places))
    var bytes = Array(pool[place..<place + size])
    for index in 0..<min(Self.markerSize, size) {
      let word = SeededBits.word(seed, 0x6d61_726b, position &* 2 &+ UInt64(index / 8))
      bytes[index] ^= UInt8(truncatingIfNeeded: word >> (8 * UInt64(index % 8)))
    }
    return bytes
  }
}

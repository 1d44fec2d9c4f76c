import Basics
import DataModel
import PersistentStore

/// The blobs of a case, each determined by the seed, the object's key and the blob's version.
///
/// A blob is a slice of one pool of random bytes, because a slice is quick to copy while the work
/// is timed. The key and the version are mixed into its first bytes. Like photos, the blobs cannot
/// be compressed. With `isText`, their bytes are ASCII letters and spaces.
struct SeededBlobs: Sendable {
  /// The number of positions in the pool at which a blob can start.
  private static let places = 1 << 16
  private static let markerSize = 16
  /// The 32 characters of texts; about one in five is a space.
  private static let characters = Array("abcdefghijklmnopqrstuvwxyz      ".utf8)

  let size: Int
  private let seed: UInt64
  private let isText: Bool
  private let pool: [UInt8]

  init(seed: UInt64, size: Int, isText: Bool = false) {
    self.size = size
    self.seed = seed
    self.isText = isText
    let count = (size + Self.places + 7) / 8
    let bytes = [UInt8](unsafeUninitializedCapacity: count * 8) { buffer, filled in
      for index in 0..<count {
        let word = SplitMix64.word(seed, 0x706f_6f6c, UInt64(index)).littleEndian
        UnsafeMutableRawBufferPointer(buffer)
          .storeBytes(of: word, toByteOffset: index * 8, as: UInt64.self)
      }
      filled = count * 8
    }
    pool = isText ? bytes.map(Self.character) : bytes
  }

  private static func character(_ byte: UInt8) -> UInt8 { characters[Int(byte & 31)] }

  func bytes(of key: Int64, version: Int = 0) -> [UInt8] {
    // A text's version counts the changes of all objects, so `key * 8 + version` could be the same
    // for two texts. Mixing the key avoids this.
    let position =
      isText
      ? SplitMix64.mix(UInt64(bitPattern: key)) &+ UInt64(version)
      : UInt64(bitPattern: key) &* 8 &+ UInt64(version)
    let place = Int(SplitMix64.word(seed, 0x706c_6163_65, position) % UInt64(Self.places))
    var bytes = Array(pool[place..<place + size])
    for index in 0..<min(Self.markerSize, size) {
      let word = SplitMix64.word(seed, 0x6d61_726b, position &* 2 &+ UInt64(index / 8))
      let marker = UInt8(truncatingIfNeeded: word >> (8 * UInt64(index % 8)))
      bytes[index] = isText ? Self.character(marker) : bytes[index] ^ marker
    }
    return bytes
  }
}

/// The values of an object's plain attributes, determined by the seed, the attribute and the key.
struct SeededRow: Sendable {
  private static let words = [
    "amber", "birch", "cloud", "delta", "ember", "fjord", "grove", "haven", "inlet", "juniper",
    "kelp", "lark", "maple", "north", "ochre", "pine",
  ]

  let seed: UInt64
  let attributes: [Attribute]
  let counter: String

  func values(of key: Int64) -> [Value] {
    attributes.map { value(of: $0, key: key) }
  }

  /// The value of the counter attribute, which increases with the version; a new object has version
  /// 0.
  func counterValue(of key: Int64, version: Int) -> Value {
    .integer(key % 10_000 * 2 + Int64(version))
  }

  func value(of attribute: Attribute, key: Int64) -> Value {
    if attribute.name == counter { return counterValue(of: key, version: 0) }
    let word = SplitMix64.word(seed, SplitMix64.hash(attribute.name), UInt64(bitPattern: key))
    return switch attribute.type {
    case .boolean: .integer(Int64(word & 1))
    case .integer16: .integer(Int64(word % 30_000))
    case .integer32, .integer64, .decimal: .integer(Int64(word % 1_000_000_000))
    // The fraction 0.25 keeps SQLite from storing the value as an integer.
    case .double, .float, .date: .real(Double(word % 1_000_000_000) + 0.25)
    case .string: .text(Self.text(word))
    case .uri: .text("https://example.org/\(word)")
    case .uuid: .blob((0..<16).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0 % 8))) })
    default: .null
    }
  }

  /// A string of six words, as long as a typical title: 30 to 40 bytes.
  private static func text(_ word: UInt64) -> String {
    (0..<6).map { words[Int(word >> (8 * UInt64($0)) & 15)] }.joined(separator: " ")
  }
}

import DataModel

/// The values of an object's plain attributes: functions of the seed, the attribute and the key.
struct SeededRow: Sendable {
  private static let words = [
    "amber", "birch", "cloud", "delta", "ember", "fjord", "grove", "haven", "inlet", "juniper",
    "kelp", "lark", "maple", "north", "ochre", "pine",
  ]

  let seed: UInt64
  let attributes: [Attribute]
  /// The attribute that an update changes.
  let counter: String

  init(seed: UInt64, model: BlobModel) {
    self.seed = seed
    attributes = model.attributes
    counter = model.counter
  }

  /// The values in the order of the attributes.
  func values(of key: Int64) -> [Value] {
    attributes.map { value(of: $0, key: key) }
  }

  /// The counter's value before an update and after it.
  func counterValue(of key: Int64, version: Int) -> Value {
    .integer(key % 10_000 * 2 + Int64(version))
  }

  func value(of attribute: Attribute, key: Int64) -> Value {
    if attribute.name == counter { return counterValue(of: key, version: 0) }
    let word = SeededBits.word(seed, purpose(of: attribute), UInt64(bitPattern: key))
    return switch attribute.type {
    case .boolean: .integer(Int64(word & 1))
    case .integer16: .integer(Int64(word % 30_000))
    case .integer32, .integer64, .decimal: .integer(Int64(word % 1_000_000_000))
    // A quarter keeps the value from being a whole number, which is stored otherwise.
    case .double, .float, .date: .real(Double(word % 1_000_000_000) + 0.25)
    case .string: .text(Self.text(word))
    case .uri: .text("https://example.org/\(word)")
    case .uuid: .blob((0..<16).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0 % 8))) })
    default: .null
    }
  }

  private func purpose(of attribute: Attribute) -> UInt64 {
    attribute.name.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  /// Six words: 30 to 40 bytes, as a title has.
  private static func text(_ word: UInt64) -> String {
    (0..<6).map { words[Int(word >> (8 * UInt64($0)) & 15)] }.joined(separator: " ")
  }
}

import Foundation

/// UUIDs as texts of 36 characters and as the 16 bytes that a store keeps.
enum UUIDText {
  /// The bytes in RFC order, or `nil` for a text that is no UUID.
  static func bytes(of text: String) -> [UInt8]? {
    UUID(uuidString: text).map { uuid in withUnsafeBytes(of: uuid.uuid) { Array($0) } }
  }

  /// The text in upper case, hyphens after the bytes 4, 6, 8 and 10.
  static func text(of bytes: [UInt8]) -> String {
    var text = ""
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text += "-" }
      text += (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
    return text
  }
}

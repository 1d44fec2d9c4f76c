/// The file format that a generated blob starts, and ends, as.
package enum BlobFormat: String, CaseIterable, Hashable, Sendable {
  /// Plain bytes.
  case none
  case jpeg
  case png
  case pdf
  case json

  /// The bytes that a file of the format starts with.
  var head: [UInt8] {
    switch self {
    case .none, .json: []
    case .jpeg:
      // Start of image and a JFIF segment.
      [0xFF, 0xD8, 0xFF, 0xE0, 0, 16] + Array("JFIF\0".utf8) + [1, 1, 0, 0, 72, 0, 72, 0, 0]
    case .png:
      // The signature and the header chunk of a picture of 1024 × 768 points.
      [
        0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48, 0x44,
        0x52, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x03, 0x00, 0x08, 0x02, 0x00, 0x00, 0x00, 0x35,
        0xD8, 0x82, 0x5A,
      ]
    case .pdf: Array("%PDF-1.7\n%".utf8) + [0xE2, 0xE3, 0xCF, 0xD3, 0x0A]
    }
  }

  /// The bytes that a file of the format ends with.
  var tail: [UInt8] {
    switch self {
    case .none, .json: []
    case .jpeg: [0xFF, 0xD9]
    case .png: [0, 0, 0, 0] + Array("IEND".utf8) + [0xAE, 0x42, 0x60, 0x82]
    case .pdf: Array("\n%%EOF\n".utf8)
    }
  }
}

/// Random UUIDs (RFC 9562, version 4): 16 bytes, or upper-case text in text columns.
struct UUIDGenerator: CellGenerator {
  let isText: Bool

  func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
    let (high, low) = Self.halves(&draws)
    if isText {
      cell.setText { Self.append(high, low, to: &$0) }
    } else {
      cell.setBlob { bytes in
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { bytes.append(contentsOf: $0) }
      }
    }
  }

  /// The text of one UUID, for names outside of cells.
  static func text(_ draws: inout Draws) -> String {
    let (high, low) = halves(&draws)
    var bytes: [UInt8] = []
    append(high, low, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func halves(_ draws: inout Draws) -> (UInt64, UInt64) {
    let high = draws.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    let low = draws.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    return (high, low)
  }

  private static func append(_ high: UInt64, _ low: UInt64, to text: inout [UInt8]) {
    text.append(hexadecimal: high >> 32, width: 8)
    text.append("-")
    text.append(hexadecimal: high >> 16, width: 4)
    text.append("-")
    text.append(hexadecimal: high, width: 4)
    text.append("-")
    text.append(hexadecimal: low >> 48, width: 4)
    text.append("-")
    text.append(hexadecimal: low, width: 12)
  }
}

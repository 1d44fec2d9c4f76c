/// Valid JSON of an exact number of bytes, as an app's cached response might look.
enum JSONBlob {
  private static let words = WordList(
    "alpha beta gamma delta north south east west red green blue draft final pending done archived"
  )

  /// Elements that repeat the one before them make up the compressible share.
  static func append(
    count: Int,
    compressibility: Double,
    to bytes: inout [UInt8],
    draws: inout Draws
  ) {
    guard count >= 2 else { return bytes.append(contentsOf: repeatElement(48, count: count)) }
    let end = bytes.count + count
    bytes.append("[")
    // An element takes at most 80 bytes; spaces fill what is left before the bracket.
    var last = 0..<0
    while bytes.count + 82 <= end {
      if !last.isEmpty { bytes.append(",") }
      let start = bytes.count
      if compressibility > 0, !last.isEmpty, draws.happens(compressibility) {
        bytes += Array(bytes[last])
      } else {
        appendElement(to: &bytes, &draws)
      }
      last = start..<bytes.count
    }
    bytes.append(contentsOf: repeatElement(32, count: end - 1 - bytes.count))
    bytes.append("]")
  }

  private static func appendElement(to bytes: inout [UInt8], _ draws: inout Draws) {
    bytes.append("{\"id\":\"")
    bytes.append(hexadecimal: draws.next(), width: 16)
    bytes.append("\",\"name\":\"")
    words.append(to: &bytes, draws: &draws)
    bytes.append("\",\"count\":")
    bytes.append(decimal: draws.below(100_000))
    bytes.append(draws.below(2) == 0 ? ",\"isActive\":true}" : ",\"isActive\":false}")
  }
}

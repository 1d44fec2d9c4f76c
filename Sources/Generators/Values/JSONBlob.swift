/// Valid JSON of an exact number of bytes, as an app's cached response might look.
enum JSONBlob {
  private static let words = WordList(
    "alpha beta gamma delta north south east west red green blue draft final pending done archived"
  )

  static func append(count: Int, to bytes: inout [UInt8], draws: inout Draws) {
    guard count >= 2 else { return bytes.append(contentsOf: repeatElement(48, count: count)) }
    let end = bytes.count + count
    bytes.append("[")
    // An element takes at most 80 bytes; spaces fill what is left before the bracket.
    var isFirst = true
    while bytes.count + 82 <= end {
      if !isFirst { bytes.append(",") }
      isFirst = false
      appendElement(to: &bytes, &draws)
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

/// One CSV record (RFC 4180), without its line ending.
package enum CSVRecord {
  package static func text(_ fields: [String]) -> String {
    fields.map(quoted).joined(separator: ",")
  }

  /// The fields of a record on a single line, or `nil` if a quoted field is malformed.
  package static func fields(of line: Substring) -> [String]? {
    var fields: [String] = []
    var rest = line.utf8[...]
    while true {
      guard let field = rest.first == quote ? quotedField(&rest) : plainField(&rest) else {
        return nil
      }
      fields.append(field)
      guard let next = rest.first else { return fields }
      guard next == comma else { return nil }
      rest = rest.dropFirst()
    }
  }

  private static let quote = UInt8(ascii: "\"")
  private static let comma = UInt8(ascii: ",")

  private static func plainField(_ rest: inout Substring.UTF8View) -> String? {
    let field = rest.prefix { $0 != comma }
    rest = rest[field.endIndex...]
    return String(Substring(field))
  }

  private static func quotedField(_ rest: inout Substring.UTF8View) -> String? {
    var field = ""
    rest = rest.dropFirst()
    while let end = rest.firstIndex(of: quote) {
      field += String(Substring(rest[..<end]))
      rest = rest[rest.index(after: end)...]
      guard rest.first == quote else { return field }
      field += "\""
      rest = rest.dropFirst()
    }
    return nil
  }

  private static func quoted(_ field: String) -> String {
    guard field.utf8.contains(where: isSpecial) else { return field }
    // Work on bytes: Swift treats a quote and a following combining mark as one character.
    let bytes: [UInt8] = field.utf8.flatMap { $0 == quote ? [quote, quote] : [$0] }
    return "\"\(String(decoding: bytes, as: UTF8.self))\""
  }

  private static func isSpecial(_ byte: UInt8) -> Bool {
    switch byte {
    case comma, quote, UInt8(ascii: "\r"), UInt8(ascii: "\n"): true
    default: false
    }
  }
}

/// A line of CSV as RFC 4180 has it, its end included.
enum CSVLine {
  static func text(_ fields: [String]) -> String {
    fields.map(quoted).joined(separator: ",") + "\r\n"
  }

  private static func quoted(_ field: String) -> String {
    // By bytes: what follows a quote may be a combining mark, which makes one character of both.
    guard field.utf8.contains(where: { [10, 13, 34, 44].contains($0) }) else { return field }
    var quoted: [UInt8] = [34]
    for byte in field.utf8 { quoted += byte == 34 ? [34, 34] : [byte] }
    return String(decoding: quoted + [34], as: UTF8.self)
  }
}

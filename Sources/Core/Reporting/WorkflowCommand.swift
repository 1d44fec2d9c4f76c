/// Writes GitHub workflow commands, which GitHub shows as annotations.
package enum WorkflowCommand {
  /// A workflow command on one line: `::error file=A.swift,line=3,title=…::message`.
  ///
  /// Line breaks and separators are escaped, because a line break in a name from an untrusted file
  /// could start another command.
  package static func text(
    _ name: String,
    title: String,
    _ message: String,
    file: String? = nil,
    line: Int? = nil
  ) -> String {
    let properties = [
      file.map { "file=\(property($0))" }, line.map { "line=\($0)" }, "title=\(property(title))",
    ]
    let list = properties.compactMap(\.self).joined(separator: ",")
    return "::\(name) \(list)::\(escaped(message))\n"
  }

  private static func property(_ text: String) -> String {
    escaped(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
  }

  /// Escapes each Unicode scalar, because Swift treats a carriage return with a line feed as one
  /// character; removes other control characters.
  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { escaped, scalar in
      switch scalar {
      case "%": escaped += "%25"
      case "\r": escaped += "%0D"
      case "\n": escaped += "%0A"
      default:
        if scalar.properties.generalCategory != .control { escaped.unicodeScalars.append(scalar) }
      }
    }
  }
}

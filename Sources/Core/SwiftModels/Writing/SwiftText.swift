import Basics
import Foundation

/// A file of generated code.
package struct SwiftFile: Hashable, Sendable {
  /// The file's path, relative to the output folder.
  package let path: String
  package let text: String

  package init(path: String, text: String) { (self.path, self.text) = (path, text) }
}

enum SwiftText {
  /// The maximum line width in columns, as in `swift format`.
  static let width = 100

  static func indented(_ lines: [String], by columns: Int = 2) -> [String] {
    lines.map { $0.isEmpty ? "" : String(repeating: " ", count: columns) + $0 }
  }

  /// A call or a declaration with all arguments on one line, or one per line if they do not fit.
  static func list(
    _ head: String,
    _ items: [String],
    _ tail: String,
    indent: Int,
    brackets: (String, String) = ("(", ")")
  ) -> [String] {
    let line = head + brackets.0 + items.joined(separator: ", ") + brackets.1 + tail
    let isBroken = items.contains { $0.contains("\n") }
    if line.count + indent <= width && !isBroken || items.isEmpty { return [line] }
    // Only arrays get trailing commas, because older compilers reject them in calls.
    let isArray = brackets.0 == "["
    return [head + brackets.0]
      + items.enumerated().flatMap { place, item in
        let comma = isArray || place < items.count - 1 ? "," : ""
        return indented((item + comma).split(separator: "\n").map(String.init))
      } + [brackets.1 + tail]
  }

  /// ``list(_:_:_:indent:brackets:)`` as a single string, for use as an argument.
  static func call(_ head: String, _ items: [String], indent: Int) -> String {
    list(head, items, "", indent: indent).joined(separator: "\n")
  }

  static func comment(_ text: String, indent: Int, mark: String = "//") -> [String] {
    TerminalText.wrapped(text, to: width - indent - mark.count - 1).map { "\(mark) \($0)" }
  }

  static func doc(_ text: String, indent: Int) -> [String] {
    comment(text, indent: indent, mark: "///")
  }

  static func literal(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "\"": result += "\\\""
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      default:
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse:
          result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
        default: result.unicodeScalars.append(scalar)
        }
      }
    }
    return "\"\(result)\""
  }
}

import Basics
import Reporter

/// Cells of tables of text.
enum TextCells {
  static func left(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - TerminalText.width(text)))
  }

  static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - TerminalText.width(text))) + text
  }

  /// A text on lines of a width: the first with so many blanks before it, those that go on with two
  /// more.
  ///
  /// A number and its percent sign stay together.
  static func paragraph(_ text: String, to width: Int, indent: Int = 0) -> [String] {
    let joined = text.replacing(" %", with: "\u{A0}%")
    return TerminalText.wrapped(joined, to: width - indent - 2).enumerated().map { index, line in
      String(repeating: " ", count: index == 0 ? indent : indent + 2)
        + line.replacing("\u{A0}%", with: " %")
    }
  }
}

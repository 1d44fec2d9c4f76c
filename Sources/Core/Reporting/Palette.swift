import Basics

/// The style of text on a terminal.
package enum Ink: String, Sendable {
  case plain = ""
  case bold = "1"
  case faint = "2"
  case red = "31"
  case green = "32"
  case yellow = "33"
}

/// Adds terminal colors to text, or leaves it plain if the output is not a terminal.
package struct Palette: Sendable {
  package static let plain = Palette(isColoured: false)

  package var isColoured: Bool

  package init(isColoured: Bool) {
    self.isColoured = isColoured
  }

  /// Returns the text in a style; its width does not change.
  package func paint(_ text: String, _ ink: Ink) -> String {
    guard isColoured, ink != .plain, !text.isEmpty else { return text }
    return "\u{1B}[\(ink.rawValue)m\(text)\u{1B}[0m"
  }
}

extension Palette {
  /// Returns text wrapped to a width, as lines that are indented and in the given style.
  package func wrapped(_ text: String, to width: Int, indent: Int = 0, ink: Ink = .plain)
    -> [String]
  {
    TerminalText.wrapped(text, to: width - indent).map { .blanks(indent) + paint($0, ink) }
  }
}

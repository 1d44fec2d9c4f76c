import Mustache

/// Formatted text of a page as HTML that is safe in any element.
struct Inline: Hashable, Sendable, MustacheCustomRenderable {
  /// The HTML, which consists only of escaped text and the tags created below.
  private(set) var html: String

  private init(html: String) { self.html = html }

  /// Creates text from any source: escaped, with right-to-left text isolated.
  init(_ text: String) {
    html = MarkupText.isolated(MarkupText.spaced(text))
  }

  /// Creates text with several lines, without nonbreaking spaces between numbers and units.
  init(lines text: String) { html = MarkupText.isolated(text) }

  static func strong(_ text: Inline) -> Inline { Inline(html: "<b>\(text.html)</b>") }

  static func code(_ text: String) -> Inline { Inline(html: "<code>\(Inline(text).html)</code>") }

  static func path(_ path: String) -> Inline {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    return name == path ? Inline(path) : short(name, whole: path)
  }

  static func short(_ text: String, whole: String) -> Inline {
    Inline(html: "<span title=\"\(MarkupText.attribute(whole))\">\(Inline(text).html)</span>")
  }

  static func link(_ text: String, to id: String) -> Inline {
    Inline(html: "<a href=\"#\(MarkupText.attribute(id))\">\(Inline(text).html)</a>")
  }

  /// The mark of a series at the size of a letter.
  static func symbol(series: Int) -> Inline {
    var drawing = Drawing(width: 12, height: 12, title: "", summary: "")
    drawing.mark(series, at: .init(6, 6), radius: 4.5)
    return Inline(html: drawing.symbol)
  }

  static func + (first: Inline, second: Inline) -> Inline {
    Inline(html: first.html + second.html)
  }

  var renderText: String { html }
  var isNull: Bool { false }
}

extension Inline: ExpressibleByStringLiteral {
  init(stringLiteral text: String) { self.init(text) }
}

/// Makes text safe for HTML.
///
/// The functions work on Unicode scalars: Swift treats a quote and a following accent as one
/// character, but in HTML the quote ends an attribute.
enum MarkupText {
  /// The text for the content of an element, with right-to-left text isolated.
  static func isolated(_ text: String) -> String {
    marked(text, open: "<bdi>", close: "</bdi>")
  }

  /// The text for attributes and a drawing's titles and labels, where elements are not allowed.
  static func attribute(_ text: String) -> String {
    marked(text, open: "\u{2068}", close: "\u{2069}")
  }

  /// The text as a CSS string; all characters except letters, digits and blanks are escaped as
  /// numbers.
  static func styleText(_ text: String) -> String {
    "\""
      + spaced(text).unicodeScalars.map { scalar in
        let isPlain = scalar.properties.isAlphabetic || scalar.properties.numericType != nil
        if isControl(scalar) { return "\u{FFFD}" }
        return isPlain || scalar == " "
          ? String(scalar) : "\\\(String(scalar.value, radix: 16)) "
      }.joined() + "\""
  }

  private static func escaped(_ text: some StringProtocol) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result.append(contentsOf: "&amp;".unicodeScalars)
      case "<": result.append(contentsOf: "&lt;".unicodeScalars)
      case ">": result.append(contentsOf: "&gt;".unicodeScalars)
      case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
      case "'": result.append(contentsOf: "&#39;".unicodeScalars)
      default: result.append(isControl(scalar) ? "\u{FFFD}" : scalar)
      }
    }
    return String(result)
  }

  private static func marked(_ text: String, open: String, close: String) -> String {
    guard text.unicodeScalars.contains(where: isFromRightToLeft) else { return escaped(text) }
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    let isMarked = words.map { $0.unicodeScalars.contains(where: isFromRightToLeft) }
    return words.indices.map { index in
      let begins = isMarked[index] && (index == 0 || !isMarked[index - 1])
      let ends = isMarked[index] && (index == words.count - 1 || !isMarked[index + 1])
      return (begins ? open : "") + escaped(words[index]) + (ends ? close : "")
    }.joined(separator: " ")
  }

  /// Puts a nonbreaking space between a number and its unit.
  static func spaced(_ text: String) -> String {
    guard text.contains(" ") else { return text }
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    var result = ""
    for (index, word) in words.enumerated() {
      if index > 0 {
        let isUnit = units.contains(String(word.prefix { $0.isLetter || $0 == "%" }))
        let isAfterNumber = words[index - 1].last.map { $0.isASCII && $0.isNumber } ?? false
        result += isUnit && isAfterNumber ? "\u{A0}" : " "
      }
      result += word
    }
    return result
  }

  private static let units: Set<String> = [
    "µs", "ms", "s", "min", "h", "B", "KB", "MB", "GB", "KiB", "MiB", "GiB", "%", "million",
  ]

  // Whether a scalar is a control character, or a formatting character that would reverse the text
  // after a name.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A: false
    case 0x00...0x1F, 0x7F...0x9F, 0x202A...0x202E, 0x2066...0x2069, 0xFFFE, 0xFFFF: true
    default: false
    }
  }

  private static func isFromRightToLeft(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0590...0x08FF, 0x200F, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF,
      0x1E800...0x1EFFF:
      true
    default: false
    }
  }
}

import Mustache

/// Text of a page with what stands out in it, safe in the content of any element.
struct Inline: Hashable, Sendable, MustacheCustomRenderable {
  /// Made of escaped text and of the few tags below, and of nothing else.
  private(set) var html: String

  private init(html: String) { self.html = html }

  /// Text that may come from anywhere: escaped, and isolated where it runs from right to left.
  init(_ text: String) {
    html = MarkupText.isolated(MarkupText.spaced(text))
  }

  /// Text of several lines, without the space that keeps a number at its unit.
  init(lines text: String) { html = MarkupText.isolated(text) }

  /// A claim, or the first words of a sentence.
  static func strong(_ text: Inline) -> Inline { Inline(html: "<b>\(text.html)</b>") }

  static func code(_ text: String) -> Inline { Inline(html: "<code>\(Inline(text).html)</code>") }

  /// The name of a path's file; the whole path is its tooltip.
  static func path(_ path: String) -> Inline {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    return name == path ? Inline(path) : short(name, whole: path)
  }

  /// A part of a name; the whole is its tooltip.
  static func short(_ text: String, whole: String) -> Inline {
    Inline(html: "<span title=\"\(MarkupText.attribute(whole))\">\(Inline(text).html)</span>")
  }

  /// A link to a section of the same page.
  static func link(_ text: String, to id: String) -> Inline {
    Inline(html: "<a href=\"#\(MarkupText.attribute(id))\">\(Inline(text).html)</a>")
  }

  /// The mark of a series, as small as a letter; its name stands next to it.
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

/// What has to be done to text before a browser may read it.
///
/// Everything is done by scalars: to Swift, a quote and the accent after it are one character, and
/// to a browser they are the end of an attribute and an accent.
enum MarkupText {
  /// Text for the content of an element, each stretch from right to left isolated from the rest.
  static func isolated(_ text: String) -> String {
    marked(text, open: "<bdi>", close: "</bdi>")
  }

  /// The same where no element may stand: attributes, titles, texts of a drawing.
  static func attribute(_ text: String) -> String {
    marked(text, open: "\u{2068}", close: "\u{2069}")
  }

  /// The same for a text of a style: what is no letter, digit or blank stands as its number.
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

  /// The text with a number and its unit on one line.
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

  // Controls, and the formatting that would reverse what stands after a name.
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

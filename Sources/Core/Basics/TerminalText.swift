extension String {
  /// Pads the text with spaces to a width in terminal columns; a wider string is returned
  /// unchanged.
  package func padded(to width: Int) -> String {
    self + .blanks(width - TerminalText.width(self))
  }

  /// Returns a string of spaces of the given width.
  package static func blanks(_ width: Int) -> String {
    String(repeating: " ", count: Swift.max(0, width))
  }
}

/// Measures, wraps and sanitizes text for a terminal.
package enum TerminalText {
  /// Replaces every control, formatting and line-breaking character with a space or a visible
  /// character.
  ///
  /// Names and reasons come from untrusted files; their escape sequences must not reach the
  /// terminal.
  package static func plain(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n", "\r", "\t": result.append(" ")
      case _ where isUnsafe(scalar): result.append("\u{FFFD}")
      default: result.append(scalar)
      }
    }
    return String(result)
  }

  /// Sanitizes a multi-line message so that no CI system interprets a line as a command:
  /// `::error::…`, `##[…]`.
  package static func message(_ text: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return withoutCommands(lines.map { plain(String($0)) }.joined(separator: "\n"))
  }

  /// Puts a quotation mark before each line that a CI system would interpret as a command.
  package static func withoutCommands(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let start = line.drop { $0 == " " }
      return start.hasPrefix("::") || start.hasPrefix("##") ? "'\(line)" : String(line)
    }.joined(separator: "\n")
  }

  /// The number of columns that the text occupies on a terminal.
  package static func width(_ text: String) -> Int {
    text.reduce(0) { $0 + width($1) }
  }

  /// The longest prefix of the text that fits within a width.
  package static func prefix(of text: String, width limit: Int) -> String {
    var used = 0
    return String(
      text.prefix {
        used += width($0)
        return used <= limit
      }
    )
  }

  private static func width(_ character: Character) -> Int {
    guard let scalar = character.unicodeScalars.first else { return 0 }
    if character.isASCII { return 1 }
    if scalar.properties.isEmojiPresentation { return 2 }
    return wideRanges.contains { $0.contains(scalar.value) } ? 2 : 1
  }

  private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }

  // The East Asian Wide and Fullwidth characters (UAX #11), by block: Hangul Jamo, CJK and kana,
  // Yi, Hangul syllables, compatibility ideographs and forms, fullwidth forms, the supplementary
  // planes.
  private static let wideRanges: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3,
    0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD,
  ]
}

extension TerminalText {
  /// Wraps the text's words into lines of a given width, and breaks wider words.
  package static func wrapped(_ text: String, to limit: Int) -> [String] {
    lines(of: plain(text).split(separator: " ").map(String.init), separator: " ", to: limit)
  }

  /// Joins parts into lines of a given width, with the separator between parts on the same line.
  ///
  /// If the separator starts with a comma or semicolon, each line except the last also ends with
  /// that character.
  package static func lines(of parts: [String], separator: String, to limit: Int) -> [String] {
    let ending = separator.hasPrefix(",") || separator.hasPrefix(";") ? separator.prefix(1) : ""
    let limit = max(limit - ending.count, 1)
    var lines: [String] = []
    var line = ""
    for part in parts where !part.isEmpty {
      for (index, piece) in pieces(of: plain(part), limit: limit).enumerated() {
        if line.isEmpty {
          line = piece
        } else if index == 0, width(line + separator + piece) <= limit {
          line += separator + piece
        } else {
          lines.append(index == 0 ? line + ending : line)
          line = piece
        }
      }
    }
    return line.isEmpty ? lines : lines + [line]
  }

  // Breaks a part between words, or a single word after a comma or slash or, if it has neither,
  // anywhere.
  private static func pieces(of part: String, limit: Int) -> [String] {
    guard width(part) > limit else { return [part] }
    if part.contains(" ") { return wrapped(part, to: limit) }
    var pieces: [String] = []
    var rest = part
    while width(rest) > limit {
      let fitting = prefix(of: rest, width: limit)
      let natural = fitting.lastIndex { $0 == "," || $0 == "/" }
      let piece = natural.map { String(fitting[...$0]) } ?? fitting
      // Take at least one character, even if it is wider than the line, so that the loop ends.
      let count = max(piece.count, 1)
      pieces.append(String(rest.prefix(count)))
      rest = String(rest.dropFirst(count))
    }
    return rest.isEmpty ? pieces : pieces + [rest]
  }
}

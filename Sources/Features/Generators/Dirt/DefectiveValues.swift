import DataModel

struct DefectiveValues: Sendable {
  enum Property: Sendable {
    /// An attribute; `listed` contains the values of its enumeration.
    case attribute(Attribute, listed: [Value])
    /// A to-one relationship; `firstMissing` is the lowest key that no object of the destination
    /// has.
    case toOne(firstMissing: Int64)
  }

  let property: Property
  let key: StreamKey

  func apply(_ entry: DefectRows.Entry, to cell: inout Cell, part: PropertyChanges.Part) {
    if entry.defect == .null { return cell.setNull() }
    switch property {
    case .toOne(let firstMissing): dangle(entry, from: firstMissing, &cell, part)
    case .attribute(let attribute, let listed):
      var draws = key.draws(row: entry.row)
      apply(entry.defect, to: &cell, of: attribute, listed: listed, &draws)
    }
  }

  /// Sets a key that references no object.
  ///
  /// The entity number still names the intended target's entity. All dangling keys are distinct, so
  /// that order keys below a parent stay unique.
  private func dangle(
    _ entry: DefectRows.Entry,
    from first: Int64,
    _ cell: inout Cell,
    _ part: PropertyChanges.Part
  ) {
    switch part {
    case .value: cell.set(first + Int64(entry.ordinal))
    case .entityNumber: return
    case .order: if cell.kind == .null { cell.set(orderKey(position: 0)) }
    }
  }

  private func apply(
    _ defect: Defect,
    to cell: inout Cell,
    of attribute: Attribute,
    listed: [Value],
    _ draws: inout Draws
  ) {
    switch defect {
    case .unknownCase: setUnknown(&cell, listed, &draws)
    case .outOfRange: setOutOfRange(&cell, attribute, &draws)
    case .empty: cell.setText { _ in }
    case .long: cell.setText { UnusualText.appendLong(to: &$0, &draws) }
    case .combining: UnusualText.combine(&cell, &draws)
    case .rightToLeft: UnusualText.mirror(&cell, &draws)
    case .emoji: UnusualText.decorate(&cell, &draws)
    case .year1970: cell.set(Self.start1970 + Int64(draws.below(86_400)))
    case .year2100: cell.set(Self.start2100 + Int64(draws.below(365)) * 86_400)
    default: return
    }
  }

  // The starts of 1970 and 2100, in seconds since 2001-01-01.
  private static let start1970: Int64 = -978_307_200
  private static let start2100: Int64 = 3_124_137_600

  private func setUnknown(_ cell: inout Cell, _ listed: [Value], _ draws: inout Draws) {
    guard let largest = listed.compactMap(\.number).max() else {
      return cell.setText {
        $0.append("unknown-")
        $0.append(decimal: 1 + draws.below(99))
      }
    }
    let unknown = largest.rounded(.up) + 1 + Double(draws.below(9))
    if case .real? = listed.first { cell.set(unknown) } else { cell.setNumeric(unknown) }
  }

  private func setOutOfRange(_ cell: inout Cell, _ attribute: Attribute, _ draws: inout Draws) {
    let excess = Int64(1 + draws.below(1_000))
    switch attribute.type {
    case .boolean: cell.set(1 + excess)
    case .integer16, .integer32:
      let largest = attribute.type.integerRange?.upperBound ?? 0
      cell.set(largest + excess)
    default:
      let number =
        attribute.maximum.number.map { $0 + Double(excess) }
        ?? (attribute.minimum.number ?? 0) - Double(excess)
      let isReal = attribute.type == .double || attribute.type == .float
      if isReal { cell.set(number) } else { cell.setNumeric(number) }
    }
  }

  /// Valid strings that few programs expect.
  enum UnusualText {
    /// The minimum size of a long string in bytes: 1 MiB.
    static let longest = 1 << 20

    static func appendLong(to text: inout [UInt8], _ draws: inout Draws) {
      let count = longest + draws.below(4_096)
      text.reserveCapacity(count + 128)
      while text.count < count {
        text.append("2026-04-01 09:12:44.")
        text.append(decimal: draws.below(1_000), width: 3)
        text.append(" ERROR sync[4711] request timed out after 30 s, attempt ")
        text.append(decimal: 1 + draws.below(9))
        text.append("\n")
      }
    }

    /// Adds one to six combining marks to each letter.
    static func combine(_ cell: inout Cell, _ draws: inout Draws) {
      rewrite(&cell) { scalars in
        var marked = String.UnicodeScalarView()
        for scalar in scalars {
          marked.append(scalar)
          guard scalar.properties.isAlphabetic else { continue }
          for _ in 0...draws.below(6) { marked.append(combiningMarks[draws.below(112)]) }
        }
        return String(marked)
      }
    }

    /// The block of combining diacritical marks, U+0300 to U+036F.
    private static let combiningMarks = (0x300...0x36F).compactMap { Unicode.Scalar($0 as Int) }

    private static let mirrored = WordList(
      """
      \u{202E}txt.eciovni\u{202C}|\u{2067}פגישה עם דנה ב-10:30\u{2069}
      \u{200F}موعد الطبيب 14/3\u{200F}|חשבונית #4711 (דחוף!)
      \u{2067}اتصل بـ João بعد 17:00\u{2069}|\u{061C}قائمة‌ها: ۱۲۳ abc ۴۵۶
      """,
      separator: "|"
    )

    static func mirror(_ cell: inout Cell, _ draws: inout Draws) {
      insert(mirrored, 1, into: &cell, &draws)
    }

    private static let sequences = WordList(
      """
      👩‍👩‍👧‍👦|🏳️‍🌈|🇳🇴|🏴󠁧󠁢󠁳󠁣󠁴󠁿|👍🏽|👩🏿‍🚀|❤️‍🔥|5️⃣|🧑🏻‍🤝‍🧑🏾|☺️|👁️‍🗨️|🫱🏼‍🫲🏿
      """,
      separator: "|"
    )

    static func decorate(_ cell: inout Cell, _ draws: inout Draws) {
      insert(sequences, 3, into: &cell, &draws)
    }

    private static func insert(
      _ words: WordList,
      _ count: Int,
      into cell: inout Cell,
      _ draws: inout Draws
    ) {
      rewrite(&cell) { scalars in
        var text = String.UnicodeScalarView()
        // Insert the unusual words after the first word, so that they affect lists and searches.
        let end = scalars.firstIndex(of: " ") ?? scalars.endIndex
        text += scalars[..<end]
        for _ in 0..<count {
          text.append(" ")
          text += String(decoding: words[draws.below(words.count)], as: UTF8.self).unicodeScalars
        }
        text += scalars[end...]
        return String(text)
      }
    }

    private static func rewrite(_ cell: inout Cell, _ body: (String.UnicodeScalarView) -> String) {
      let own = cell.kind == .text ? String(decoding: cell.bytes, as: UTF8.self) : ""
      let text = body((own.isEmpty ? "Untitled" : own).unicodeScalars)
      cell.setText { $0.append(contentsOf: text.utf8) }
    }
  }
}

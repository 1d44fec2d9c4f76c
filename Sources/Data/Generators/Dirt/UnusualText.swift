/// Texts that are valid and that few programs expect.
enum UnusualText {
  /// The least bytes of a long text: a mebibyte.
  static let longest = 1 << 20

  /// Appends what looks like a log that somebody pasted: at least a mebibyte of it.
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

  /// Puts one to six combining marks on each letter.
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
    \u{202E}txt.eciovni\u{202C}|\u{2067}פגישה עם דנה ב-10:30\u{2069}|\u{200F}موعد الطبيب 14/3\u{200F}
    חשבונית #4711 (דחוף!)|\u{2067}اتصل بـ João بعد 17:00\u{2069}|\u{061C}قائمة‌ها: ۱۲۳ abc ۴۵۶
    """,
    separator: "|"
  )

  /// Puts a phrase that is read from right to left amid the text.
  static func mirror(_ cell: inout Cell, _ draws: inout Draws) {
    insert(mirrored, 1, into: &cell, &draws)
  }

  private static let sequences = WordList(
    """
    👩‍👩‍👧‍👦|🏳️‍🌈|🇳🇴|🏴󠁧󠁢󠁳󠁣󠁴󠁿|👍🏽|👩🏿‍🚀|❤️‍🔥|5️⃣|🧑🏻‍🤝‍🧑🏾|☺️|👁️‍🗨️|🫱🏼‍🫲🏿
    """,
    separator: "|"
  )

  /// Puts three sequences of emoji amid the text.
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
      // After the first word, where lists and searches meet it.
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

  /// Makes a text of the cell's own; of a usual one where it has none.
  private static func rewrite(
    _ cell: inout Cell,
    _ body: (String.UnicodeScalarView) -> String
  ) {
    let own = cell.kind == .text ? String(decoding: cell.bytes, as: UTF8.self) : ""
    let text = body((own.isEmpty ? "Untitled" : own).unicodeScalars)
    cell.setText { $0.append(contentsOf: text.utf8) }
  }
}

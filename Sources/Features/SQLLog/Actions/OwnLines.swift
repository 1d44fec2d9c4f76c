import Basics

/// The lines that an app printed itself between its statements, as the marks of actions.
package struct OwnLines {
  /// The text of a line with that of the next one, in the order of the log, each pair once.
  package private(set) var pairs: [(from: String, to: String?)] = []

  private static let longest = 120
  private static let most = 100

  /// Throws a ``Refusal`` where a log cannot be read.
  package init(logs: [String]) throws {
    var last: String?
    var seen: Set<String> = []
    var statements = 0
    for path in logs {
      var form = try LogForm(of: path)
      try LineReader(path: path).forEachLine { line, _ in
        if form.isLogged(line) {
          if LineHead(line)?.level ?? .sql == .sql { statements += 1 }
          return
        }
        guard let text = Self.mark(line) else { return }
        if let last, statements > 0, seen.insert(last).inserted, pairs.count < Self.most {
          pairs.append((last, text == last ? nil : text))
        }
        (last, statements) = (text, 0)
      }
    }
    if let last, statements > 0, seen.insert(last).inserted { pairs.append((last, nil)) }
  }

  /// The text of a line without its time and process; `nil` for lines that are no marks.
  private static func mark(_ line: UnsafeRawBufferPointer) -> String? {
    guard line.count < longest * 2, !line.isEmpty, !line.has("CoreData") else { return nil }
    var text = line.text
    // `2026-05-04 10:00:04.012 App[815:4101] screen list`
    if LineHead.time(of: line) != nil, let bracket = text.firstRange(of: "] ") {
      text = String(text[bracket.upperBound...])
    }
    text = String(text.drop { $0 == " " }.prefix(longest))
    // Rows, braces and dumps of other tools are no marks.
    guard let first = text.first, first.isLetter, text.contains(where: \.isLetter) else {
      return nil
    }
    return text
  }
}

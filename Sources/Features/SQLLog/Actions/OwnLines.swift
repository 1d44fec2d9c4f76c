import Basics

/// The lines that an app printed between its statements and that can mark actions.
package struct OwnLines {
  /// The text of each line with the text of the following line, in the order of the log and without
  /// duplicates.
  package private(set) var pairs: [(from: String, to: String?)] = []
  /// The number of lines that were omitted because there are too many.
  package private(set) var rest = 0

  private static let longest = 120
  private static let most = 100

  /// Finds the app's lines in the logs.
  ///
  /// - Throws: a ``Refusal`` if a log cannot be read.
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
        if let last, statements > 0, seen.insert(last).inserted {
          add(last, to: text == last ? nil : text)
        }
        (last, statements) = (text, 0)
      }
    }
    if let last, statements > 0, seen.insert(last).inserted { add(last, to: nil) }
  }

  private mutating func add(_ from: String, to end: String?) {
    if pairs.count < Self.most { pairs.append((from, end)) } else { rest += 1 }
  }

  /// Returns the text of a line without its time and process; `nil` if the line cannot mark an
  /// action.
  private static func mark(_ line: UnsafeRawBufferPointer) -> String? {
    guard line.count < longest * 2, !line.isEmpty, !line.has("CoreData") else { return nil }
    // Remove a prefix such as `2026-05-04 10:00:04.012 App[815:4101] [ui] `.
    let start = LineOrigin(of: line, before: line.count).text
    let text = String(line.part(start..<line.count).text.drop { $0 == " " }.prefix(longest))
    // Rows, braces and the dumps of other tools cannot mark actions.
    guard let first = text.first, first.isLetter, text.contains(where: \.isLetter) else {
      return nil
    }
    return text
  }
}

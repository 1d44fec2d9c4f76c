import Basics

/// Recognizes lines that do not contain exactly one message.
enum LineForms {
  /// Returns the start of the next message in a line that lost line breaks, as text copied from web
  /// pages can.
  static func furtherMessage(in line: UnsafeRawBufferPointer, from start: Int) -> Int? {
    // Search for the colon of ` CoreData: `, because colons are rarer than spaces and letters.
    var next = start + 9
    while let colon = line.place(of: 58, from: next) {
      next = colon + 1
      guard line.has(" CoreData: ", at: colon - 9) else { continue }
      let word = colon + 2
      if line.has("sql: ", at: word) || line.has("annotation: ", at: word)
        || line.has("details: ", at: word)
      {
        return colon - 9
      }
    }
    return nil
  }

  /// Whether a line continues a statement that was split at its clauses for publication.
  static func continues(_ statement: UnsafeRawBufferPointer, _ line: UnsafeRawBufferPointer) -> Bool
  {
    let start = line.firstIndex { $0 != 32 && $0 != 9 } ?? line.count
    guard start < line.count, start < 40 else { return false }
    guard let last = statement.last(where: { $0 != 32 && $0 != 10 }) else {
      return LineHead.startsStatement(line, at: start)
    }
    if clauses.contains(where: { line.has($0, at: start) }) {
      // Require a table, a parameter or LIMIT, because prose may start with a clause's keyword,
      // too.
      return line.place(of: "Z", from: start) ?? line.place(of: "?", from: start)
        ?? line.place(of: "t0", from: start) ?? line.place(of: "LIMIT", from: start) != nil
    }
    // Within a list or parentheses, a continuation starts with a column, a parameter or a symbol.
    guard last == 44 || statement.count(where: { $0 == 40 }) > statement.count(where: { $0 == 41 })
    else { return false }
    return [40, 41, 63, 90].contains(line[start]) || line.has("t0.", at: start)
  }

  private static let clauses: [StaticString] = [
    "FROM ", "WHERE ", "ORDER BY ", "GROUP BY ", "HAVING ", "LIMIT ", "OFFSET ", "AND ", "OR ",
    "JOIN ", "LEFT OUTER JOIN ", "INNER JOIN ", "SET ", "VALUES", "ON CONFLICT",
  ]

  /// Returns the length of a line without the quotes or table borders after the message, such as `"
  /// |` or `\n"`.
  static func end(of line: UnsafeRawBufferPointer, body: Int) -> Int {
    var end = line.count
    while end > body, line[end - 1] == 32 { end -= 1 }
    guard end - 2 >= body else { return line.count }
    if line[end - 1] == 124, line[end - 2] == 32 { return end - 2 }
    // Remove a closing quote only if the opening quote is before the message.
    guard line[end - 1] == 34, line.part(0..<body).count(where: { $0 == 34 }) % 2 == 1 else {
      return line.count
    }
    let isNewline = end - 3 >= body && line[end - 3] == 92 && line[end - 2] == 110
    return isNewline ? end - 3 : end - 1
  }

  /// Returns the events in a line of JSON as NSLog would print them; empty if the line has no
  /// events.
  ///
  /// `log show` writes one event per line with the style `ndjson` and one key per line with `json`.
  /// Other tools write all events on one line, or put the app's lines under their own keys.
  static func events(in line: UnsafeRawBufferPointer) -> [[UInt8]] {
    guard line.first == 91 || line.first == 123 else {
      return line.place(of: messageKeys[0]) == nil ? [] : [event(in: line)].compactMap(\.self)
    }
    guard line.place(of: messageKeys[0]) ?? line.place(of: "CoreData: ") != nil else { return [] }
    return objects(in: line).compactMap { event(in: line.part($0)) }
  }

  /// Returns the outermost objects of a line, including an unfinished object at its end.
  private static func objects(in line: UnsafeRawBufferPointer) -> [Range<Int>] {
    var found: [Range<Int>] = []
    var (depth, start, place, isInString) = (0, 0, 0, false)
    while place < line.count {
      switch line[place] {
      case 92 where isInString: place += 1
      case 34: isInString.toggle()
      case 123 where !isInString:
        if depth == 0 { start = place }
        depth += 1
      case 125 where !isInString && depth > 0:
        depth -= 1
        if depth == 0 { found.append(start..<place + 1) }
      default: break
      }
      place += 1
    }
    if depth > 0 { found.append(start..<line.count) }
    return found
  }

  /// The keys under which tools store messages.
  static let messageKeys: [StaticString] = [
    "\"eventMessage\"", "\"message\"", "\"log\"", "\"msg\"",
  ]

  private static func event(in line: UnsafeRawBufferPointer) -> [UInt8]? {
    let messages = messageKeys.lazy.compactMap { string(of: $0, in: line) }
    guard
      let message = messages.first(where: { message in
        line.place(of: messageKeys[0]) != nil
          || message.withUnsafeBytes { $0.place(of: "CoreData: ") != nil }
      }),
      let start = message.firstIndex(where: { $0 != 10 && $0 != 32 })
    else { return nil }
    var head: [UInt8] = []
    if let time = string(of: "\"timestamp\"", in: line), time.count >= 19 {
      let process = number(of: "\"processID\"", in: line) ?? 0
      let thread = number(of: "\"threadID\"", in: line) ?? 0
      head = time + Array(" App[\(process):\(thread)] ".utf8)
    }
    let isNamed = message.withUnsafeBytes { $0.part(start..<$0.count).has("CoreData") }
    // A message of another subsystem may start with the same words as a Core Data message.
    if !isNamed, let subsystem = string(of: "\"subsystem\"", in: line), !subsystem.isEmpty,
      !subsystem.starts(with: "com.apple.coredata".utf8)
    {
      return message.map { $0 == 10 ? 32 : $0 }
    }
    return head + (isNamed || head.isEmpty ? [] : Array("CoreData: ".utf8)) + message[start...]
  }

  private static func place(after key: StaticString, in line: UnsafeRawBufferPointer) -> Int? {
    guard let found = line.place(of: key) else { return nil }
    var place = found + key.utf8CodeUnitCount
    while place < line.count, [32, 58].contains(line[place]) { place += 1 }
    return place < line.count ? place : nil
  }

  private static func number(of key: StaticString, in line: UnsafeRawBufferPointer) -> Int? {
    place(after: key, in: line).flatMap { line.number(at: $0)?.value }
  }

  /// Returns the string for a key with its escapes resolved
  /// (https://www.rfc-editor.org/rfc/rfc8259, section 7).
  private static func string(of key: StaticString, in line: UnsafeRawBufferPointer) -> [UInt8]? {
    guard var place = place(after: key, in: line), line[place] == 34 else { return nil }
    place += 1
    var text: [UInt8] = []
    while place < line.count, line[place] != 34 {
      guard line[place] == 92, place + 1 < line.count else {
        text.append(line[place])
        place += 1
        continue
      }
      switch line[place + 1] {
      case UInt8(ascii: "n"): text.append(10)
      case UInt8(ascii: "t"): text.append(9)
      case UInt8(ascii: "r"), UInt8(ascii: "b"), UInt8(ascii: "f"): text.append(32)
      case UInt8(ascii: "u"):
        let end = min(place + 6, line.count)
        let code = UInt32(line.part(place + 2..<end).text, radix: 16)
        let scalar = code.flatMap(Unicode.Scalar.init) ?? "\u{FFFD}"
        text.append(contentsOf: String(Character(scalar)).utf8)
        place = end - 2
      case let other: text.append(other)
      }
      place += 2
    }
    return text
  }
}

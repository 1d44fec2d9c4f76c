/// Rewrites statements and bound values byte by byte, replacing their values with a ``ValueMap``.
///
/// The first pass over a log collects the values; the second writes their replacements. Both run
/// the same code, so they agree on which bytes are values.
struct ValueRewriter {
  private(set) var map = ValueMap()
  private var isCollecting = true
  private(set) var output: [UInt8] = []

  mutating func rank() {
    map.rank()
    isCollecting = false
    output = []
  }

  mutating func take() -> [UInt8] {
    defer { output.removeAll(keepingCapacity: true) }
    return output
  }

  mutating func copy(_ text: String) { output.append(contentsOf: text.utf8) }

  mutating func copy(_ bytes: some Sequence<UInt8>) { output.append(contentsOf: bytes) }

  mutating func text(_ value: some Collection<UInt8>) {
    if isCollecting { map.collect(text: value) } else { copy(map.image(text: value)) }
  }

  mutating func number(_ value: some Collection<UInt8>) {
    if isCollecting { map.collect(number: value) } else { copy(map.image(number: value)) }
  }

  private mutating func blob(_ digits: some Collection<UInt8>) {
    if isCollecting { map.collect(blob: digits) } else { copy(map.image(blob: digits)) }
  }

  // MARK: Statements

  mutating func statement(_ sql: UnsafeRawBufferPointer) {
    // Numbers in pragmas are Core Data's own settings; only strings are replaced.
    let keepsNumbers = sql.has("pragma") || sql.has("PRAGMA")
    var flags = 0
    var word = 0..<0
    var place = 0
    while place < sql.count {
      let byte = sql[place]
      if byte == 39 {
        place = quoted(sql, from: place, blobAfter: word)
      } else if byte == 34 || byte == 96 {
        place = identifier(sql, from: place, quote: byte)
      } else if byte == 45, place + 1 < sql.count, sql[place + 1] == 45 {
        place = sql.place(of: 10, from: place) ?? sql.count
      } else if byte == 47, place + 1 < sql.count, sql[place + 1] == 42 {
        place = sql.place(of: "*/", from: place + 2).map { $0 + 2 } ?? sql.count
      } else if LineHead.isDigit(byte) {
        let end = Self.endOfNumber(sql, from: place)
        if keepsNumbers || flags > 2 || Self.isStructural(sql, word, place) {
          copy(sql[place..<end])
        } else {
          number(sql[place..<end])
        }
        place = end
      } else if Fingerprint.isWord(byte) {
        let start = place
        while place < sql.count, Fingerprint.isWord(sql[place]) { place += 1 }
        word = start..<place
        if sql.has("NSCoreDataStringSearch", at: start) { flags = 1 }
        // Keep Core Data's own words, including all words of a pragma, and the `x` before a blob's
        // digits.
        let isKept =
          keepsNumbers || FrameworkName.isOne(sql.part(word))
          || (word.count == 1 && byte | 0x20 == 120 && place < sql.count && sql[place] == 39)
        if isKept { copy(sql[word]) } else { text(sql[word]) }
      } else if byte == 63 {
        copy(CollectionOfOne(byte))
        place += 1
        while place < sql.count, LineHead.isDigit(sql[place]) {
          copy(CollectionOfOne(sql[place]))
          place += 1
        }
      } else {
        if byte == 41 { flags = 0 }
        if byte == 44, flags > 0 { flags += 1 }
        // Newlines become spaces because a message must fit on one line.
        copy(CollectionOfOne(byte == 10 || byte == 13 ? 32 : byte))
        place += 1
      }
    }
  }

  private mutating func quoted(
    _ sql: UnsafeRawBufferPointer,
    from start: Int,
    blobAfter word: Range<Int>
  ) -> Int {
    var value: [UInt8] = []
    var place = start + 1
    while place < sql.count {
      if sql[place] == 39 {
        guard place + 1 < sql.count, sql[place + 1] == 39 else { break }
        place += 1
      }
      value.append(sql[place])
      place += 1
    }
    copy(CollectionOfOne(39))
    if word.upperBound == start, word.count == 1, sql[word.lowerBound] | 0x20 == 120 {
      blob(value)
    } else {
      text(value)
    }
    // If the log truncates a literal, its closing quote is missing.
    if place < sql.count { copy(CollectionOfOne(39)) }
    return min(place + 1, sql.count)
  }

  private mutating func identifier(
    _ sql: UnsafeRawBufferPointer,
    from start: Int,
    quote: UInt8
  ) -> Int {
    let end = sql.place(of: quote, from: start + 1) ?? sql.count
    let inner = sql[start + 1..<max(end, start + 1)]
    copy(CollectionOfOne(quote))
    if FrameworkName.isIdentifier(UnsafeRawBufferPointer(rebasing: inner)) {
      copy(inner)
    } else {
      text(inner)
    }
    if end < sql.count { copy(CollectionOfOne(quote)) }
    return min(end + 1, sql.count)
  }

  private static func endOfNumber(_ sql: UnsafeRawBufferPointer, from start: Int) -> Int {
    var place = start + 1
    while place < sql.count,
      LineHead.isDigit(sql[place]) || sql[place] == 46 || sql[place] | 0x20 == 101
        || ((sql[place] == 45 || sql[place] == 43) && sql[place - 1] | 0x20 == 101)
    { place += 1 }
    return place
  }

  /// Whether a number follows SELECT, LIMIT or OFFSET, where Core Data writes its own numbers.
  private static func isStructural(
    _ sql: UnsafeRawBufferPointer,
    _ word: Range<Int>,
    _ place: Int
  ) -> Bool {
    guard sql[word.upperBound..<place].allSatisfy({ $0 == 32 }) else { return false }
    let text = sql.part(word)
    return (text.has("SELECT") && word.count == 6) || (text.has("LIMIT") && word.count == 5)
      || (text.has("OFFSET") && word.count == 6)
  }

  // MARK: Bound values

  /// Rewrites the value of a bind line: `"s"`, `18`, `(int64)18`, `nil`, `<12 bytes>`.
  mutating func bound(_ value: UnsafeRawBufferPointer) {
    let start = LoggedValue.endOfType(value)
    copy(value[..<start])
    let rest = value.part(start..<value.count)
    if rest.count >= 2, rest.first == 34, rest.last == 34 {
      copy(CollectionOfOne(34))
      text(rest[1..<rest.count - 1])
      copy(CollectionOfOne(34))
    } else if let end = Self.endOfBoundNumber(rest) {
      // Drop the text after the number, because the text can be a date that repeats the value.
      number(rest[..<end])
    } else if ["nil", "null", "NULL", "(null)"].contains(rest.text) {
      copy(rest)
    } else if let bytes = LoggedValue.blobLength(rest) {
      // If a blob's bytes are printed, their replacements preserve equality.
      let start = rest.place(of: "0x").map { $0 + 2 }
      if start == nil, rest.place(of: " byte") != nil { return copy("<\(bytes) bytes>") }
      copy("{length = \(bytes), bytes = 0x")
      blob(rest[(start ?? 1)...].filter { LineHead.isDigit($0) || (97...102).contains($0 | 0x20) })
      copy("}")
    } else {
      text(rest)
    }
  }

  /// Returns the end of a number at the start of a value; `nil` unless the number is the whole
  /// value or is followed by a space.
  private static func endOfBoundNumber(_ value: UnsafeRawBufferPointer) -> Int? {
    let sign = value.first == 45 ? 1 : 0
    guard value.count > sign, LineHead.isDigit(value[sign]) else { return nil }
    let end = endOfNumber(value, from: sign)
    return end == value.count || value[end] == 32 ? end : nil
  }

  /// Rewrites a name in an annotation; a string that is not a valid name is anonymized.
  mutating func name(_ name: Slice<UnsafeRawBufferPointer>) {
    if name.allSatisfy(Fingerprint.isWord) { copy(name) } else { text(name) }
  }
}

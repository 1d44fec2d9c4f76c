#if SwiftSource
  import Basics

  extension [UInt8] {
    func contains(_ text: String) -> Bool { offset(of: text, from: 0) != nil }

    func offset(of text: String, from start: Int) -> Int? {
      let wanted = [UInt8](text.utf8)
      guard let first = wanted.first, start <= count - wanted.count else { return nil }
      return withUnsafeBytes { bytes in
        guard let base = bytes.baseAddress else { return nil }
        var position = start
        while position <= bytes.count - wanted.count,
          let found = memchr(
            base + position,
            Int32(first),
            bytes.count - wanted.count + 1 - position
          )
        {
          position = UnsafeRawPointer(found) - base
          if memcmp(found, wanted, wanted.count) == 0 { return position }
          position += 1
        }
        return nil
      }
    }

    /// Returns the offset at which a word occurs once more than allowed, or else the end of the
    /// bytes, with the number of earlier occurrences.
    func end(before word: String, most: Int) -> (end: Int, found: Int) {
      var (position, found) = (0, 0)
      while let next = offset(of: word, from: position) {
        position = next + word.utf8.count
        guard position == count || !Self.isNamePart(self[position]) else { continue }
        if found == most { return (next, found) }
        found += 1
      }
      return (count, found)
    }

    /// The names that follow a keyword, such as `struct `; a dotted name is split into its parts.
    func names(after keyword: String) -> [String] {
      var names: [String] = []
      var position = 0
      while let found = offset(of: keyword, from: position) {
        position = found + keyword.utf8.count
        guard found == 0 || !Self.isNamePart(self[found - 1]) else { continue }
        while position < count, self[position] == 32 { position += 1 }
        let end = self[position...].firstIndex { !Self.isNamePart($0) && $0 != 46 } ?? count
        guard end > position else { continue }
        let text = String(decoding: self[position..<end], as: UTF8.self)
        names += text.split(separator: ".").map { $0.filter { $0 != "`" } }
        position = end
      }
      return names
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
      byte >= 128 || byte == 95 || byte == 96 || (48...57).contains(byte)
        || (65...90).contains(byte) || (97...122).contains(byte)
    }
  }
#endif

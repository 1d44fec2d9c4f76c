import Basics

/// Reads a log file line by line, using bounded memory.
package struct LineReader {
  /// The maximum length in bytes of a line that is passed on completely.
  package static let longestLine = 1 << 20

  package let path: String

  package init(path: String) {
    self.path = path
  }

  /// The way in which a line ended.
  package enum Ending: Equatable {
    case newline
    case file
    /// The line is longer than ``longestLine``, so the rest of it is skipped.
    case cut
  }

  /// Calls a closure with each line, without its newline.
  ///
  /// The bytes are valid only during the call.
  ///
  /// - Throws: a ``Refusal`` if the file is missing, unreadable or binary, or any error that the
  ///   closure throws.
  package func forEachLine(
    _ body: (_ line: UnsafeRawBufferPointer, _ ending: Ending) throws -> Void
  ) throws {
    let file = try open()
    defer { close(file) }
    let capacity = Self.longestLine * 2
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
    defer { buffer.deallocate() }
    guard let base = buffer.baseAddress else { return }
    var (start, end) = (0, 0)
    var isFirst = true
    var isSkipping = false
    while true {
      let count = System.read(file, base + end, capacity - end)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Refusal.cannotRead(path) }
      if isFirst {
        try refuseBinary(UnsafeRawBufferPointer(start: base, count: count))
        isFirst = false
      }
      end += count
      while let newline = memchr(base + start, 10, end - start) {
        let next = base.distance(to: newline) + 1
        if isSkipping {
          isSkipping = false
        } else {
          try body(Self.line(base + start, next - 1 - start), .newline)
        }
        start = next
      }
      let isOver = count == 0
      if end - start >= Self.longestLine || (isOver && end > start) {
        // Skip the rest of a line that is too long.
        if !isSkipping { try body(Self.line(base + start, end - start), isOver ? .file : .cut) }
        isSkipping = true
        start = end
      }
      if isOver { return }
      memmove(base, base + start, end - start)
      (start, end) = (0, end - start)
    }
  }

  func forFirstLines(_ wantsMore: (UnsafeRawBufferPointer) -> Bool) throws {
    struct Stop: Error {}
    do {
      try forEachLine { line, _ in if !wantsMore(line) { throw Stop() } }
    } catch is Stop {}
  }

  private static func line(_ start: UnsafeMutableRawPointer, _ count: Int) -> UnsafeRawBufferPointer
  {
    let line = UnsafeRawBufferPointer(start: start, count: count)
    return line.last == 13 ? UnsafeRawBufferPointer(rebasing: line.dropLast()) : line
  }

  private func open() throws -> Int32 {
    guard let status = FileStatus(path) else { throw Refusal.noSuchLog(path: path) }
    switch status.kind {
    case .file: break
    case .folder: throw Refusal.cannotRead(path, reason: "it is a folder")
    // Reject pipes and devices, because they may never end.
    default: throw Refusal.cannotRead(path, reason: "it is not a regular file")
    }
    let file = System.open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw Refusal.cannotRead(path) }
    return file
  }

  private func refuseBinary(_ bytes: UnsafeRawBufferPointer) throws {
    let kinds: [(StaticString, String)] = [
      ("SQLite format 3", "a SQLite database"), ("bplist", "a binary property list"),
      ("\u{1F}", "compressed or binary"), ("PK\u{3}\u{4}", "a ZIP archive"),
    ]
    for (head, kind) in kinds where bytes.has(head) {
      throw Refusal.binary(path: path, kind: kind)
    }
    let isMarked = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
    if isMarked {
      throw Refusal.badInput(
        "'\(path)' is text in UTF-16: convert it with 'iconv -f UTF-16 -t UTF-8' first"
      )
    }
    if bytes.prefix(1 << 16).contains(0) {
      throw Refusal.binary(path: path, kind: "a binary file or UTF-16 text")
    }
  }
}

extension UnsafeRawBufferPointer {
  func has(_ text: StaticString, at place: Int = 0) -> Bool {
    guard let baseAddress, place >= 0, place + text.utf8CodeUnitCount <= count else { return false }
    return memcmp(baseAddress + place, text.utf8Start, text.utf8CodeUnitCount) == 0
  }

  func place(of text: StaticString, from start: Int = 0, before end: Int? = nil) -> Int? {
    let end = Swift.min(end ?? count, count)
    guard let baseAddress, text.utf8CodeUnitCount > 0 else { return nil }
    var start = Swift.max(start, 0)
    while start < end,
      let found = memchr(baseAddress + start, Int32(text.utf8Start.pointee), end - start)
    {
      let place = baseAddress.distance(to: UnsafeRawPointer(found))
      if has(text, at: place) { return place }
      start = place + 1
    }
    return nil
  }

  func place(of byte: UInt8, from start: Int) -> Int? {
    guard let baseAddress, start < count else { return nil }
    return memchr(baseAddress + start, Int32(byte), count - start).map {
      baseAddress.distance(to: UnsafeRawPointer($0))
    }
  }

  func lastPlace(of text: StaticString) -> Int? {
    var place = count - text.utf8CodeUnitCount
    while place >= 0 {
      if has(text, at: place) { return place }
      place -= 1
    }
    return nil
  }

  func part(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: self[range])
  }

  var text: String { String(decoding: self, as: UTF8.self) }

  /// Returns the integer at an index and the index after it; `nil` if there is no digit or if the
  /// number is too large.
  func number(at place: Int) -> (value: Int, end: Int)? {
    var (value, end) = (0, place)
    while end < count, case let digit = Int(self[end]) - 48, digit >= 0, digit < 10 {
      guard value < Int.max / 10 - 10 else { return nil }
      value = value * 10 + digit
      end += 1
    }
    return end > place ? (value, end) : nil
  }

  /// Returns the time at an index, such as `0.0287s`, in microseconds.
  func microseconds(at place: Int) -> Int? {
    guard let (seconds, end) = number(at: place), seconds < 1_000_000_000 else { return nil }
    var (fraction, unit, place) = (0, 1_000_000, end)
    // In some locales the decimal separator is a comma.
    if place < count, self[place] == 46 || self[place] == 44 {
      place += 1
      while place < count, case let digit = Int(self[place]) - 48, digit >= 0, digit < 10 {
        if unit > 1 {
          unit /= 10
          fraction += digit * unit
        }
        place += 1
      }
    }
    guard place < count, self[place] == UInt8(ascii: "s") else { return nil }
    return seconds * 1_000_000 + fraction
  }

  /// A 64-bit hash that is the same in every process.
  var hash64: UInt64 {
    guard let baseAddress else { return 0 }
    var hash = UInt64(count) &* 0x9E37_79B9_7F4A_7C15
    var place = 0
    while place &+ 8 <= count {
      let word = baseAddress.loadUnaligned(fromByteOffset: place, as: UInt64.self)
      hash = SplitMix64.mix(hash ^ word)
      place &+= 8
    }
    var rest: UInt64 = 0
    while place < count {
      rest = rest &<< 8 | UInt64(self[place])
      place &+= 1
    }
    return SplitMix64.mix(hash ^ rest)
  }
}

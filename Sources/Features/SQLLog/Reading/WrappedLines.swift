import Basics

/// Joins lines that a terminal or a mail program wrapped at a fixed width.
///
/// The width is detected in the log's first lines: the longest lines have the same length, differ
/// in their ends, and continue on lines without a prefix.
struct WrappedLines {
  /// The number of characters in a wrapped line; `nil` if no lines are wrapped.
  let width: Int?
  private var joined: [UInt8] = []
  private(set) var first = 0

  private static let sampledLines = 4_000
  private static let sampledBytes = 4 << 20
  /// The range of plausible widths: logs do not have narrower lines, and terminals are not wider.
  private static let widths = 60...2_048
  private static let longest = 1 << 18

  init(of path: String) throws {
    var sample = Sample()
    try LineReader(path: path).forFirstLines { line in
      sample.add(line)
      return sample.lines <= Self.sampledLines && sample.bytes <= Self.sampledBytes
    }
    width = sample.width.flatMap { Self.widths.contains($0) ? $0 : nil }
  }

  private struct Sample {
    private(set) var lines = 0
    private(set) var bytes = 0
    private var longest = 0
    private var texts: Set<UInt64> = []
    private var count = 0
    private var goOn = 0
    private var mayGoOn = false
    private var isColored = false

    mutating func add(_ line: UnsafeRawBufferPointer) {
      lines += 1
      bytes += line.count
      // The width is unknown if lines contain color codes.
      if line.place(of: 27, from: 0) != nil { isColored = true }
      if mayGoOn, !line.isEmpty, line.first != 123, LineHead(line) == nil { goOn += 1 }
      mayGoOn = false
      // Skip most lines without counting their characters: those with fewer bytes than the longest
      // line has characters.
      let length = line.count < longest ? 0 : WrappedLines.characters(of: line)
      guard length >= longest, length > 0 else { return }
      if length > longest { (longest, texts, count, goOn) = (length, [], 0, 0) }
      count += 1
      // Do not count the lines of a list of values as continuations, because the message before
      // them is complete.
      mayGoOn = line.last != 40 && line.lastPlace(of: "' returned ") == nil
      if texts.count < 8 { texts.insert(line.part(max(0, line.count - 48)..<line.count).hash64) }
    }

    /// Lines of the same length may be the same statement with different prefixes, so compare only
    /// their ends.
    var width: Int? {
      let isWrapped = count >= 3 && texts.count >= 2 && goOn * 10 >= count * 9
      return isWrapped && !isColored ? longest : nil
    }
  }

  private static func characters(of line: UnsafeRawBufferPointer) -> Int {
    line.reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
  }

  mutating func add(
    _ line: UnsafeRawBufferPointer,
    number: Int,
    _ take: (UnsafeRawBufferPointer, Int) throws -> Void
  ) rethrows {
    guard let width else { return try take(line, number) }
    let goesOn = line.count >= width && Self.characters(of: line) == width
    // A line that begins a message is not a continuation, even if the previous line happens to be
    // exactly as wide as the wrap.
    if !joined.isEmpty, LineHead(line).map({ !$0.form.isWeak }) ?? false { try flush(take) }
    guard !joined.isEmpty || goesOn else { return try take(line, number) }
    if joined.isEmpty { first = number }
    joined.append(contentsOf: line)
    if !goesOn || joined.count > Self.longest { try flush(take) }
  }

  mutating func flush(_ take: (UnsafeRawBufferPointer, Int) throws -> Void) rethrows {
    guard !joined.isEmpty else { return }
    let bytes = joined
    joined.removeAll(keepingCapacity: true)
    try bytes.withUnsafeBytes { try take($0, first) }
  }
}

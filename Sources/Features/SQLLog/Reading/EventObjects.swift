import Basics

/// Joins the lines of a JSON object, because `log show --style json` prints each event on several
/// lines, with its keys in any order.
struct EventObjects {
  private var object: [UInt8] = []
  private var first = 0
  private var depth = 0
  private var isInString = false

  private static let longest = 1 << 18

  /// Reads a line and passes on the object that it completes, or the line itself if it is outside
  /// an object.
  mutating func add(
    _ line: UnsafeRawBufferPointer,
    number: Int,
    _ take: (UnsafeRawBufferPointer, Int) -> Void
  ) {
    let start = line.firstIndex { $0 != 32 && $0 != 9 } ?? line.count
    if depth == 0 {
      guard Self.opens(line, from: start) else { return take(line, number) }
      first = number
    } else if !isInString, !Self.belongs(line, at: start, isFirst: object.count == 2) {
      flush(take)
      return add(line, number: number, take)
    }
    var place = start
    var piece = start
    while place < line.count {
      switch line[place] {
      case 92 where isInString: place += 1
      case 34 where depth > 0: isInString.toggle()
      case 123 where !isInString:
        if depth == 0 { piece = place }
        depth += 1
      case 125 where !isInString && depth > 0:
        depth -= 1
        guard depth == 0 else { break }
        object.append(contentsOf: line[piece...place])
        end(take)
        (piece, first) = (place + 1, number)
      default: break
      }
      place += 1
    }
    guard depth > 0 else { return }
    if piece < line.count { object.append(contentsOf: line[piece...]) }
    object.append(10)
    if object.count > Self.longest { flush(take) }
  }

  /// Whether a line only opens an object: `{`, `[{` or `},{`.
  private static func opens(_ line: UnsafeRawBufferPointer, from start: Int) -> Bool {
    start < line.count && line.last { $0 != 32 } == 123
      && line[start...].allSatisfy { [32, 44, 91, 123, 125].contains($0) }
  }

  /// Whether a line can be part of an object; the first line must contain a key.
  private static func belongs(
    _ line: UnsafeRawBufferPointer,
    at start: Int,
    isFirst: Bool
  ) -> Bool {
    guard start < line.count else { return true }
    if line[start] == 34 { return !isFirst || line.place(of: 58, from: start) != nil }
    let isValue = LineHead.isDigit(line[start]) || [45, 91, 93, 123, 125].contains(line[start])
    return !isFirst && isValue
  }

  /// Passes on the object as one line if it contains a message; otherwise passes on its original
  /// lines.
  private mutating func end(_ take: (UnsafeRawBufferPointer, Int) -> Void) {
    let isEvent = object.withUnsafeBytes { bytes in
      LineForms.messageKeys.contains { bytes.place(of: $0) != nil }
    }
    guard isEvent else { return flush(take) }
    let bytes = object.map { $0 == 10 ? 32 : $0 }
    reset()
    bytes.withUnsafeBytes { take($0, first) }
  }

  mutating func flush(_ take: (UnsafeRawBufferPointer, Int) -> Void) {
    let lines = object.split(separator: 10)
    let first = first
    reset()
    for (offset, line) in lines.enumerated() { line.withUnsafeBytes { take($0, first + offset) } }
  }

  private mutating func reset() {
    object.removeAll(keepingCapacity: true)
    (depth, isInString) = (0, false)
  }
}

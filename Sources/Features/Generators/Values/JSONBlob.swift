/// Valid JSON of an exact size in bytes, similar to an app's cached response.
///
/// It is a list of elements that are copied in runs from a pool, at memory speed.
enum JSONBlob {
  private static let block = 4_096
  private static let motif = 3

  static func append(
    count: Int,
    compressibility: Double,
    to bytes: inout [UInt8],
    draws: inout Draws
  ) {
    guard count >= 2 else { return bytes.append(contentsOf: repeatElement(48, count: count)) }
    bytes.reserveCapacity(bytes.count + count)
    let end = bytes.count + count - 1
    bytes.append("[")
    while bytes.count < end {
      let start = bytes.count
      append(min(block, end - start), compressibility, to: &bytes, &draws)
      if bytes.count == start { break }
    }
    // Remove the last comma: every copied element ends with a comma, but the last element must not.
    if bytes.last == UInt8(ascii: ",") { bytes[bytes.count - 1] = UInt8(ascii: " ") }
    bytes.append(contentsOf: repeatElement(32, count: end - bytes.count))
    bytes.append("]")
  }

  /// Appends whole elements of at most `room` bytes in total.
  ///
  /// New elements come first, then repetitions of the last few elements.
  private static func append(
    _ room: Int,
    _ compressibility: Double,
    to bytes: inout [UInt8],
    _ draws: inout Draws
  ) {
    let end = bytes.count + room
    let first = draws.below(pool.count - block)
    let share = Int(((1 - compressibility) * Double(room)).rounded())
    let last = pool.last(from: first, within: min(max(share, Pool.longest), room))
    guard last > first else { return }
    bytes.append(contentsOf: pool[first..<last])
    guard compressibility > 0 else { return }
    let repeated = pool[max(first, last - motif)..<last]
    while bytes.count + repeated.count <= end { bytes.append(contentsOf: repeated) }
  }

  private static let pool = Pool()

  /// About 1 MiB of elements that stay in memory as long as the process runs.
  private struct Pool: @unchecked Sendable {
    /// The maximum size of an element in bytes, including its comma.
    static let longest = 82

    let count = 16_384
    private let bytes: UnsafeBufferPointer<UInt8>
    private let starts: UnsafeBufferPointer<Int>

    private static let words = WordList(
      """
      alpha beta gamma delta north south east west red green blue draft final pending done archived
      """
    )

    init() {
      var text: [UInt8] = []
      var places = [0]
      for element in 0..<count {
        var draws = StreamKey(seed: 0).derived("elements").draws(row: element)
        text.append("{\"id\":\"")
        text.append(hexadecimal: draws.next(), width: 16)
        text.append("\",\"name\":\"")
        Self.words.append(to: &text, draws: &draws)
        text.append("\",\"count\":")
        text.append(decimal: draws.below(100_000))
        text.append(draws.below(2) == 0 ? ",\"isActive\":true}," : ",\"isActive\":false},")
        places.append(text.count)
      }
      let kept = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.count)
      _ = kept.initialize(from: text)
      let starts = UnsafeMutableBufferPointer<Int>.allocate(capacity: places.count)
      _ = starts.initialize(from: places)
      bytes = UnsafeBufferPointer(kept)
      self.starts = UnsafeBufferPointer(starts)
    }

    subscript(elements: Range<Int>) -> UnsafeBufferPointer<UInt8> {
      UnsafeBufferPointer(
        rebasing: bytes[starts[elements.lowerBound]..<starts[elements.upperBound]]
      )
    }

    func last(from first: Int, within room: Int) -> Int {
      var (low, high) = (first, count + 1)
      while high - low > 1 {
        let middle = (low + high) / 2
        if starts[middle] - starts[first] <= room { low = middle } else { high = middle }
      }
      return low
    }
  }
}

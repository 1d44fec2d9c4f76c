/// The first entry of a part and of the next one, as words.
struct WordBounds {
  private let lower: [UInt64]?
  private let upper: [UInt64]?
  private let stride: Int

  init(part: MergePart, stride: Int) {
    self.stride = stride
    lower = part.lower.map(Self.words)
    upper = part.upper.map(Self.words)
  }

  private static func words(_ bytes: ArraySlice<UInt8>) -> [UInt64] {
    bytes.withUnsafeBytes { bytes in
      Swift.stride(from: 0, to: bytes.count, by: 8).map {
        bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self)
      }
    }
  }

  /// The bytes of those sorted entries that lie between the bounds.
  func entries(of memory: UnsafeRawPointer, count: Int) -> Range<Int> {
    let size = stride * 8
    let words = memory.assumingMemoryBound(to: UInt64.self)
    let start = lower.map { first(in: words, count: count / size, notBefore: $0) } ?? 0
    let end = upper.map { first(in: words, count: count / size, notBefore: $0) } ?? count / size
    return start * size..<max(start, end) * size
  }

  /// The first entry that does not come before a bound.
  private func first(
    in words: UnsafePointer<UInt64>,
    count: Int,
    notBefore bound: [UInt64]
  ) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if precedes(words + middle * stride, bound) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private func precedes(_ entry: UnsafePointer<UInt64>, _ bound: [UInt64]) -> Bool {
    for column in 0..<stride - 1 where entry[column] != bound[column] {
      return entry[column] < bound[column]
    }
    return Int64(bitPattern: entry[stride - 1]) < Int64(bitPattern: bound[stride - 1])
  }
}

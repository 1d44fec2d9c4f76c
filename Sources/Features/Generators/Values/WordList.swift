/// A list of words, from which a random word can be appended without allocation or reference
/// counting.
///
/// The words are never freed, because lists are constants that all threads share.
struct WordList: @unchecked Sendable {
  static let readable = 32

  let count: Int
  private let bytes: UnsafePointer<UInt8>
  private let ends: UnsafePointer<Int>

  init(_ text: String, separator: Character = " ") {
    let words = text.split { $0 == separator || $0.isNewline }
    let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(
      capacity: text.utf8.count + Self.readable
    )
    bytes.initialize(repeating: 0)
    let ends = UnsafeMutableBufferPointer<Int>.allocate(capacity: words.count + 1)
    ends[0] = 0
    var end = 0
    for (index, word) in words.enumerated() {
      for byte in word.utf8 {
        bytes[end] = byte
        end += 1
      }
      ends[index + 1] = end
    }
    count = words.count
    self.bytes = UnsafePointer(bytes.baseAddress ?? UnsafeMutablePointer.allocate(capacity: 1))
    self.ends = UnsafePointer(ends.baseAddress ?? UnsafeMutablePointer.allocate(capacity: 1))
  }

  @inline(__always)
  subscript(index: Int) -> UnsafeBufferPointer<UInt8> {
    precondition(index >= 0 && index < count)
    return UnsafeBufferPointer(start: bytes + ends[index], count: ends[index + 1] - ends[index])
  }

  @inline(__always)
  func word(_ draws: inout Draws) -> UnsafeBufferPointer<UInt8> {
    self[draws.below(count)]
  }

  @inline(__always)
  func append(to text: inout [UInt8], draws: inout Draws) {
    text.append(contentsOf: word(&draws))
  }

  /// A stack buffer of a few kilobytes in which a text of many words is assembled.
  ///
  /// It copies 32 bytes per word regardless of the word's length, which is several times as fast as
  /// appending the word to an array.
  struct Sentences: ~Copyable {
    static let capacity = 4_096

    private let start: UnsafeMutableRawPointer
    private(set) var count = 0

    static func append(to text: inout [UInt8], _ body: (inout Sentences, inout [UInt8]) -> Void) {
      withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 1) { buffer in
        guard let start = buffer.baseAddress else { return }
        var sentences = Sentences(start: start)
        body(&sentences, &text)
        sentences.flush(to: &text)
      }
    }

    private init(start: UnsafeMutableRawPointer) {
      self.start = start
    }

    /// Ensures that there is room for a word of `WordList.readable` bytes and some punctuation.
    @inline(__always)
    mutating func makeRoom(in text: inout [UInt8]) {
      if count + 2 * WordList.readable > Self.capacity { flush(to: &text) }
    }

    private mutating func flush(to text: inout [UInt8]) {
      text.append(contentsOf: UnsafeRawBufferPointer(start: start, count: count))
      count = 0
    }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
      start.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
      count += 1
    }

    @inline(__always)
    mutating func append(_ word: UnsafeBufferPointer<UInt8>) {
      guard let first = word.baseAddress else { return }
      typealias Block = SIMD32<UInt8>
      let block = UnsafeRawPointer(first).loadUnaligned(as: Block.self)
      start.storeBytes(of: block, toByteOffset: count, as: Block.self)
      count += word.count
    }
  }
}

extension [UInt8] {
  @inline(__always)
  mutating func append(_ text: StaticString) {
    append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Appends a nonnegative number in decimal digits, zero-padded to a width.
  mutating func append(decimal number: Int, width: Int = 1) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.mostDigits) { digits in
      var rest = UInt64(number)
      var first = digits.count
      repeat {
        first -= 1
        digits[first] = 48 + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      } while rest > 0 || (digits.count - first < width && first > 0)
      append(contentsOf: UnsafeBufferPointer(rebasing: digits[first...]))
    }
  }

  private static var mostDigits: Int { 20 }

  mutating func append(hexadecimal number: UInt64, width: Int) {
    for digit in stride(from: width - 1, through: 0, by: -1) {
      let nibble = UInt8(truncatingIfNeeded: number >> UInt64(digit * 4)) & 15
      append(nibble < 10 ? 48 + nibble : 55 + nibble)
    }
  }
}

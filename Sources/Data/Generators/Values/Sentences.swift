/// A few kilobytes on the stack in which a text of many words is put together.
///
/// A word is copied as 32 bytes whatever its length, so there is nothing to decide: several times
/// as fast as appending it to an array.
struct Sentences: ~Copyable {
  static let capacity = 4_096

  private let start: UnsafeMutableRawPointer
  private(set) var count = 0

  /// Calls the body with an empty buffer and appends to a text what is in it at the end.
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

  /// Makes room for a word of `WordList.readable` bytes and some marks around it.
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

  /// Appends a word of at most `WordList.readable` bytes, capitalised where it starts with a
  /// letter of ASCII and that is asked for.
  @inline(__always)
  mutating func append(_ word: UnsafeBufferPointer<UInt8>, isCapitalised: Bool = false) {
    guard let first = word.baseAddress else { return }
    typealias Block = SIMD32<UInt8>
    let block = UnsafeRawPointer(first).loadUnaligned(as: Block.self)
    start.storeBytes(of: block, toByteOffset: count, as: Block.self)
    if isCapitalised, (97...122).contains(word[0]) {
      start.storeBytes(of: word[0] - 32, toByteOffset: count, as: UInt8.self)
    }
    count += word.count
  }
}

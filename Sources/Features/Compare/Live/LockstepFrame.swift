import Basics
import Runner

/// One message between a coordinator and a worker in lock-step: 16 bytes, and a text behind some.
///
/// Four bytes that no text begins with, four of the kind, eight of the value, the lowest first.
struct LockstepFrame: Hashable, Sendable {
  enum Kind: UInt32, Sendable {
    // What a worker says.
    /// A text: a ``LockstepGreeting``.
    case greeting = 1
    /// Prepared; the next thing is a slice. Of a cold case the value is 1 and the thousandths of the
    /// store's pages that are in memory, else 0.
    case ready = 2
    /// Nanoseconds of a slice.
    case slice = 3
    /// Nanoseconds of the last slice of `run`.
    case lastSlice = 4
    /// A text: a ``TrialResponse``, after which the worker ends.
    case response = 5

    // What a coordinator says.
    /// A text: a ``LockstepRequest``.
    case request = 16
    /// Run this many iterations.
    case runIterations = 17
    /// Go on with `run` for this many nanoseconds.
    case runQuantum = 18
    /// Check the outcome and end.
    case verify = 19

    var hasText: Bool { [.greeting, .response, .request].contains(self) }
  }

  /// What both sides must agree on; every change of a message's meaning raises it.
  static let version = 1
  static let headSize = 16
  /// More than any request or response takes.
  static let mostText = 1 << 20

  private static let mark: [UInt8] = [0xf1, 0x53, 0x42, 0x4c]

  let kind: Kind
  /// The number of a text's bytes where there is a text.
  let value: UInt64
  let text: [UInt8]

  init(_ kind: Kind, value: UInt64 = 0) {
    (self.kind, self.value, text) = (kind, value, [])
  }

  init(_ kind: Kind, text: some Sequence<UInt8>) {
    self.kind = kind
    self.text = Array(text)
    value = UInt64(self.text.count)
  }

  var bytes: [UInt8] {
    Self.mark + Self.bytes(of: UInt64(kind.rawValue), count: 4) + Self.bytes(of: value, count: 8)
      + text
  }

  /// The kind and the value of a head, or `nil` for bytes that are none.
  static func head(_ bytes: some Collection<UInt8>) -> (kind: Kind, value: UInt64)? {
    let bytes = Array(bytes)
    guard bytes.count == headSize, bytes.starts(with: mark) else { return nil }
    let number = { (range: Range<Int>) in
      bytes[range].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
    guard let kind = Kind(rawValue: UInt32(number(4..<8))) else { return nil }
    let value = number(8..<16)
    guard !kind.hasText || value <= UInt64(mostText) else { return nil }
    return (kind, value)
  }

  private static func bytes(of number: UInt64, count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
  }

  /// What a worker in lock-step is asked to prepare.
  struct Request: Codable, Hashable, Sendable {
    /// ``LockstepFrame/version`` of the coordinator.
    var version: Int
    var trial: TrialRequest
    /// The share by which every slice is made longer, by waiting busily: a planted regression.
    var slowdown: Double
    /// Workers of earlier revisions need the key.
    var isCounting = false
  }

  /// The first thing that a worker in lock-step says.
  struct Greeting: Codable, Hashable, Sendable {
    /// ``LockstepFrame/version`` of the worker.
    var version: Int
    /// The sources of the SQLite library that it runs with.
    var sqliteSourceID: String
  }
}

/// A worker's end of the pipes to its coordinator: it waits for as long as it is not spoken to.
struct LockstepPipe {
  let input: Int32
  let output: Int32

  /// The next message, or `nil` when the coordinator has gone or says what is no message.
  func receive() -> LockstepFrame? {
    guard let head = LockstepFrame.head(read(LockstepFrame.headSize)) else { return nil }
    guard head.kind.hasText else { return LockstepFrame(head.kind, value: head.value) }
    let text = read(Int(head.value))
    return text.count == Int(head.value) ? LockstepFrame(head.kind, text: text) : nil
  }

  /// Says something; a coordinator that has gone is noticed at the next ``receive()``.
  func send(_ frame: LockstepFrame) {
    _ = frame.bytes.withUnsafeBytes { System.writeAll(output, $0) }
  }

  private func read(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    while bytes.count < count {
      let missing = count - bytes.count
      let piece = [UInt8](unsafeUninitializedCapacity: missing) { buffer, size in
        size = max(readAgain(buffer.baseAddress, missing), 0)
      }
      guard !piece.isEmpty else { break }
      bytes += piece
    }
    return bytes
  }

  private func readAgain(_ buffer: UnsafeMutablePointer<UInt8>?, _ count: Int) -> Int {
    while true {
      let result = System.read(input, buffer, count)
      if result < 0, errno == EINTR { continue }
      return result
    }
  }
}

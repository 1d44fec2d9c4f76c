import Basics
import Runner

/// One message between a coordinator (the process that compares two sides) and a lockstep worker (a
/// process that runs slices of a case on request): 16 bytes, followed by text for some kinds.
///
/// The 16 bytes are a four-byte mark with which no text begins, the kind in four bytes, and the
/// value in eight bytes, both little-endian.
struct LockstepFrame: Hashable, Sendable {
  enum Kind: UInt32, Sendable {
    /// The worker's first message, with a ``LockstepFrame/Greeting`` as text.
    case greeting = 1
    /// The case is prepared; the coordinator requests the first slice next.
    ///
    /// For a cold case, the value is 1 plus the share (in thousandths) of the store's pages that
    /// are in memory. For a warm case, it is 0.
    case ready = 2
    /// The duration of a slice, in nanoseconds.
    case slice = 3
    /// The duration in nanoseconds of the last slice of `run`, the case's timed work.
    case lastSlice = 4
    /// The worker's last message, with a ``TrialResponse`` as text.
    case response = 5

    /// The coordinator's first message, with a ``LockstepFrame/Request`` as text.
    case request = 16
    /// Requests a number of iterations.
    case runIterations = 17
    /// Requests that `run` continue for a given number of nanoseconds.
    case runQuantum = 18
    /// Requests that the worker verify the outcome and end.
    case verify = 19

    var hasText: Bool { [.greeting, .response, .request].contains(self) }
  }

  /// The protocol version, on which both sides must agree.
  ///
  /// It is incremented when the meaning of a message changes.
  static let version = 1
  static let headSize = 16
  static let mostText = 1 << 20

  private static let mark: [UInt8] = [0xf1, 0x53, 0x42, 0x4c]

  let kind: Kind
  /// The number that the message carries, or the number of bytes in its text.
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

  struct Request: Codable, Hashable, Sendable {
    var version: Int
    var trial: TrialRequest
    /// The share by which each slice is lengthened by busy waiting, to simulate a regression.
    var slowdown: Double
    /// A key without effect, which workers built from earlier revisions require.
    var isCounting = false
  }

  struct Greeting: Codable, Hashable, Sendable {
    var version: Int
    /// The source ID of the SQLite library that the worker uses.
    var sqliteSourceID: String
  }
}

/// A worker's end of the pipes to its coordinator, the process that compares the sides.
///
/// Reading waits for a message without a time limit.
struct LockstepPipe {
  let input: Int32
  let output: Int32

  /// Returns the next message, or `nil` if the coordinator has exited or sent an invalid message.
  func receive() -> LockstepFrame? {
    guard let head = LockstepFrame.head(read(LockstepFrame.headSize)) else { return nil }
    guard head.kind.hasText else { return LockstepFrame(head.kind, value: head.value) }
    let text = read(Int(head.value))
    return text.count == Int(head.value) ? LockstepFrame(head.kind, text: text) : nil
  }

  /// Sends a message.
  ///
  /// If the coordinator has exited, only the next ``receive()`` notices it.
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

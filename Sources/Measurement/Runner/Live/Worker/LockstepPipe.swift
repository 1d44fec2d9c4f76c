import Basics

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
    var bytes = frame.bytes[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
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

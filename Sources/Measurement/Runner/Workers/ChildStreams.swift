import Basics
import Foundation

/// What a child writes: all of its output, the beginning and the end of its errors.
final class ChildStreams {
  private(set) var output = Data()
  private var errors = Data()
  private var polled: [pollfd]
  private let mostErrors = 16_384

  init(_ child: ChildProcess) {
    polled = [child.output, child.errors].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
  }

  /// Whether either stream may still bring something.
  var isOpen: Bool { polled.contains { $0.fd >= 0 } }

  /// Whether standard output may still bring something.
  var hasOutput: Bool { polled[0].fd >= 0 }

  /// Takes what has come, waiting a while for it; false when nothing has.
  func read(milliseconds: Int32) throws -> Bool {
    let count = poll(&polled, nfds_t(polled.count), milliseconds)
    // A signal ends the wait; whether it means a stop is asked elsewhere.
    guard count > 0 else { return false }
    var hasRead = false
    for index in polled.indices where polled[index].fd >= 0 && polled[index].revents != 0 {
      guard let bytes = Self.take(polled[index].fd) else {
        polled[index].fd = -1
        continue
      }
      hasRead = true
      if index == 0 { output += bytes } else { keep(bytes) }
    }
    return hasRead
  }

  /// Takes the beginning of the output away; `nil` while there is less of it.
  func takeOutput(_ count: Int) -> Data? {
    guard output.count >= count else { return nil }
    let taken = output.prefix(count)
    output = Data(output.dropFirst(count))
    return taken
  }

  /// `nil` at the end of the stream.
  private static func take(_ descriptor: Int32) -> Data? {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = Foundation.read(descriptor, &buffer, buffer.count)
    return count > 0 ? Data(buffer[..<count]) : nil
  }

  private func keep(_ bytes: Data) {
    errors += bytes
    // The first error matters most, the last one next.
    if errors.count > mostErrors {
      errors = errors.prefix(mostErrors / 2) + errors.suffix(mostErrors / 2)
    }
  }

  /// The line of its errors that tells most: Swift's fatal error, or else the last one.
  var message: String {
    let lines = String(decoding: errors, as: UTF8.self).split(whereSeparator: \.isNewline)
      .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    let line = lines.first { $0.contains("Fatal error:") } ?? lines.last ?? ""
    return String(line.prefix(300))
  }
}

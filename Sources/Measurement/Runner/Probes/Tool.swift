import Dispatch
import Foundation
import Synchronization

/// Another program, found by its name, that is asked for something.
struct Tool {
  /// What a program said and how it ended.
  struct Answer {
    var status: Int32
    var output: String
    /// The last line that tells of an error, of either stream.
    var complaint: String
  }

  let name: String
  /// Told of each line of its output.
  var onLine: (String) -> Void = { _ in }

  /// Runs it to its end; `nil` where it cannot be started.
  func run(_ arguments: [String]) -> Answer? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [name] + arguments
    let (output, errors) = (Pipe(), Pipe())
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    guard (try? process.run()) != nil else { return nil }
    let said = StreamText()
    // Both at once: a full pipe would stop it.
    let thread = Thread { said.finish(errors.fileHandleForReading.readDataToEndOfFile()) }
    thread.start()
    let text = read(output.fileHandleForReading)
    process.waitUntilExit()
    return Answer(
      status: process.terminationStatus,
      output: text,
      complaint: Self.complaint(in: text + "\n" + said.text())
    )
  }

  private func read(_ file: FileHandle) -> String {
    var (text, line) = (Data(), Data())
    while true {
      let bytes = file.availableData
      guard !bytes.isEmpty else { break }
      text += bytes
      line += bytes
      while let end = line.firstIndex(of: UInt8(ascii: "\n")) {
        onLine(String(decoding: line[line.startIndex..<end], as: UTF8.self))
        line = Data(line[(end + 1)...])
      }
    }
    return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private static func complaint(in text: String) -> String {
    let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    let marked = lines.last { $0.contains("error:") || $0.contains("fatal:") }
    return String((marked ?? lines.last { !$0.isEmpty } ?? "").prefix(300))
  }

  /// A text that another thread reads.
  private final class StreamText: Sendable {
    private let data = Mutex(Data())
    private let isDone = DispatchSemaphore(value: 0)

    func finish(_ bytes: Data) {
      data.withLock { $0 = bytes }
      isDone.signal()
    }

    func text() -> String {
      isDone.wait()
      return data.withLock { String(decoding: $0, as: UTF8.self) }
    }
  }
}

import Basics
import Foundation
import Runner
import Synchronization

/// Runs this program as another process that works on the same store.
///
/// Sendable is unchecked, because `result` is read only after the semaphore is signaled.
final class OtherProcess: @unchecked Sendable {
  private let done = DispatchSemaphore(value: 0)
  private var result: Result<TrialResponse, any Error>?

  /// Starts the process and waits until it is ready.
  ///
  /// - Throws: ``Refusal`` if the process fails or is not ready within 20 seconds.
  init(_ request: TrialRequest, ready: String) throws {
    let thread = Thread {
      self.result = Result {
        try WorkerProcess(executable: Self.executable.withLock { $0 })
          .execute(request, within: TrialLimits(time: 120))
      }
      self.done.signal()
    }
    thread.start()
    let isReady = try Self.wait(seconds: 20) {
      if done.wait(timeout: .now()) == .success {
        done.signal()
        _ = try response()
      }
      return FileManager.default.fileExists(atPath: ready)
    }
    guard isReady else { throw Self.notReady }
  }

  static let notReady = Refusal(
    .caseFailed,
    "the other process did not start to work within 20 seconds"
  )

  static func wait(seconds: Int, until holds: () throws -> Bool) rethrows -> Bool {
    let end = DispatchTime.now() + .seconds(seconds)
    while try !holds() {
      guard DispatchTime.now() < end else { return false }
      usleep(500)
    }
    return true
  }

  /// The path of the program to start: this program, except in tests, because the test program
  /// cannot run trials.
  static let executable = Mutex(
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
  )

  func response() throws -> TrialResponse {
    done.wait()
    done.signal()
    let response = try result?.get() ?? TrialResponse(outcome: .failed("it gave no answer"))
    if case .failed(let reason) = response.outcome {
      throw Refusal(.caseFailed, "the other process failed: \(reason)")
    }
    return response
  }
}

/// A text file next to the store: one process appends lines, and other processes read them.
struct LineFile {
  let path: String

  func begin() throws { try Data().write(to: URL(fileURLWithPath: path)) }

  func append(_ line: String) throws {
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    defer { try? file.close() }
    try file.seekToEnd()
    try file.write(contentsOf: Data((line + "\n").utf8))
  }

  /// The numbers in the complete lines after a byte offset, and the byte offset of the next line.
  func lines(from offset: UInt64 = 0) throws -> (numbers: [[Int64]], end: UInt64) {
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    defer { try? file.close() }
    try file.seek(toOffset: offset)
    let data = try file.readToEnd() ?? Data()
    guard let last = data.lastIndex(of: 0x0a) else { return ([], offset) }
    let whole = data[data.startIndex...last]
    let lines = String(decoding: whole, as: UTF8.self).split(separator: "\n")
    return (
      lines.map { $0.split(separator: " ").compactMap { Int64($0) } }, offset + UInt64(whole.count)
    )
  }
}

struct SaveLog {
  private let file: LineFile

  init(folder: String, of role: CoexistenceParameters.Role) {
    file = LineFile(path: "\(folder)/\(role.rawValue).log")
  }

  func begin() throws { try file.begin() }

  func append(_ save: Int) throws { try file.append("\(save) \(MonotonicClock.now())") }

  func times() throws -> [UInt64] {
    try file.lines().numbers.compactMap { $0.last.map(UInt64.init) }
  }
}

extension LineFile {
  /// The file to which the writer appends one line per save for the reader, with the keys of the
  /// changed objects.
  static func changes(in folder: String) -> LineFile { LineFile(path: folder + "/changes.txt") }
}

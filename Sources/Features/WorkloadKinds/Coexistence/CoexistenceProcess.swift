import Basics
import Foundation
import Runner
import Synchronization

/// Another process: this program again, at work on the same store.
///
/// Unchecked: the response is read after the end was signalled.
final class OtherProcess: @unchecked Sendable {
  private let done = DispatchSemaphore(value: 0)
  private var result: Result<TrialResponse, any Error>?

  /// Starts the process and waits until it has begun.
  ///
  /// - Throws: ``Refusal`` if it does not begin.
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
      // A process that cannot begin has an end to tell of.
      if done.wait(timeout: .now()) == .success {
        done.signal()
        _ = try response()
      }
      return FileManager.default.fileExists(atPath: ready)
    }
    guard isReady else { throw Self.notReady }
  }

  /// The refusal of a process that does not begin.
  static let notReady = Refusal(
    .caseFailed,
    "the other process did not start to work within 20 seconds"
  )

  /// Waits until something holds, for so many seconds at most; returns whether it does.
  static func wait(seconds: Int, until holds: () throws -> Bool) rethrows -> Bool {
    let end = DispatchTime.now() + .seconds(seconds)
    while try !holds() {
      guard DispatchTime.now() < end else { return false }
      usleep(500)
    }
    return true
  }

  /// The program to start: this one, but in tests, whose program is no worker.
  static let executable = Mutex(
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
  )

  /// Waits for the end of the process.
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

/// A text file beside the store that one process appends to and others read.
struct LineFile {
  let path: String

  /// Begins the file anew.
  func begin() throws { try Data().write(to: URL(fileURLWithPath: path)) }

  func append(_ line: String) throws {
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    defer { try? file.close() }
    try file.seekToEnd()
    try file.write(contentsOf: Data((line + "\n").utf8))
  }

  /// The numbers of the whole lines behind an offset, and the offset behind them.
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

/// A process's notes of its saves: when each was committed.
struct SaveLog {
  private let file: LineFile

  init(folder: String, of role: CoexistenceParameters.Role) {
    file = LineFile(path: "\(folder)/\(role.rawValue).log")
  }

  func begin() throws { try file.begin() }

  /// Notes a save that was committed just now.
  func append(_ save: Int) throws { try file.append("\(save) \(MonotonicClock.now())") }

  /// When each save was committed, in the order of the saves.
  func times() throws -> [UInt64] {
    try file.lines().numbers.compactMap { $0.last.map(UInt64.init) }
  }
}

extension LineFile {
  /// The file that the writer appends to for the reader: a line a save, the keys of what it changed.
  static func changes(in folder: String) -> LineFile { LineFile(path: folder + "/changes.txt") }
}

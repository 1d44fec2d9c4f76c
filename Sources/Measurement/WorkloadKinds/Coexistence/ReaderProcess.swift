import Foundation
import Runner

/// The other process: this program again, at work on the same store.
///
/// Unchecked: the response is read after the end was signalled.
final class ReaderProcess: @unchecked Sendable {
  private let done = DispatchSemaphore(value: 0)
  private var result: Result<TrialResponse, any Error>?

  /// Starts the process and waits until it has looked once.
  ///
  /// - Throws: ``CoexistenceError``.
  init(_ request: TrialRequest, ready: String) throws {
    let thread = Thread {
      self.result = Result {
        try WorkerProcess(executable: Self.executable)
          .execute(request, within: TrialLimits(time: 120))
      }
      self.done.signal()
    }
    thread.start()
    for _ in 0..<4000 where !FileManager.default.fileExists(atPath: ready) {
      // A reader that cannot begin has an end to tell of.
      if done.wait(timeout: .now() + .milliseconds(5)) == .success {
        done.signal()
        _ = try response()
      }
    }
    guard FileManager.default.fileExists(atPath: ready) else {
      throw CoexistenceError.readerNotReady
    }
  }

  private static var executable: String {
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
  }

  /// Waits for the end of the process.
  func response() throws -> TrialResponse {
    done.wait()
    done.signal()
    let response = try result?.get() ?? TrialResponse(outcome: .failed("it gave no answer"))
    if case .failed(let reason) = response.outcome { throw CoexistenceError.readerFailed(reason) }
    return response
  }
}

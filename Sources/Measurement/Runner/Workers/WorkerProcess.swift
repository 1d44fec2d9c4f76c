import Basics
import Foundation

/// Runs each trial in a process of its own, which does nothing else.
///
/// The process is this program again, with an argument that makes it a ``Worker``: one line of JSON
/// goes in, one comes out. Whatever else happens to it is a failed trial with its cause.
package struct WorkerProcess: TrialExecutor {
  private let executable: String
  private let arguments: [String]
  private let processor: SharedProcessor?
  private let isStopped: @Sendable () -> Bool

  /// The most that an answer may have: some hundred thousand measurements.
  private static let largestAnswer = 64 << 20

  /// Starts `executable` with `arguments` on one processor, or wherever the system likes, and ends it
  /// when `isStopped`.
  package init(
    executable: String,
    arguments: [String] = ["worker"],
    processor: SharedProcessor? = nil,
    isStopped: @escaping @Sendable () -> Bool = { false }
  ) {
    self.executable = executable
    self.arguments = arguments
    self.processor = processor
    self.isStopped = isStopped
  }

  package func execute(
    _ request: TrialRequest,
    within limits: TrialLimits
  ) throws -> TrialResponse {
    do {
      return try response(to: request, within: limits)
    } catch let fault as WorkerFault {
      return TrialResponse(outcome: .failed(fault.description))
    }
  }

  /// The response of a process that came to its end.
  ///
  /// - Throws: ``WorkerFault``, ``RunnerError/interrupted``.
  func response(to request: TrialRequest, within limits: TrialLimits) throws -> TrialResponse {
    let answer = try answer(to: request, within: limits)
    guard let response = try? JSONDecoder().decode(TrialResponse.self, from: answer) else {
      throw WorkerFault.answeredRubbish(String(decoding: answer.prefix(80), as: UTF8.self))
    }
    return response
  }

  private func answer(to request: TrialRequest, within limits: TrialLimits) throws -> Data {
    let killsBefore = MemoryControl.killCount
    let child = try ChildProcess(
      executable: executable,
      arguments: arguments,
      environment: WorkerEnvironment.variables(padding: limits.environmentPadding),
      input: try JSONEncoder().encode(request) + Data("\n".utf8)
    )
    processor?.keep(child.pid)
    // Also what it may have started and left behind.
    defer { child.killGroup() }
    let streams = ChildStreams(child)
    let deadline = MonotonicClock.seconds() + limits.time
    var ending: ChildProcess.Ending?
    while ending == nil || streams.isOpen {
      // Not beyond the deadline: what ends a moment later has not kept it.
      let rest = (deadline - MonotonicClock.seconds()) * 1000
      let isQuiet = try !streams.read(milliseconds: Int32(min(max(rest, 1), 50)))
      guard streams.output.count <= Self.largestAnswer else {
        throw give(up: child, WorkerFault.wroteTooMuch(limit: Self.largestAnswer))
      }
      // A process it left behind may hold its pipes open.
      if ending != nil, isQuiet { break }
      ending = ending ?? child.poll()
      if isStopped() { throw give(up: child, RunnerError.interrupted) }
      if ending == nil, MonotonicClock.seconds() > deadline {
        throw give(up: child, WorkerFault.tookTooLong(seconds: limits.time))
      }
    }
    if let ending, ending != .exit(0) {
      throw WorkerFault(ending, message: streams.message, killsBefore: killsBefore)
    }
    return streams.output
  }

  /// Ends the child, waits until it is gone, and returns the error to throw.
  private func give<Failure: Error>(up child: ChildProcess, _ error: Failure) -> Failure {
    child.killGroup()
    child.reap()
    return error
  }
}

/// How a launch ended that might be killed.
package enum LaunchEnding: Hashable, Sendable {
  /// It came to its end, also by an error that its case expects.
  case finished(TrialResponse)
  /// It was killed: by itself, or for want of time.
  case killed
  /// For this cause.
  case failed(String)
}

/// Launches work in a process of its own; a seam for tests.
package protocol Launcher: TrialExecutor {
  /// Throws ``RunnerError/interrupted`` when told to stop meanwhile.
  func launch(_ request: TrialRequest, within limits: TrialLimits) throws -> LaunchEnding
}

extension WorkerProcess: Launcher {
  package func launch(
    _ request: TrialRequest,
    within limits: TrialLimits
  ) throws -> LaunchEnding {
    do {
      let response = try response(to: request, within: limits)
      if case .failed(let cause) = response.outcome { return .failed(cause) }
      return .finished(response)
    } catch WorkerFault.killed(signal: 9, wasOutOfMemory: false, _) {
      return .killed
    } catch WorkerFault.tookTooLong {
      return .killed
    } catch let fault as WorkerFault {
      return .failed(fault.description)
    }
  }
}

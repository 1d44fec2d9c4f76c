/// Runs one trial somewhere: in this process, or in one of its own.
package protocol TrialExecutor: Sendable {
  /// Does what is asked; whatever goes wrong is a failed trial with its cause.
  ///
  /// Throws ``RunnerError/interrupted`` when the run was told to stop meanwhile.
  func execute(_ request: TrialRequest, within limits: TrialLimits) throws -> TrialResponse
}

/// When an executor gives a trial up, and what its process is given besides.
package struct TrialLimits: Hashable, Sendable {
  /// Seconds, of a process.
  package var time: Double
  /// The length of a variable in the process's environment: it moves the stack, so that no layout
  /// of memory is measured again and again.
  package var environmentPadding: Int

  package init(time: Double = 600, environmentPadding: Int = 0) {
    self.time = time
    self.environmentPadding = environmentPadding
  }
}

/// Runs trials in this process: for tests, and inside a worker.
package struct InProcessExecutor: TrialExecutor {
  package let kinds: [any Workload.Type]
  package let probes: Probes

  package init(kinds: [any Workload.Type], probes: Probes = .system) {
    self.kinds = kinds
    self.probes = probes
  }

  package func execute(
    _ request: TrialRequest,
    within limits: TrialLimits
  ) throws -> TrialResponse {
    guard let kind = kinds.first(where: { $0.kind == request.kind }) else {
      return TrialResponse(outcome: .failed("there is no workload kind '\(request.kind)'"))
    }
    return perform(kind, request)
  }

  private func perform<Kind: Workload>(_ kind: Kind.Type, _ request: TrialRequest) -> TrialResponse
  {
    TrialPerformer(
      workload: kind.init(parameters: request.parameters),
      request: request,
      probes: probes
    ).perform()
  }
}

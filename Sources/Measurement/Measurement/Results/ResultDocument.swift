/// A run's whole result: environment, workloads and raw samples, versioned.
package struct ResultDocument: Hashable, Sendable {
  /// The version of the document that this code writes and reads.
  package static let currentVersion = 1

  package var version: Int
  package var environment: Environment
  package var workloads: [WorkloadResult]

  package init(
    version: Int = ResultDocument.currentVersion,
    environment: Environment,
    workloads: [WorkloadResult] = []
  ) {
    self.version = version
    self.environment = environment
    self.workloads = workloads
  }
}

import Runner

/// Every workload kind, in the order in which help and documentation list them.
package enum WorkloadCatalog {
  package static let kinds: [any WorkloadKind.Type] = [
    FetchWorkload.self,
    BlobStorageWorkload.self,
    CascadeDeleteWorkload.self,
    SaveWorkload.self,
    BulkWorkload.self,
    ImportWorkload.self,
    SearchWorkload.self,
    SectionWorkload.self,
    CountWorkload.self,
    HistoryWorkload.self,
    SessionWorkload.self,
    ScenarioWorkload.self,
    MigrationWorkload.self,
    FirstLaunchWorkload.self,
    ReplicasWorkload.self,
    CoexistenceWorkload.self,
    ReplayWorkload.self,
  ]

  /// The metrics of all kinds: the common ones first, then each kind's own.
  package static var metrics: [Metric] { Metric.catalogue + kinds.flatMap { $0.metrics } }
}

import Runner

/// All workload kinds, in the order in which help and documentation list them.
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

  /// The metrics of all workload kinds: first the shared metrics, then the metrics of each kind.
  package static var metrics: [Metric] { Metric.catalogue + kinds.flatMap { $0.metrics } }
}

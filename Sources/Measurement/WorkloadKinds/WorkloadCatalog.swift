import Runner

/// Every workload kind, in the order in which help and documentation list them.
package enum WorkloadCatalog {
  package static let kinds: [any Workload.Type] = [
    FetchWorkload.self,
    BlobStorageWorkload.self,
    CascadeDeleteWorkload.self,
    MigrationWorkload.self,
    ReplicasWorkload.self,
    CoexistenceWorkload.self,
  ]
}

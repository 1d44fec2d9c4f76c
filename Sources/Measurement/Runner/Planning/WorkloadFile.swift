import DataModel
import Generators
import Measurement
import SQLite

/// A workload file as it is written, every value checked against its kind's axes.
package struct WorkloadFile: Sendable {
  /// A parameter that the file sets.
  package struct Parameter: Hashable, Sendable {
    package let axis: Axis
    /// In the order of the file; more than one makes it an axis of the plan.
    package let values: [PlacedValue]
  }

  /// The path as it was given.
  package let path: String
  /// The path without its ending, relative to the workloads folder: `fetch/paging`.
  package let name: String
  /// The folder that recipe and model paths are relative to.
  package let folder: String
  package let kind: any Workload.Type
  /// The values of the kind's parameters where no file says otherwise.
  package let defaults: [String: ParameterValue]
  package var store: StoreSource
  /// The recipe of the store, read while planning; `nil` of a store made elsewhere, and of one whose
  /// recipe was exchanged.
  package var recipe: Recipe?
  /// Whether the store was given in place of the file's own, so that names of the file may not fit.
  package let isOnGivenStore: Bool
  /// In the order of the file.
  package let parameters: [Parameter]
  package var trials: TrialPolicy
  package var settings: ConnectionSettings
  /// How much exact costs may grow over a baseline, by metric.
  package var budget: [String: Budget]
  package var claim: Claim?
  package var expectations: [Expectation]
}

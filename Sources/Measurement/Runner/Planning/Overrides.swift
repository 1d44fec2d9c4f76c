/// What the command line sets in place of what workload files say.
package struct Overrides: Hashable, Sendable {
  /// A store made elsewhere, in place of each file's own.
  package var store: String?
  package var trials: Int?
  /// Parameters by name, their values written as in a workload file.
  package var parameters: [Parameter]

  /// One parameter set on the command line.
  package struct Parameter: Hashable, Sendable {
    package var name: String
    package var yaml: String

    package init(name: String, yaml: String) {
      self.name = name
      self.yaml = yaml
    }
  }

  package init(store: String? = nil, trials: Int? = nil, parameters: [Parameter] = []) {
    self.store = store
    self.trials = trials
    self.parameters = parameters
  }
}

/// One cell of a plan: a workload file with one value for every parameter.
package struct Case: Hashable, Sendable {
  /// The workload's name and the parameters that the file sets, in name order.
  package let id: String
  /// The parameters of the ID.
  package let shownParameters: ParameterValues
  /// The parameters that matter in the cell, defaults included.
  package let parameters: ParameterValues
  /// Every parameter of the kind, with what it chose by the store; those that do not matter have
  /// their defaults.
  package let allParameters: ParameterValues
  /// What the kind chose by the store, and names of the file that the store does not have.
  package let notes: [String]

  package init(
    id: String,
    shownParameters: ParameterValues,
    parameters: ParameterValues,
    allParameters: ParameterValues,
    notes: [String] = []
  ) {
    self.id = id
    self.shownParameters = shownParameters
    self.parameters = parameters
    self.allParameters = allParameters
    self.notes = notes
  }
}

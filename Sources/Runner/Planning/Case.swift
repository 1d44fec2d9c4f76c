/// One cell of a plan: a workload file with one value for every parameter.
package struct Case: Hashable, Sendable {
  /// The workload's name and the parameters that the file sets, in name order.
  package let id: String
  /// The parameters of the ID.
  package let shownParameters: ParameterValues
  /// The parameters that matter in the cell, defaults included.
  package let parameters: ParameterValues
  /// Every parameter of the kind; those that do not matter have their defaults.
  package let allParameters: ParameterValues

  package init(
    id: String,
    shownParameters: ParameterValues,
    parameters: ParameterValues,
    allParameters: ParameterValues
  ) {
    self.id = id
    self.shownParameters = shownParameters
    self.parameters = parameters
    self.allParameters = allParameters
  }
}

import Measurement

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
  /// What the kind says of the case; computed once, while planning.
  package let traits: Traits

  package init(
    id: String,
    shownParameters: ParameterValues,
    parameters: ParameterValues,
    allParameters: ParameterValues,
    notes: [String] = [],
    traits: Traits = Traits()
  ) {
    self.id = id
    self.shownParameters = shownParameters
    self.parameters = parameters
    self.allParameters = allParameters
    self.notes = notes
    self.traits = traits
  }

  /// What a kind says of a case, as the properties of ``Workload`` describe it.
  package struct Traits: Hashable, Sendable {
    package var onlyReads = false
    package var isConcurrent = false
    package var isAtomic = false
    package var expectedFailure: String?
    package var endState = ""
    package var startingStore: String?
    package var behaviours: [Behaviour] = []
    package var notes: [String] = []
    package var diskFactor = 3.0
    package var diskBytes: Int64 = 0
    package var batchSize: Int?

    /// The most bytes that the case's files take where the workload's own store has some bytes.
    func diskBytes(from store: Int64) -> Int64 {
      Int64(min(Double(store) * diskFactor + Double(diskBytes), 1e18))
    }
  }
}

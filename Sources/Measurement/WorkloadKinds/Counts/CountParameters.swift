import PersistentStore
import Runner

/// The parameters of one case.
package struct CountParameters: ParameterSet {
  @Parameter("what keeps or finds the counts") var strategy = Strategy.group
  @Parameter("how a derived count is brought up to date (assumed)")
  var derivation = Derivation.triggers
  @Parameter(1...1_000_000, "objects in all lists") var objects = 10_000
  @Parameter(2...10_000, "lists with a badge each") var lists = 20
  @Parameter(1...10_000, "saves, with the badges shown after each") var saves = 20
  @Parameter(1...1_000, "objects that a save moves to other lists") var objectsPerSave = 1
  @Parameter(.name, "whose attributes the objects have") var entity = ""

  package init() {}

  package var irrelevant: Set<ParameterName> { strategy == .derived ? [] : [$derivation] }

  package var impossibility: String? {
    guard objectsPerSave > objects else { return nil }
    return "a save moves \(objectsPerSave) objects and 'objects' is \(objects): move fewer"
  }
}

extension CountParameters {
  enum Strategy: String, CaseIterable, Sendable {
    /// A count request for each list.
    case count
    /// One GROUP BY for all lists.
    case group
    /// All objects fetched, then counted.
    case fetch
    /// A derived attribute of each list.
    case derived
    /// An attribute of each list that the app changes with its objects.
    case maintained
  }

  /// When the store computes a derived count.
  enum Derivation: String, CaseIterable, Sendable {
    /// By triggers, for the lists of each row that changes.
    case triggers
    /// By one statement for all lists in each save.
    case statement
  }

  var keepsCounts: Bool { strategy == .derived || strategy == .maintained }
}

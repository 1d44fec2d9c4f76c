import PersistentStore
import Runner

/// The parameters of one case.
package struct CountParameters: ParameterSet {
  @Parameter("how the counts are computed or stored") var strategy = Strategy.group
  @Parameter("how a derived count is updated (assumed)")
  var derivation = Derivation.triggers
  @Parameter(1...1_000_000, "number of objects in all lists together") var objects = 10_000
  @Parameter(2...10_000, "number of lists, each with a badge") var lists = 20
  @Parameter(1...10_000, "number of saves; the badges are shown after each save") var saves = 20
  @Parameter(1...1_000, "number of objects that a save moves to other lists") var objectsPerSave = 1
  @Parameter(.name, "entity whose attributes the objects have") var entity = ""

  package init() {}

  package var irrelevant: Set<ParameterName> { strategy == .derived ? [] : [$derivation] }

  package var impossibility: String? {
    guard objectsPerSave > objects else { return nil }
    return "a save moves \(objectsPerSave) objects, but 'objects' is only \(objects): reduce "
      + "'objectsPerSave'"
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

import PersistentStore
import Runner

/// The parameters of one case.
package struct SectionParameters: ParameterSet {
  @Parameter("what is done with the list") var operation = Operation.show
  @Parameter("what makes the sections") var strategy = Strategy.controller
  @Parameter("what does the work") var engine = ChangeEngine.objectGraph
  @Parameter("what a section stands for") var by = Grouping.category
  @Parameter("where an object's day comes from") var dayKey = DayKey.stored
  @Parameter(named: "index", "whether the order of the list has an index") var isIndexed = false
  @Parameter(1...1_000_000, "objects of the list") var objects = 10_000
  @Parameter(1...10_000, "sections of the list") var sections = 50
  @Parameter(1...1_000, "objects on the screen") var screen = 20
  @Parameter(1...10_000, "saves that another context makes while the list is shown") var saves = 10
  @Parameter(1...1_000, "objects that a save moves to other sections") var objectsPerSave = 1
  @Parameter(.name, "whose attributes the objects have") var entity = ""

  package init() {}

  package var irrelevant: Set<ParameterName> {
    var names: Set<ParameterName> = []
    if by != .day { names.insert($dayKey) }
    if operation == .show { names.formUnion([$saves, $objectsPerSave]) }
    return names
  }

  package var impossibility: String? {
    if objectsPerSave > objects {
      return "a save moves \(objectsPerSave) objects and 'objects' is \(objects): move fewer"
    }
    if engine != .objectGraph {
      if strategy == .controller {
        return "a controller shows objects of a context: use 'engine: objectGraph'"
      }
      if operation == .save {
        return "plain SQL and GRDB keep no list that a save changes: use 'operation: show'"
      }
      return nil
    }
    guard strategy == .sql, isComputed else { return nil }
    return "a fetch groups by an attribute: use 'dayKey: stored', or another strategy or engine"
  }
}

extension SectionParameters {
  enum Operation: String, CaseIterable, Sendable {
    /// The list is opened: its sections, and the objects on the first screen.
    case show
    /// The list is open while saves move objects between sections.
    case save
  }

  enum Strategy: String, CaseIterable, Sendable {
    /// A GROUP BY, and a fetch of the first screen.
    case sql
    /// All objects fetched, then grouped.
    case memory
    /// As a fetched-results controller: keys, then sections, then batches.
    case controller
  }

  enum Grouping: String, CaseIterable, Sendable {
    case category
    case day
  }

  /// Where an object's day comes from.
  enum DayKey: String, CaseIterable, Sendable {
    /// An attribute of its own, which the app keeps up to date.
    case stored
    /// The date, of which the day is computed.
    case computed
  }

  /// Whether sections are computed from a date.
  var isComputed: Bool { by == .day && dayKey == .computed }
}

import PersistentStore
import Runner

/// The parameters of one case.
struct SectionParameters: ParameterSet {
  @Parameter("what is done with the list") var operation = Operation.show
  @Parameter("how the sections are made") var strategy = Strategy.controller
  @Parameter("the engine that does the work") var engine = ChangeEngine.objectGraph
  @Parameter("what a section is: a category or a day") var by = Grouping.category
  @Parameter("how an object's day is found") var dayKey = DayKey.stored
  @Parameter(named: "index", "whether an index supports the order of the list") var isIndexed =
    false
  @Parameter(1...1_000_000, "number of objects in the list") var objects = 10_000
  @Parameter(1...10_000, "number of sections in the list") var sections = 50
  @Parameter(1...1_000, "number of objects on the screen") var screen = 20
  @Parameter(1...10_000, "number of saves by another context while the list is shown") var saves =
    10
  @Parameter(1...1_000, "number of objects that a save moves to other sections")
  var objectsPerSave = 1
  @Parameter(.name, "entity whose attributes the objects have") var entity = ""

  var irrelevant: Set<ParameterName> {
    var names: Set<ParameterName> = []
    if by != .day { names.insert($dayKey) }
    if operation == .show { names.formUnion([$saves, $objectsPerSave]) }
    return names
  }

  var impossibility: String? {
    if let obstacle = tooFew(objects, "moves", objectsPerSave, "objects") { return obstacle }
    if engine != .objectGraph {
      if strategy == .controller {
        return "a fetched-results controller needs a context: use 'engine: objectGraph'"
      }
      if operation == .save {
        return "plain SQL and GRDB do not update a list after a save: use 'operation: show'"
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

import PersistentStore
import Runner

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
    /// Opens the list: shows its sections, and the objects on the first screen.
    case show
    /// Keeps the list open while saves move objects between sections.
    case save
  }

  enum Strategy: String, CaseIterable, Sendable {
    /// Groups with a GROUP BY statement, and fetches the first screen.
    case sql
    /// Fetches all objects, then groups them in memory.
    case memory
    /// Reads keys, then sections, then batches, as a fetched-results controller does.
    case controller
  }

  enum Grouping: String, CaseIterable, Sendable {
    case category
    case day
  }

  /// The source of an object's day.
  enum DayKey: String, CaseIterable, Sendable {
    /// The day is an attribute, which the app keeps up to date.
    case stored
    /// The day is computed from the date.
    case computed
  }

  var isComputed: Bool { by == .day && dayKey == .computed }
}

import PersistentStore
import Runner

struct BulkParameters: ParameterSet {
  @Parameter("what is done to the objects") var operation = Operation.update
  @Parameter("one statement for all objects, or object by object") var strategy = Strategy.batch
  @Parameter("the engine that does the work") var engine = ChangeEngine.objectGraph
  @Parameter(1...1_000_000, "number of objects in the store at the start") var stored = 10_000
  @Parameter(0.0001...1, "share of the objects that is updated or deleted") var share = 0.5
  @Parameter(1...1_000_000, "number of objects changed by one save, with 'objects'")
  var objectsPerSave = 1_000
  @Parameter(named: "history", "whether the store keeps history") var keepsHistory = false
  @Parameter(0...100_000, "number of objects that a screen's context holds meanwhile")
  var held = 100
  @Parameter("how the screen's context gets the changes of a batch (assumed)")
  var merge = Merge.objectIDs
  @Parameter("how a batch finds its rows (assumed)") var batchSearch = BatchSearch.condition
  @Parameter("what a batch update does with optimistic-lock counters (assumed)")
  var batchVersions = BatchVersions.raised
  @Parameter("what a commit survives: a crash of the app, or also a loss of power") var durability =
    CommitDurability.normal
  @Parameter(.name, "entity whose attributes the objects have") var entity = ""

  var irrelevant: Set<ParameterName> {
    let isRequest = strategy == .batch && engine == .objectGraph
    let relevance = [
      ($objectsPerSave, strategy == .objects), ($held, engine == .objectGraph),
      ($merge, isRequest && held > 0),
      ($batchSearch, isRequest), ($batchVersions, isRequest && operation == .update),
    ]
    return Set(relevance.filter { !$0.1 }.map(\.0))
  }

  var impossibility: String? {
    if engine != .objectGraph, keepsHistory {
      return "plain SQL and GRDB write no history: leave out 'history'"
    }
    if merge == .history, !irrelevant.contains($merge), !keepsHistory {
      return "a store without history has no changes to merge: set 'history' to true"
    }
    return nil
  }
}

extension BulkParameters {
  enum Operation: String, CaseIterable, Sendable {
    case update
    case delete
  }

  enum Strategy: String, CaseIterable, Sendable {
    /// Changes all objects with one statement that bypasses all contexts (`NSBatchUpdateRequest`,
    /// `NSBatchDeleteRequest`).
    case batch
    /// Fetches the objects, changes them and saves.
    case objects
  }

  /// How the context of a screen receives the changes of a batch request that bypasses it.
  enum Merge: String, CaseIterable, Sendable {
    /// Does not pass on the changes, so that the screen shows old values.
    case none
    /// Merges the objects whose IDs the request returns.
    case objectIDs
    /// Merges the changes recorded in the history since the screen was shown.
    case history
    /// Resets the context and fetches its objects again.
    case reset
  }

  /// How the statement of a batch request finds its rows.
  enum BatchSearch: String, CaseIterable, Sendable {
    /// Finds the rows by the request's condition.
    case condition
    /// Finds the rows by the keys that a preceding fetch with the condition returned.
    case keys
  }

  /// How a batch update changes the optimistic-lock counters of its objects.
  enum BatchVersions: String, CaseIterable, Sendable {
    case raised
    case unchanged
  }

  /// Whether the work is done by a batch request, which bypasses the contexts.
  var isRequest: Bool { strategy == .batch && engine == .objectGraph }

  /// The keys of the objects on the screen: the first objects in the store.
  var shown: [Int64] {
    engine == .objectGraph && held > 0 ? Array(1...Int64(min(held, stored))) : []
  }
}

import PersistentStore
import Runner

struct SaveParameters: ParameterSet {
  @Parameter("what is done to the objects") var operation = Operation.insert
  @Parameter("the engine that does the work") var engine = ChangeEngine.objectGraph
  @Parameter(1...10_000, "objects inserted, updated or deleted by a save") var objectsPerSave = 10
  @Parameter(1...100_000, "how many saves") var saves = 20
  @Parameter(1...1_000_000, "number of objects in the store at the start") var stored = 1_000
  @Parameter(named: "history", "whether the store keeps history") var keepsHistory = false
  @Parameter(
    bytes: 0...16_777_216,
    "size of a blob in external storage that inserts and updates write"
  )
  var blob = 0
  @Parameter("what a commit survives: a crash of the app, or also a loss of power") var durability =
    CommitDurability.normal

  // The parameters from `edits` to `ending` apply only to editing sessions.
  @Parameter(1...1_000_000, "number of edits in the session: letters, toggles, moves") var edits =
    2_000
  @Parameter("when the editing session saves") var autosave = Autosave.close
  @Parameter(1...100_000, "number of unsaved edits after which 'count' saves") var autosaveCount =
    20
  @Parameter(1...3_600_000, "milliseconds after which 'time' and 'pause' save (assumed)")
  var autosaveInterval = 5_000
  @Parameter("how the editing session ends") var ending = Ending.quit

  @Parameter(.name, "entity whose attributes the objects have") var entity = ""

  var irrelevant: Set<ParameterName> {
    let isSession = operation == .edit
    let waits = autosave == .time || autosave == .pause
    let relevance = [
      ($objectsPerSave, !isSession), ($saves, !isSession), ($edits, isSession),
      ($autosave, isSession), ($autosaveCount, isSession && autosave == .count),
      ($autosaveInterval, isSession && waits), ($ending, isSession),
    ]
    return Set(relevance.filter { !$0.1 }.map(\.0))
  }

  var impossibility: String? {
    if engine != .objectGraph, keepsHistory {
      return "plain SQL and GRDB write no history: leave out 'history'"
    }
    if blob > 0 {
      guard engine == .objectGraph else {
        return "only the frameworks have external storage: use 'engine: objectGraph' for a 'blob'"
      }
      guard operation == .insert || operation == .update else {
        return "only inserts and updates write blobs: leave out 'blob'"
      }
    }
    guard operation != .edit else { return nil }
    guard saves * objectsPerSave <= 10_000_000 else {
      return "the saves write more than 10,000,000 objects: reduce 'saves' or 'objectsPerSave'"
    }
    let deletions = operation == .delete ? objectsPerSave : EditScript.Share(objectsPerSave).deleted
    let updates = operation == .update ? objectsPerSave : EditScript.Share(objectsPerSave).updated
    let needed =
      switch operation {
      case .insert, .edit: 0
      case .update: updates
      case .delete: saves * deletions
      case .mixed: saves * deletions + updates
      }
    guard needed > stored else { return nil }
    return
      "the saves need \(needed) objects, but 'stored' is only \(stored): increase 'stored', or "
      + "reduce 'saves'"
  }
}

extension SaveParameters {
  enum Operation: String, CaseIterable, Sendable {
    case insert
    /// Updates an integer and a string of each fetched object.
    case update
    case delete
    /// Inserts two tenths of the objects of each save, deletes one tenth and updates the rest.
    case mixed
    /// Types, toggles and reorders like a user, while the app saves automatically.
    case edit
  }

  enum Autosave: String, CaseIterable, Sendable {
    case edit
    case count
    case time
    case pause
    case close
  }

  enum Ending: String, CaseIterable, Sendable {
    /// The app saves the unsaved edits.
    case quit
    /// The process ends with the last edit, so edits that are not saved are lost.
    case crash
  }

  var hasBlob: Bool { blob > 0 }
}

import PersistentStore
import Runner

/// The parameters of one case.
package struct SaveParameters: ParameterSet {
  @Parameter("what is done to the objects") var operation = Operation.insert
  @Parameter("what does the work") var engine = ChangeEngine.objectGraph
  @Parameter(1...10_000, "objects inserted, updated or deleted by a save") var objectsPerSave = 10
  @Parameter(1...100_000, "how many saves") var saves = 20
  @Parameter(1...1_000_000, "objects in the store before") var stored = 1_000
  @Parameter(named: "history", "whether the store keeps history") var keepsHistory = false
  @Parameter(bytes: 0...16_777_216, "of a blob in external storage, written by inserts and updates")
  var blob = 0
  @Parameter("what a commit outlives") var durability = CommitDurability.normal

  // Of an editing session alone.
  @Parameter(1...1_000_000, "edits of the session: letters, toggles, moves") var edits = 2_000
  @Parameter("when an editing session is saved") var autosave = Autosave.close
  @Parameter(1...100_000, "unsaved edits after which 'count' saves") var autosaveCount = 20
  @Parameter(1...3_600_000, "milliseconds after which 'time' and 'pause' save (assumed)")
  var autosaveInterval = 5_000
  @Parameter("how an editing session ends") var ending = Ending.quit

  @Parameter(.name, "whose attributes the objects have") var entity = ""

  package init() {}

  package var irrelevant: Set<ParameterName> {
    let isSession = operation == .edit
    let waits = autosave == .time || autosave == .pause
    let relevance = [
      ($objectsPerSave, !isSession), ($saves, !isSession), ($edits, isSession),
      ($autosave, isSession), ($autosaveCount, isSession && autosave == .count),
      ($autosaveInterval, isSession && waits), ($ending, isSession),
    ]
    return Set(relevance.filter { !$0.1 }.map(\.0))
  }

  package var impossibility: String? {
    if engine != .objectGraph, keepsHistory {
      return "plain SQL and GRDB write no history: leave 'history' out"
    }
    if blob > 0 {
      guard engine == .objectGraph else {
        return "external storage is the frameworks': use 'engine: objectGraph' for a 'blob'"
      }
      guard operation == .insert || operation == .update else {
        return "only inserts and updates write blobs: leave 'blob' out"
      }
    }
    guard operation != .edit else { return nil }
    guard saves * objectsPerSave <= 10_000_000 else {
      return "the saves write more than 10,000,000 objects: take fewer 'saves' or 'objectsPerSave'"
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
    return "the saves need \(needed) objects and 'stored' is \(stored): store more or save less"
  }
}

extension SaveParameters {
  /// What is done to the objects.
  enum Operation: String, CaseIterable, Sendable {
    case insert
    /// A number and a text of objects that were fetched.
    case update
    case delete
    /// Two tenths inserted, one tenth deleted, the rest updated, in each save.
    case mixed
    /// A user types, toggles and reorders while the app saves by itself.
    case edit
  }

  /// When an app saves what its user edits.
  enum Autosave: String, CaseIterable, Sendable {
    /// After each edit.
    case edit
    /// After so many edits.
    case count
    /// So long after the first edit that is not saved.
    case time
    /// When nothing was edited for so long.
    case pause
    /// When the session ends.
    case close
  }

  /// How an editing session ends.
  enum Ending: String, CaseIterable, Sendable {
    /// The app saves what is not saved.
    case quit
    /// The process ends with the last edit: what is not saved is lost.
    case crash
  }

  var hasBlob: Bool { blob > 0 }
}

import DataModel
import PersistentStore
import Runner
import SQLite

extension SaveWorkload {
  package func verify(_ session: SaveSession, _ trial: Trial) throws -> Verification {
    let outcome = try SaveOutcome(parameters, trial)
    let problems = try outcome.problems()
    guard problems.isEmpty else { throw VerificationFailure(problems) }
    return Verification(
      digest: try outcome.inspection.digest(),
      notes: ["objects shaped as '\(parameters.entity)'"],
      losses: outcome.losses
    )
  }
}

/// Compares a store with what its saves had to make of it, by plain SQL.
private struct SaveOutcome {
  let inspection: StoreInspection
  private let trial: Trial
  private let model: SaveModel
  private let script: EditScript
  private let blobs: SeededBlobs
  private let layout: StoreLayout

  init(_ parameters: SaveParameters, _ trial: Trial) throws {
    self.trial = trial
    model = try SaveModel(trial.original.ownModel(), parameters)
    script = EditScript(parameters, model, seed: trial.seed)
    blobs = SeededBlobs(seed: trial.seed, size: parameters.blob)
    layout = StoreLayout(model: model.model, keepsHistory: parameters.keepsHistory)
    var inspection = StoreInspection(store: trial.store, layout: layout)
    inspection.toleratesOldFaults = false
    self.inspection = inspection
  }

  /// What a crash lost, for the reader.
  var losses: [String] {
    let lost = script.unsaved
    guard !lost.isEmpty, let last = script.edits.last else { return [] }
    let seconds = Double((last.time - script.edits[lost.lowerBound].time) / 100) / 10
    return ["\(lost.count) edits of the last \(seconds) s"]
  }

  /// One sentence for each thing that is not as the saves had to leave it.
  func problems() throws -> [String] {
    let outcome = changes()
    var expected = ExpectedContent(from: try StoreContent(store: trial.start, layout: layout))
    let objects = outcome.objects
    try expected.remove(model.entity) { objects[$0]?.isDeleted ?? false }
    try expected.change(model.entity) { object in
      if let change = objects[object.key] { try set(change, &object) }
    }
    let added = objects.filter(\.value.isInserted).sorted { $0.key < $1.key }
    expected.add(try added.map { try insertion($0.key, $0.value, in: expected) })
    let problems = try inspection.problems(
      expecting: expected,
      history: layout.keepsHistory ? .recording : .unchanged
    ) { $0.comparesVersions = true }
    return try problems.isEmpty ? historyProblems(outcome) : problems
  }

  private func insertion(
    _ key: Int64,
    _ change: Outcome.Object,
    in content: ExpectedContent
  ) throws -> ContentObject {
    var object = try content.makeObject(model.entity, key: key)
    for attribute in model.attributes {
      try object.set(attribute.name, ContentValue(script.rows.value(of: attribute, key: key)))
    }
    if let blob = model.blob {
      try object.set(blob, .blob(BlobFingerprint(of: blobs.bytes(of: key))))
    }
    try set(change, &object)
    return object
  }

  private func set(_ change: Outcome.Object, _ object: inout ContentObject) throws {
    for (name, value) in change.values { try object.set(name, ContentValue(value)) }
    if let blob = model.blob, let version = change.blobVersion {
      let bytes = blobs.bytes(of: object.key, version: version)
      try object.set(blob, .blob(BlobFingerprint(of: bytes)))
    }
    object.version = .integer(1 + Int64(change.updates))
  }

  /// What the saves make of the objects that they touch.
  private struct Outcome {
    struct Object {
      var values: [String: Value] = [:]
      var blobVersion: Int?
      var updates = 0
      var isInserted = false
      var isDeleted = false
    }

    var objects: [Int64: Object] = [:]
    var inserted = 0
    var updated = 0
    var deleted = 0
  }

  private func changes() -> Outcome {
    var outcome = Outcome()
    for save in script.saves {
      var updated: Set<Int64> = []
      for change in script.edits[save.edits].flatMap(\.changes) {
        var object = outcome.objects[change.key] ?? Outcome.Object()
        switch change {
        case .insert:
          object.isInserted = true
          outcome.inserted += 1
        case .delete:
          object.isDeleted = true
          outcome.deleted += 1
        case .set(let key, let values):
          for (name, value) in values { object.values[name] = value }
          updated.insert(key)
        case .blob(_, let version): object.blobVersion = version
        }
        outcome.objects[change.key] = object
      }
      for key in updated { outcome.objects[key]?.updates += 1 }
      outcome.updated += updated.count
    }
    return outcome
  }

  /// Whether the history has one transaction for each save and one change for each object in it.
  private func historyProblems(_ outcome: Outcome) throws -> [String] {
    guard layout.keepsHistory else { return [] }
    let (before, after) = (try trial.start.plainConnection(), try trial.store.plainConnection())
    let expected = [
      ("ATRANSACTION", "1", script.saves.count), ("ACHANGE", "ZCHANGETYPE = 0", outcome.inserted),
      ("ACHANGE", "ZCHANGETYPE = 1", outcome.updated),
      ("ACHANGE", "ZCHANGETYPE = 2", outcome.deleted),
    ]
    return try expected.compactMap { table, condition, count in
      let query = "SELECT count(*) FROM \(table) WHERE \(condition)"
      let found = try (after.integer(query) ?? 0) - (before.integer(query) ?? 0)
      guard found != count else { return nil }
      return "\(table) has \(found) new rows where \(condition), but \(count) are expected"
    }
  }
}

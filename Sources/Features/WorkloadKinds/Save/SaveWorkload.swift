import DataModel
import Dispatch
import PersistentStore
import Runner
import SQLite

/// What it costs to save what a user or an app changes, and what a crash between saves loses.
package struct SaveWorkload: WorkloadKind {
  package static let description = KindDescription(
    name: "save",
    summary: "saves: inserts, updates, deletes, and an editing session with autosave",
    question: "How often should an app save, and how much?",
    metrics: [.waits.stall] + Metric.save.all,
    example: "operation: mixed, objectsPerSave: 10, saves: 3, stored: 40, history: true",
    fit: fit
  )

  package let parameters: SaveParameters

  package init(parameters: SaveParameters) {
    self.parameters = parameters
  }

  package var traits: CaseTraits {
    var traits = CaseTraits(endState: endState, startingStore: startingStore)
    traits.job = job
    traits.behaviours = behaviours
    traits.notes = notes
    traits.diskFactor = 0
    traits.diskBytes = diskBytes
    return traits
  }

  var endState: String {
    let history = parameters.keepsHistory ? ", history" : ""
    let blob = parameters.hasBlob ? ", blobs of \(parameters.blob) B" : ""
    let stored = "\(parameters.stored) objects of '\(parameters.entity)'\(blob)\(history)"
    guard parameters.operation == .edit else {
      return "\(parameters.saves) saves, \(parameters.operation.rawValue) of "
        + "\(parameters.objectsPerSave) each, \(stored)"
    }
    // What a crash leaves depends on the last save.
    let end = parameters.ending == .quit ? "" : ", crash, \(autosave)"
    return "\(parameters.edits) edits\(end), \(stored)"
  }

  private var autosave: String {
    switch parameters.autosave {
    case .edit, .close: "autosave \(parameters.autosave.rawValue)"
    case .count: "autosave after \(parameters.autosaveCount)"
    case .time, .pause:
      "autosave \(parameters.autosave.rawValue) \(parameters.autosaveInterval) ms"
    }
  }

  var job: String { "\(endState), durability \(parameters.durability.rawValue)" }

  var behaviours: [Behaviour] {
    guard parameters.engine == .objectGraph else { return [] }
    var behaviours = [
      Behaviour.layout,
      Behaviour(name: "saveStatements", value: "keys reserved, then rows", evidence: .log),
    ]
    if parameters.keepsHistory {
      behaviours.add("historyRows", "one a change", .file)
    }
    if parameters.hasBlob {
      behaviours.add("externalStorageThreshold", "102400", .assumed)
    }
    return behaviours
  }

  var notes: [String] {
    var notes = parameters.engine.notes
    if parameters.operation == .edit {
      notes.append("the session uses a simulated clock: no time is spent waiting")
    }
    return notes
  }

  var startingStore: String? {
    var parts = ["'\(parameters.entity)'", "\(parameters.stored) objects"]
    if parameters.hasBlob { parts.append("blobs of \(parameters.blob) B") }
    if parameters.keepsHistory { parts.append("history") }
    return "saves: " + parts.joined(separator: ", ")
  }

  var diskBytes: Int64 {
    let isSession = parameters.operation == .edit
    let written =
      isSession ? parameters.edits : parameters.saves * parameters.objectsPerSave
    return PlainEntity.diskBytes(of: parameters.stored + written, each: 2_000 + 2 * parameters.blob)
  }

  package func makeStartingStore(_ trial: Trial) throws {
    let model = try SaveModel(trial.original.ownModel(), parameters)
    let store = try trial.emptyStore(of: model.model, keepsHistory: parameters.keepsHistory)
    let rows = SeededRow(seed: trial.seed, attributes: model.attributes, counter: model.counter)
    let blobs = SeededBlobs(seed: trial.seed, size: parameters.blob)
    let engine = try ContextSaves(store, model, rows: rows, blobs: blobs)
    for start in stride(from: 1, through: parameters.stored, by: 1_000) {
      for key in start...min(start + 999, parameters.stored) {
        try engine.apply(.insert(Int64(key)))
      }
      try engine.save()
    }
  }

  package func prepare(_ trial: Trial) throws -> SaveSession {
    try SaveSession(parameters, trial)
  }

  package func run(_ session: SaveSession, _ recorder: Recorder) throws {
    parameters.engine.observe(session.store, by: recorder)
    let isSession = parameters.operation == .edit
    var times = SaveTimes()
    for save in session.script.saves {
      let started = times.now()
      if !isSession { try session.engine.load(session.keys(of: save)) }
      var last = started
      for edit in save.edits {
        if isSession { last = times.now() }
        try session.make(edit)
      }
      let saving = times.now()
      try recorder.phase(.phases.save) { try session.engine.save() }
      times.add(from: saving, busySince: last)
      if !isSession { session.engine.release() }
    }
    for edit in session.script.unsaved { try session.make(edit) }
    if parameters.ending == .crash { session.store.connection.keepWALAtClose() }
    if let context = session.context { recorder.count(context) }
    times.report(to: recorder)
    guard isSession else { return }
    recorder.count(.save.made, session.script.saves.count)
    recorder.count(.save.editsAtRisk, session.script.atRisk.edits)
    recorder.record(.save.timeAtRisk, Double(session.script.atRisk.milliseconds) / 1_000)
    recorder.count(.save.editsLost, session.script.unsaved.count)
  }
}

extension SaveWorkload {
  static func fit(_ fit: inout CaseFit, to store: StoreOffer) {
    let parameters = SaveParameters(fit.values)
    fit.choosePlainEntity(parameters.$entity, parameters.entity, in: store)
  }

  struct Metrics: MetricFamily {
    let longest = Metric.time("save.longest", column: "longest", "time of the longest save")
    let median = Metric.time("save.median", column: "median", "median time of a save")
    let overFrame = Metric(
      "save.overFrame",
      unit: .count,
      column: "over 16 ms",
      "number of saves that take longer than a frame of 16 ms"
    )
    let made = Metric.counter("save.made", "number of saves in an editing session")
    let editsAtRisk = Metric.counter(
      "save.editsAtRisk",
      "largest number of unsaved edits in the session, which a crash can lose"
    )
    let timeAtRisk = Metric(
      "save.timeAtRisk",
      unit: .seconds,
      isExact: true,
      "longest time between an edit and its save, by the simulated clock"
    )
    let editsLost = Metric.counter(
      "save.editsLost",
      "number of edits lost in the crash that ends the session"
    )
  }
}

extension Metric {
  static let save = SaveWorkload.Metrics()
}

/// The times of the saves of one iteration.
private struct SaveTimes {
  private static let frame: UInt64 = 16_000_000
  private var saves: [UInt64] = []
  private var longestBusy: UInt64 = 0

  func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }

  /// Takes a save that has just ended; the main loop was busy since another moment.
  mutating func add(from start: UInt64, busySince: UInt64) {
    let end = now()
    saves.append(end - start)
    longestBusy = max(longestBusy, end - busySince)
  }

  func report(to recorder: Recorder) {
    let sorted = saves.sorted()
    guard let longest = sorted.last else { return }
    recorder.record(.save.longest, Double(longest) / 1e9)
    recorder.record(.save.median, Double(sorted[sorted.count / 2]) / 1e9)
    recorder.record(.save.overFrame, Double(sorted.count { $0 > Self.frame }))
    recorder.record(.waits.stall, Double(longestBusy) / 1e9)
  }
}

/// An open store with the script of a case.
package final class SaveSession {
  let store: PersistentStore
  let script: EditScript
  let engine: any SaveEngine
  let context: ObjectContext?

  init(_ parameters: SaveParameters, _ trial: Trial) throws {
    let model = try SaveModel(trial.original.ownModel(), parameters)
    let settings = parameters.durability.settings(trial.settings)
    // Another seed than the one the store was made with: new files must have new names.
    store = try PersistentStore.open(
      trial.store,
      options: PersistentStore.Options(settings: settings, seed: trial.seed ^ 0x7472_6961_6c)
    )
    script = EditScript(parameters, model, seed: trial.seed)
    if let writer = try parameters.engine.writer(on: store, settings) {
      engine = try StatementSaves(writer, model, store.layout, rows: script.rows)
      context = nil
    } else {
      let saves = try ContextSaves(
        store,
        model,
        rows: script.rows,
        blobs: SeededBlobs(seed: trial.seed, size: parameters.blob),
        durability: parameters.durability
      )
      engine = saves
      context = saves.context
    }
  }

  /// The keys of the objects that a save updates or deletes.
  func keys(of save: EditScript.Save) -> [Int64] {
    script.edits[save.edits].flatMap(\.changes).compactMap { change in
      switch change {
      case .set(let key, _), .delete(let key): key
      case .insert, .blob: nil
      }
    }
  }

  func make(_ edit: Int) throws {
    for change in script.edits[edit].changes { try engine.apply(change) }
  }
}

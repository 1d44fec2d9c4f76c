import Basics
import DataModel
import Dispatch
import PersistentStore
import Runner
import SQLite

/// Measures the cost of saving the changes of a user or an app, and the loss if the app crashes
/// between saves.
struct SaveWorkload: ScenarioKind {
  static let description = KindDescription(
    name: "save",
    summary: "saves: inserts, updates, deletes, and an editing session with autosave",
    question: "How often should an app save, and how much?",
    metrics: [.waits.stall] + Metric.save.all,
    example: "operation: mixed, objectsPerSave: 10, saves: 3, stored: 40, history: true",
    fit: PlainEntity.fit
  )

  let parameters: SaveParameters
  var durability: CommitDurability? { parameters.durability }
  var isSession: Bool { parameters.operation == .edit }

  var traits: CaseTraits {
    let history = parameters.keepsHistory ? ", history" : ""
    let blob = parameters.hasBlob ? ", blobs of \(parameters.blob) B" : ""
    let written = isSession ? parameters.edits : parameters.saves * parameters.objectsPerSave
    var traits = CaseTraits(
      endState: "\(work), \(parameters.stored) objects of '\(parameters.entity)'\(blob)\(history)",
      ownStore: "saves: '\(parameters.entity)', \(parameters.stored) objects\(blob)\(history)",
      bytes: PlainEntity.diskBytes(
        of: parameters.stored + written,
        each: 2_000 + 2 * parameters.blob
      )
    )
    traits.job += ", durability \(parameters.durability.rawValue)"
    traits.notes = parameters.engine.notes
    if isSession {
      traits.notes.append("the session uses a simulated clock: no time is spent waiting")
    }
    guard parameters.engine == .objectGraph else { return traits }
    traits.behaviours = [.layout, .saveStatements]
    if parameters.keepsHistory { traits.behaviours.add("historyRows", "one a change", .file) }
    if parameters.hasBlob {
      traits.behaviours.add("externalStorageThreshold", "102400", .assumed)
    }
    return traits
  }

  private var work: String {
    guard isSession else {
      return "\(parameters.saves) saves, \(parameters.operation.rawValue) of "
        + "\(parameters.objectsPerSave) each"
    }
    guard parameters.ending == .crash else { return "\(parameters.edits) edits" }
    // The name of the work includes the autosave setting, because the last save decides which edits
    // survive a crash.
    let autosave =
      switch parameters.autosave {
      case .edit, .close: parameters.autosave.rawValue
      case .count: "after \(parameters.autosaveCount)"
      case .time, .pause: "\(parameters.autosave.rawValue) \(parameters.autosaveInterval) ms"
      }
    return "\(parameters.edits) edits, crash, autosave \(autosave)"
  }

  func fill(_ stage: Stage<SaveContent>) throws {
    let content = stage.content
    let blobs = SeededBlobs(seed: content.seed, size: parameters.blob)
    let context = try ObjectContext(store: stage.store)
    try context.fill(content.entity, content.rows, keys: 1...parameters.stored) {
      if let blob = content.blob { try $0.setValue(.blob(blobs.bytes(of: $1)), of: blob) }
    }
  }

  func run(_ session: SaveSession, _ recorder: Recorder) throws {
    parameters.engine.observe(session.store, by: recorder)
    var times = SaveTimes()
    for save in session.script.saves {
      let started = times.now()
      if !isSession { try session.access.load(session.keys(of: save)) }
      var last = started
      for edit in save.edits {
        if isSession { last = times.now() }
        try session.make(edit)
      }
      let saving = times.now()
      try recorder.phase(.phases.save) { try session.access.save() }
      times.add(from: saving, busySince: last)
      if !isSession { session.access.release() }
    }
    for edit in session.script.unsaved { try session.make(edit) }
    if parameters.ending == .crash { session.store.connection.keepWALAtClose() }
    if let context = session.access.context { recorder.count(context) }
    times.report(to: recorder)
    guard isSession else { return }
    recorder.count(.save.made, session.script.saves.count)
    recorder.count(.save.editsAtRisk, session.script.atRisk.edits)
    recorder.record(.save.timeAtRisk, Double(session.script.atRisk.milliseconds) / 1_000)
    recorder.count(.save.editsLost, session.script.unsaved.count)
  }

  struct Metrics: MetricFamily {
    let longest = Metric.time("save.longest", "time of the longest save")
    let median = Metric.time("save.median", "median time of a save")
    let overFrame = Metric(
      "save.overFrame",
      unit: .count,
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

private struct SaveTimes {
  private static let frame: UInt64 = 16_000_000
  private var saves: [UInt64] = []
  private var longestBusy: UInt64 = 0

  func now() -> UInt64 { MonotonicClock.now() }

  /// Adds a save that has just ended; `busySince` is the time from which the main loop was busy.
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

final class SaveSession: StageSession {
  let store: PersistentStore
  let script: EditScript
  let access: any ObjectAccess
  private let content: SaveContent
  private let rows: SeededRow
  private let blobs: SeededBlobs

  init(_ stage: Stage<SaveContent>) throws {
    (store, content) = (stage.store, stage.content)
    script = EditScript(content)
    rows = content.rows
    blobs = SeededBlobs(seed: content.seed, size: content.parameters.blob)
    access = try content.parameters.engine.access(
      to: content.entity,
      content.attributes,
      in: store,
      stage.settings,
      // A commit that survives a power loss must not refer to a file that does not survive it.
      behaviours: StoreBehaviours(syncsExternalFiles: content.parameters.durability == .commit)
    )
  }

  func keys(of save: EditScript.Save) -> [Int64] {
    script.edits[save.edits].flatMap(\.changes).compactMap { change in
      switch change {
      case .set(let key, _), .delete(let key): key
      case .insert, .blob: nil
      }
    }
  }

  func make(_ edit: Int) throws {
    for change in script.edits[edit].changes {
      switch change {
      case .insert(let key):
        let blob: [Value] = content.blob == nil ? [] : [.blob(blobs.bytes(of: key))]
        try access.insert(key, rows.values(of: key) + blob)
      case .set(let key, let values): try access.set(values, of: key)
      case .blob(let key, let version):
        guard let blob = content.blob else { continue }
        try access.set([(blob, .blob(blobs.bytes(of: key, version: version)))], of: key)
      case .delete(let key): try access.delete(key)
      }
    }
  }
}

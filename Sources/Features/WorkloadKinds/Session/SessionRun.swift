import DataModel
import PersistentStore
import Runner
import SQLite

final class SessionRun {
  struct Shown {
    let step: Int
    let word: String?
    let places: Range<Int>
    let log: ReadLog
  }

  let layout: StoreLayout
  let script: SessionScript
  let setting: SessionSetting
  /// The keys of the objects that already had their new values when the session began, because an
  /// earlier launch saved them.
  let saved: Set<Int64>
  /// Whether an earlier launch reserved keys, which are unused if its save failed.
  let isRepeated: Bool
  private(set) var shown: [[Shown]] = []
  private let parameters: SessionParameters
  private let trial: Trial
  /// The running app; `nil` until it is launched.
  private var engine: (any SessionEngine)?
  /// The list; `nil` until the app has fetched it.
  private var list: (any FetchResults)?
  private var stepCount = 0

  init(_ parameters: SessionParameters, _ trial: Trial) throws {
    self.parameters = parameters
    self.trial = trial
    layout = try PersistentStore.open(trial.start, mode: trial.start.restingMode).layout
    setting = try SessionSetting(parameters, layout)
    script = try SessionScript(setting, trial)
    saved = try script.saved(in: trial.store, layout, of: parameters.entity)
    let keys = "SELECT sum(Z_MAX) FROM Z_PRIMARYKEY"
    isRepeated =
      try trial.store.plainConnection().integer(keys)
      != trial.start.plainConnection().integer(keys)
    // If the session does not begin with a launch, the app is already running.
    if script.steps.first?.kind != .launch { engine = try launched() }
  }

  func close() {
    list = nil
    engine = nil
  }

  // MARK: Performing the actions

  func begin(_ recorder: Recorder) throws {
    shown.append([])
    list = nil
    stepCount = 0
    guard script.steps.first?.kind != .launch else {
      engine = nil
      return
    }
    recorder.aside { engine?.reset() }
    if let connection = engine?.connection { recorder.observe(connection) }
  }

  func perform(_ step: SessionScript.Step, _ recorder: Recorder) throws {
    let metrics = Metric.session(step.kind)
    let isLaunch = step.kind == .launch
    if isLaunch { recorder.aside { end(recorder) } }
    let before = engine?.connection?.counters ?? Counters()
    let earlier = engine?.statistics ?? .init()
    try recorder.phase(metrics.time) { try act(step, recorder) }
    if step.kind == .firstScreen { recorder.mark(.firstScreen) }
    recorder.aside {
      guard let engine else { return }
      if let connection = engine.connection {
        if isLaunch { recorder.observe(connection, sinceOpening: true) }
        recorder.count(connection.counters - before, as: metrics.sqlite)
      }
      recorder.count(engine.statistics, since: earlier)
      metrics.measure(engine, since: earlier, recorder)
    }
    stepCount += 1
  }

  /// Ends the app: releases its memory and closes its connection, after recording the connection's
  /// counters.
  private func end(_ recorder: Recorder) {
    if let connection = engine?.connection { recorder.settle(connection) }
    close()
  }

  private func act(_ step: SessionScript.Step, _ recorder: Recorder) throws {
    if step.kind == .launch {
      engine = try launched()
      return
    }
    guard let engine else { return }
    if parameters.context == .reset { letGo(of: engine) }
    switch step.kind {
    case .launch: break
    case .firstScreen:
      list = nil
      try show(step.places, recorder)
    case .scroll: try show(step.places, recorder)
    case .search:
      for word in step.words {
        let found = try engine.fetch(beginningWith: word)
        try read(found, 0..<min(parameters.screen, found.count), word: word, recorder)
      }
    case .edit: try engine.edit(step.edits)
    case .background: letGo(of: engine)
    }
  }

  private func letGo(of engine: any SessionEngine) {
    list = nil
    engine.reset()
  }

  private func launched() throws -> any SessionEngine {
    if parameters.engine == .grdb {
      let onlyReads = !parameters.does(.edit)
      return try StatementSession(
        GRDBEngine.writer(on: trial.store, trial.settings, onlyReads: onlyReads),
        setting
      )
    }
    let store = try PersistentStore.open(
      trial.store,
      model: layout.model,
      mode: parameters.does(.edit) ? .readWrite : .readOnly,
      options: PersistentStore.Options(settings: trial.settings, seed: trial.seed)
    )
    guard parameters.engine == .objectGraph else {
      return try StatementSession(ConnectionWriter(store.connection), setting)
    }
    return try ContextSession(store, setting)
  }

  private func show(_ places: Range<Int>, _ recorder: Recorder) throws {
    guard let engine else { return }
    let list = try self.list ?? engine.fetch(beginningWith: nil)
    self.list = list
    try read(list, places, word: nil, recorder)
  }

  private func read(
    _ results: any FetchResults,
    _ places: Range<Int>,
    word: String?,
    _ recorder: Recorder
  ) throws {
    var log = ReadLog()
    log.fetched = results.count
    var taken = TakenValues(of: setting.subject)
    for place in places {
      try results.read(place, isTouched: true, into: &taken)
      if (place - places.lowerBound + 1).isMultiple(of: ReadLog.chunk) {
        recorder.aside { taken.settle(into: &log) }
      }
    }
    recorder.aside { taken.settle(into: &log) }
    shown[shown.count - 1].append(Shown(step: stepCount, word: word, places: places, log: log))
  }
}

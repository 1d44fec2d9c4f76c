import Basics
import DataModel
import PersistentStore
import Runner
import SQLite

/// A scenario on the store of a trial: what it does, and what it has read so far.
final class ScenarioRun {
  /// What one operation has read, counted or found.
  struct Seen {
    let operation: Int
    var log = ReadLog()
    var keys: [Int64] = []
  }

  let store: PersistentStore
  let operations: [StepOperation]
  let forms: [StepForm?]
  /// What each iteration has read.
  private(set) var seen: [[Seen]] = []
  private let parameters: ScenarioParameters
  private let engine: any StepEngine
  private let metrics: [PartMetrics]

  init(_ parameters: ScenarioParameters, _ trial: Trial) throws {
    self.parameters = parameters
    let isPlain = parameters.engine != .objectGraph
    let start = try PersistentStore.open(trial.start, mode: trial.start.restingMode)
    let rehearsal = StepRehearsal(parameters, ExpectedStore(trial, start.layout), seed: trial.seed)
    var operations: [StepOperation] = []
    try rehearsal.perform { operations.append($0) }
    self.operations = operations
    forms = try parameters.leaves.map { try StepForm($0, in: start.model, seed: trial.seed) }
    // Another seed than the one the store was made with: new files must have new names.
    store = try PersistentStore.open(
      trial.store,
      mode: parameters.onlyReads ? .readOnly : .readWrite,
      options: PersistentStore.Options(settings: trial.settings, seed: trial.seed ^ 0x7374_6570)
    )
    if parameters.leaves.contains(where: \.usesFrameworkSearch) {
      try FrameworkFunctions.register(on: store.connection)
    }
    let writer = try parameters.engine.writer(
      on: store,
      trial.settings,
      onlyReads: parameters.onlyReads
    )
    engine =
      try isPlain
      ? RowSteps(store, writer ?? ConnectionWriter(store.connection))
      : ContextSteps(store)
    metrics = parameters.parts.map { PartMetrics("step", $0) }
  }

  // MARK: Performing

  func perform(_ recorder: Recorder) throws {
    seen.append([])
    if parameters.onlyReads { recorder.aside { engine.reset() } }
    parameters.engine.observe(store, by: recorder)
    let (objects, files) = (engine.statistics, engine.fileCounters)
    var next = 0
    while next < operations.count {
      let turn = operations[next].turn
      let end = operations[next...].firstIndex { $0.turn != turn } ?? operations.count
      try perform(operations[next..<end], of: metrics[operations[next].part], recorder)
      next = end
    }
    recorder.count(engine.statistics, since: objects)
    recorder.count(.objects.inserted, engine.statistics.inserted - objects.inserted)
    recorder.count(.objects.held, engine.statistics.held)
    recorder.count(engine.fileCounters, since: files)
  }

  /// Operations that belong together, and what they cost.
  private func perform(
    _ turn: ArraySlice<StepOperation>,
    of part: PartMetrics,
    _ recorder: Recorder
  ) throws {
    let before = engine.connection?.counters ?? Counters()
    let earlier = engine.statistics
    try recorder.phase(part.time) {
      for index in turn.indices { try perform(turn[index], index, recorder) }
    }
    recorder.aside {
      if let connection = engine.connection {
        recorder.count(connection.counters - before, as: part.sqlite)
      }
      let statistics = engine.statistics
      recorder.count(part.turns)
      recorder.count(part.materialised, statistics.materialised - earlier.materialised)
      recorder.count(part.faultsFired, statistics.faultsFired - earlier.faultsFired)
      // To look through memory after each of many operations would take longer than they do.
      guard !parameters.isMix else { return }
      recorder.set(part.held, engine.liveObjects)
      recorder.set(part.contextBytes, engine.memoryBytes)
      if let resident = Probes.residentMemory() { recorder.set(part.resident, Int(resident)) }
    }
  }

  private func perform(_ operation: StepOperation, _ index: Int, _ recorder: Recorder) throws {
    switch operation.work {
    case .save: return try engine.save()
    case .reset: return engine.reset()
    default: break
    }
    guard let form = forms[operation.step] else { return }
    var seen = Seen(operation: index)
    // Blobs are not kept in numbers: what is read would then take other memory than an app's.
    let chunk = form.subject.readsBlobs ? 1 : ReadLog.chunk
    var (number, last) = (0, TakenValues(of: form.subject))
    func take(_ taken: inout TakenValues) {
      number += 1
      if number.isMultiple(of: chunk) { recorder.aside { taken.settle(into: &seen.log) } }
      last = taken
    }
    switch operation.work {
    case .fetch: seen.log.fetched = try engine.fetch(form, take)
    case .read(let keys):
      try engine.read(form, keys, take)
      seen.log.fetched = keys.count
    case .count: seen.log.fetched = try engine.count(form)
    case .find: seen.keys = try engine.find(form).sorted()
    case .insert(let objects): return try engine.insert(form, objects)
    case .update(let keys, let values): return try engine.update(form, keys, values)
    case .delete(let keys): return try engine.delete(form, keys)
    case .save, .reset: return
    }
    recorder.aside {
      last.settle(into: &seen.log)
      self.seen[self.seen.count - 1].append(seen)
    }
    if number > 0 { recorder.count(.objects.fetched, seen.log.fetched) }
  }
}

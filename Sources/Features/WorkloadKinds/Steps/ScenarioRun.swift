import Basics
import DataModel
import Foundation
import PersistentStore
import Runner
import SQLite
import Synchronization

/// A scenario (an app's own steps) on the store of a trial: its operations, and a record of the
/// data that they read.
final class ScenarioRun {
  /// The data that one operation has read, counted or found.
  struct Seen {
    let operation: Int
    var log = ReadLog()
    var keys: [Int64] = []
  }

  let store: PersistentStore
  let operations: [StepOperation]
  let forms: [StepForm?]
  let places: BlobPlaces
  /// The records of each iteration.
  private(set) var seen: [[Seen]] = []
  /// The lists that were read during background steps, each with the index of the background step's
  /// first operation.
  private(set) var seenBeside: [Seen] = []
  private let parameters: ScenarioParameters
  private let steps: [Step]
  private let engine: any StepEngine
  /// The second context, which has its own connection.
  private let background: (store: PersistentStore, engine: any StepEngine)?
  private let metrics: [PartMetrics]
  /// The maximum number of objects in memory so far, by the name of a part's metric.
  private var mostHeld: [String: Int] = [:]

  init(_ parameters: ScenarioParameters, _ trial: Trial) throws {
    self.parameters = parameters
    let steps = parameters.leaves
    self.steps = steps
    let start = try PersistentStore.open(trial.start, mode: trial.start.restingMode)
    let places = try parameters.places(in: trial, start.layout)
    self.places = places
    let rehearsal = StepRehearsal(
      parameters,
      ExpectedStore(trial, start.layout),
      places,
      seed: trial.seed
    )
    var operations: [StepOperation] = []
    try rehearsal.perform { operations.append($0) }
    try rehearsal.checkMatches()
    self.operations = operations
    forms = try steps.enumerated().map {
      try StepForm($1, $0, places, seed: trial.seed)
    }
    // Use different seeds from the seed of the store, so that new files get new names.
    (store, engine) = try Self.open(parameters, trial, places, seed: trial.seed ^ 0x7374_6570)
    background =
      try parameters.hasBackground
      ? Self.open(parameters, trial, places, seed: trial.seed ^ 0x6261_636b) : nil
    metrics = parameters.parts.map { PartMetrics("step", $0) }
  }

  /// Opens the trial's store with the case's engine.
  private static func open(
    _ parameters: ScenarioParameters,
    _ trial: Trial,
    _ places: BlobPlaces,
    seed: UInt64
  ) throws -> (store: PersistentStore, engine: any StepEngine) {
    let store = try PersistentStore.open(
      trial.store,
      mode: parameters.onlyReads ? .readOnly : .readWrite,
      options: PersistentStore.Options(settings: trial.settings, seed: seed)
    )
    if parameters.leaves.contains(where: { $0.usesFrameworkSearch || $0.usesCollation }) {
      try FrameworkFunctions.register(on: store.connection)
    }
    let writer = try parameters.engine.writer(
      on: store,
      trial.settings,
      onlyReads: parameters.onlyReads
    )
    if let writer { return (store, RowSteps(store, writer)) }
    let leadsToNew = parameters.leaves.contains { $0.links.values.contains(Step.newTarget) }
    return (store, try ContextSteps(store, places, leadsToNew: leadsToNew))
  }

  // MARK: Performing the operations

  func perform(_ recorder: Recorder) throws {
    seen.append([])
    mostHeld = [:]
    if parameters.onlyReads { recorder.aside { engine.reset() } }
    parameters.engine.observe(store, by: recorder)
    if let background { parameters.engine.observe(background.store, by: recorder) }
    let engines = [engine] + [background?.engine].compactMap(\.self)
    let before = engines.map { (objects: $0.statistics, files: $0.fileCounters) }
    var next = 0
    while next < operations.count {
      let turn = operations[next].turn
      let end = operations[next...].firstIndex { $0.turn != turn } ?? operations.count
      try perform(operations[next..<end], of: metrics[operations[next].part], recorder)
      next = end
    }
    for (engine, before) in zip(engines, before) {
      recorder.count(engine.statistics, since: before.objects)
      recorder.count(.objects.inserted, engine.statistics.inserted - before.objects.inserted)
      recorder.count(.objects.held, engine.statistics.held)
      recorder.count(engine.fileCounters, since: before.files)
    }
  }

  /// Performs the operations of one turn (operations that are timed together), and records their
  /// costs.
  private func perform(
    _ turn: ArraySlice<StepOperation>,
    of part: PartMetrics,
    _ recorder: Recorder
  ) throws {
    let connections = [engine.connection, background?.engine.connection].compactMap(\.self)
    let before = connections.map(\.counters)
    let (earlier, earlierBackground) = (engine.statistics, background?.engine.statistics)
    var effect = DeletionEffect()
    for case .delete(_, let own) in turn.map(\.work) { effect += own }
    let countsHeld = !parameters.isMix && effect != DeletionEffect()
    var most = 0
    if let form = turn.first?.beside.flatMap({ forms[$0] }) {
      try performBeside(form, turn, of: part, recorder)
    } else {
      try recorder.phase(part.time) {
        for index in turn.indices {
          let operation = turn[index]
          try Self.naming(steps[operation.step]) { try perform(operation, index, recorder) }
          if countsHeld { recorder.aside { most = max(most, engine.liveObjects) } }
        }
      }
    }
    recorder.aside {
      for (connection, before) in zip(connections, before) {
        recorder.count(connection.counters - before, as: part.sqlite)
      }
      recorder.count(part.turns)
      let changed = turn.compactMap { $0.work.changed }
      if !changed.isEmpty {
        let read = (seen.last ?? []).reversed().prefix { $0.operation >= turn.startIndex }
        recorder.count(part.objects, (changed + read.map(\.log.fetched)).reduce(0, +))
      }
      // In a mix (many random operations, drawn by weight), do not measure the memory after each
      // one, because that would take longer than the operations.
      part.measure(engine, since: earlier, memory: !parameters.isMix, recorder)
      if let background, let earlierBackground, turn.first?.beside != nil {
        part.measure(background.engine, since: earlierBackground, memory: false, recorder)
      }
      if effect != DeletionEffect() {
        recorder.count(part.removed, effect.removed)
        recorder.count(part.leftBehind, effect.leftBehind)
        if !parameters.isMix, turn.first?.beside == nil {
          let highest = max(mostHeld[part.mostHeld.name] ?? 0, most)
          mostHeld[part.mostHeld.name] = highest
          recorder.set(part.mostHeld, highest)
        }
      }
    }
  }

  private func perform(_ operation: StepOperation, _ index: Int, _ recorder: Recorder) throws {
    guard let form = forms[operation.step], !operation.work.isChange else {
      return try Self.change(operation.work, forms[operation.step], by: engine)
    }
    var seen = Seen(operation: index)
    switch operation.work {
    case .count: seen.log.fetched = try engine.count(form)
    case .find: seen.keys = try engine.find(form).sorted()
    default:
      seen.log = try read(form, recorder) { take in
        guard case .read(let keys) = operation.work else { return try engine.fetch(form, take) }
        try engine.read(form, keys, take)
        return keys.count
      }
      if !seen.log.keys.isEmpty { recorder.count(.objects.fetched, seen.log.fetched) }
    }
    recorder.aside { self.seen[self.seen.count - 1].append(seen) }
  }

  /// Reads objects and computes their digests outside the timed work.
  private func read(
    _ form: StepForm,
    _ recorder: Recorder,
    _ body: ((inout TakenValues) throws -> Void) throws -> Int
  ) throws -> ReadLog {
    var log = ReadLog()
    // Compute the digests of blobs one by one, because collecting several blobs would use more
    // memory than an app does.
    let chunk = form.subject.readsBlobs ? 1 : ReadLog.chunk
    var (number, last) = (0, TakenValues(of: form.subject))
    log.fetched = try body { taken in
      number += 1
      if number.isMultiple(of: chunk) { recorder.aside { taken.settle(into: &log) } }
      last = taken
    }
    recorder.aside { last.settle(into: &log) }
    return log
  }

  /// Adds the step's line to an error thrown by the step's work.
  private static func naming<Found>(
    _ step: @autoclosure () -> Step,
    _ work: () throws -> Found
  ) throws -> Found {
    do {
      return try work()
    } catch let error as ObjectContextError {
      throw Refusal(.caseFailed, "\(step().placedWords): \(error)")
    } catch let error as SQLiteError where error.isConstraint {
      throw Refusal(.caseFailed, "\(step().placedWords): \(error)")
    }
  }

  private static func change(
    _ work: StepOperation.Work,
    _ form: StepForm?,
    by engine: any StepEngine
  ) throws {
    switch (work, form) {
    case (.save, _): try engine.save()
    case (.reset, _): engine.reset()
    case (.insert(let objects), let form?): try engine.insert(form, objects)
    case (.upsert(let records), let form?): try engine.upsert(form, records)
    case (.update(let changes), let form?): try engine.update(form, changes)
    case (.delete(let keys, _), let form?): try engine.delete(form, keys)
    default: break
    }
  }
}

// MARK: Background steps

extension ScenarioRun {
  /// The duration of a screen frame in seconds.
  private static let frame = 1.0 / 60

  /// Runs the second context's work while the first context reads its list once per frame.
  private func performBeside(
    _ form: StepForm,
    _ turn: ArraySlice<StepOperation>,
    of part: PartMetrics,
    _ recorder: Recorder
  ) throws {
    guard let background else { return }
    func readOnce() throws -> Double {
      let began = recorder.excluded.nanoseconds
      let start = DispatchTime.now().uptimeNanoseconds
      var seen = Seen(operation: turn.startIndex)
      seen.log = try Self.naming(form.step) {
        try read(form, recorder) { try engine.fetch(form, $0) }
      }
      let taken = DispatchTime.now().uptimeNanoseconds - start
      seenBeside.append(seen)
      return Double(taken - min(taken, recorder.excluded.nanoseconds - began)) / 1e9
    }
    // The median duration of five reads without the background work.
    let quiet = try (0..<5).map { _ in try readOnce() }.sorted()[2]
    var times: [Double] = []
    let work = BackgroundWork(turn, steps, forms, background.engine)
    let (found, _) = try recorder.phase(part.time) {
      try atOnce(work.perform) {
        repeat {
          let time = try readOnce()
          times.append(time)
          if time < Self.frame { Thread.sleep(forTimeInterval: Self.frame - time) }
        } while !work.isFinished.load(ordering: .acquiring)
      }
    }
    for (operation, keys) in found {
      seen[seen.count - 1].append(Seen(operation: operation, keys: keys))
    }
    recorder.record(part.quietRead, quiet)
    recorder.record(part.longestRead, times.max() ?? 0)
    recorder.count(part.reads, times.count)
  }

  /// The work of the second context; while it runs, only its own thread uses the engine.
  private final class BackgroundWork: @unchecked Sendable {
    let isFinished = Atomic<Bool>(false)
    private let operations: ArraySlice<StepOperation>
    private let steps: [Step]
    private let forms: [StepForm?]
    private let engine: any StepEngine

    init(
      _ operations: ArraySlice<StepOperation>,
      _ steps: [Step],
      _ forms: [StepForm?],
      _ engine: any StepEngine
    ) {
      (self.operations, self.steps) = (operations, steps)
      (self.forms, self.engine) = (forms, engine)
    }

    /// Returns the keys that were found, with the index of the operation that searched for them.
    @Sendable func perform() throws -> [(Int, [Int64])] {
      defer { isFinished.store(true, ordering: .releasing) }
      var found: [(Int, [Int64])] = []
      for index in operations.indices {
        let (work, step) = (operations[index].work, operations[index].step)
        try ScenarioRun.naming(steps[step]) {
          guard case .find = work, let form = forms[step] else {
            return try ScenarioRun.change(work, forms[step], by: engine)
          }
          found.append((index, try engine.find(form).sorted()))
        }
      }
      return found
    }
  }
}

extension StepOperation.Work {
  /// The number of objects that the operation changes, 0 if it reads; `nil` for a save and a reset.
  fileprivate var changed: Int? {
    switch self {
    case .insert(let objects): objects.count
    case .upsert(let records): records.new.count + records.present.count
    case .update(let changes): changes.count
    case .delete(let keys, _): keys.count
    case .fetch, .count, .read, .find: 0
    case .save, .reset: nil
    }
  }

  /// Whether the operation only changes, saves or resets, without reading data.
  fileprivate var isChange: Bool {
    switch self {
    case .insert, .upsert, .update, .delete, .save, .reset: true
    case .fetch, .count, .read, .find: false
    }
  }
}

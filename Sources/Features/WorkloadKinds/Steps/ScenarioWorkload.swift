import Basics
import DataModel
import PersistentStore
import Runner
import SQLite

/// Measures an app's own work: steps that use its entities, in order or as a weighted mix.
struct ScenarioWorkload: WorkloadKind {
  static let description = KindDescription(
    name: "scenario",
    summary: "an app's own work: steps over its entities, in order or as a weighted mix",
    question: "What does the app's work cost, step by step?",
    metrics: PartMetrics("step", "NAME").ofScenario,
    example:
      "steps: [{ insert: Note, objects: 5, to: { folder: uniform } }, save, { fetch: Note, sort: "
      + "[-changedAt], batch: 8, read: 20, as: list }, { update: Note, objects: 3, set: [body] }, "
      + "{ delete: Folder }, save]",
    namesParts: true,
    fit: StepFit.fit
  )

  let parameters: ScenarioParameters

  var traits: CaseTraits {
    let steps = SHA256.hash(data: parameters.steps.map(\.unplaced).planText.utf8).hexadecimal
    let kept = parameters.strategies.map(\.words).sorted().joined(separator: ", ")
    var traits = CaseTraits(
      endState: "steps \(steps), \(parameters.operations) operations"
        + (kept.isEmpty ? "" : ", \(kept)"),
      onlyReads: parameters.onlyReads,
      startingStore: kept.isEmpty ? nil : "steps: \(kept)"
    )
    // Cases with the same parts (named groups of steps) are alternatives. The job lists the parts
    // in order, because reports show the job.
    traits.job =
      "\(parameters.parts.joined(separator: ", ")): \(parameters.operations) operations"
    // Add the sizes of blobs to the job, because cases with different sizes are not alternatives.
    let sizes = parameters.leaves.flatMap { step in
      step.blobs.values.map { "\($0.low) to \($0.high) B" }
    }
    if !sizes.isEmpty { traits.job += ", blobs of " + Set(sizes).sorted().joined(separator: ", ") }
    traits.job += "; " + parameters.totals
    traits.notes = parameters.engine.notes
    if !kept.isEmpty { traits.notes.append("altered store: the blobs are kept as \(kept)") }
    let size = parameters.leaves.map(\.batch).max() ?? 0
    traits.batchSize = size > 0 ? size : nil
    // The timing of the two contexts affects the objects that a read finds and the work of a
    // checkpoint.
    traits.isConcurrent = parameters.hasBackground
    // Two copies of the store for the rehearsal need space next to the trial's store: one for the
    // preparation and one for the verification.
    traits.diskFactor = 4 * traits.startingFactor
    guard parameters.engine == .objectGraph else { return traits }
    if parameters.leaves.contains(where: \.usesFrameworkSearch) {
      traits.behaviours.append(.searchFunction)
    }
    if parameters.leaves.contains(where: \.usesCollation) {
      traits.behaviours.append(.sortFunction)
    }
    if parameters.leaves.contains(where: { $0.sortKeys.contains(where: \.isPath) }) {
      traits.behaviours.append(.sortJoin)
    }
    if parameters.leaves.contains(where: { $0.prefetch.contains { $0.contains(".") } }) {
      traits.behaviours.append(.prefetchPath)
    }
    if !parameters.onlyReads { traits.behaviours.append(.saveStatements) }
    if parameters.leaves.contains(where: { !$0.blobs.isEmpty }) || !kept.isEmpty {
      traits.behaviours.add("externalStorageThreshold", "102400", .assumed)
    }
    if parameters.leaves.contains(where: \.isBatchRequest) {
      traits.behaviours += Step.batchBehaviours
    }
    return traits
  }

  func makeStartingStore(_ trial: Trial) throws {
    try BlobPlaces(parameters.strategies, in: trial.original.ownModel()).move(trial)
  }

  func prepare(_ trial: Trial) throws -> ScenarioRun { try ScenarioRun(parameters, trial) }

  func run(_ session: ScenarioRun, _ recorder: Recorder) throws { try session.perform(recorder) }

  func evidence(_ session: ScenarioRun, _ trial: Trial) -> Evidence? {
    let facts = session.seen.joined().map { "\($0.operation) \($0.log.fact) \($0.keys)" }
    return Evidence(stores: parameters.onlyReads ? [] : [trial.store], facts: facts)
  }

  func verify(_ session: ScenarioRun, _ trial: Trial) throws -> Verification {
    let expected = ExpectedStore(trial, session.store.layout)
    // Tolerate existing defects, because StoreBench may not have generated the store.
    expected.inspection.toleratesOldFaults = true
    // As in Core Data, a to-one relationship without an inverse keeps the key of a deleted object.
    if parameters.leaves.contains(where: { $0.verb == .delete }) {
      expected.sharedFaults = [.danglingReference]
    }
    let keepsHistory = session.store.layout.keepsHistory
    if parameters.engine == .objectGraph {
      if !parameters.onlyReads { expected.history = .recording }
    } else if keepsHistory {
      expected.inspection.exceptions.insert(.changeOfMissingObject)
    }
    let rehearsal = StepRehearsal(parameters, expected, session.places, seed: trial.seed)
    let problems = try SeenObjects(session, rehearsal).problems() + expected.problems()
    guard problems.isEmpty else { throw VerificationFailure(problems) }
    return Verification(
      digest: try expected.inspection.digest(),
      notes: try notes(of: rehearsal.effect, session.store.layout, expected)
    )
  }

  /// The notes on deletions: the numbers of deleted objects, of remaining objects that lost a
  /// reference, and of deletions in the history.
  private func notes(
    of effect: DeletionEffect,
    _ layout: StoreLayout,
    _ expected: ExpectedStore
  ) throws -> [String] {
    guard effect.removed > 0 else { return [] }
    var notes = [
      "\(Figures.counted(effect.removed, "object")) deleted; "
        + "\(Figures.counted(effect.leftBehind, "object")) that stay lost a to-one"
    ]
    guard layout.keepsHistory else { return notes }
    let values = (0..<layout.tombstoneCount).map { "ZTOMBSTONE\($0)" }
    let kept =
      values.isEmpty ? "0" : "coalesce(\((values + ["NULL"]).joined(separator: ", "))) IS NOT NULL"
    let rows = ["1", kept].map { ("ACHANGE", "ZCHANGETYPE = 2 AND (\($0))") }
    let counts = try expected.newRows(rows)
    notes.append(
      "history: \(counts[0]) deletions recorded, \(counts[1]) of them with tombstones"
    )
    return notes
  }
}

/// Compares the data that the steps read with the results of plain SQL on a copy of the store in
/// the same state.
private final class SeenObjects {
  private let session: ScenarioRun
  private let rehearsal: StepRehearsal
  private var findings = Findings<String>(limit: 5)
  /// The lists that background steps have read and that have not matched a state of the store yet.
  private var besides: ArraySlice<ScenarioRun.Seen>
  /// The numbers of the background turns that have begun; a turn is the operations that are timed
  /// together.
  private var begun: Set<Int> = []

  init(_ session: ScenarioRun, _ rehearsal: StepRehearsal) {
    (self.session, self.rehearsal) = (session, rehearsal)
    besides = session.seenBeside[...]
  }

  func problems() throws -> [String] {
    var (number, next) = (0, session.seen.map { _ in 0 })
    try rehearsal.perform { operation in
      defer { number += 1 }
      try checkBeside(operation, number)
      for iteration in session.seen.indices {
        let list = session.seen[iteration]
        guard next[iteration] < list.count, list[next[iteration]].operation == number else {
          continue
        }
        try check(list[next[iteration]], operation)
        next[iteration] += 1
      }
    }
    if let seen = besides.first {
      findings.add(
        "\(besides.count) lists beside a background step are of no saved state; the first has "
          + "\(seen.log.fetched) objects"
      )
    }
    return findings.sentences
  }

  /// Checks that each list matches a state of the store after a save or batch request of the second
  /// context.
  ///
  /// No list may match an older state than the list before it.
  private func checkBeside(_ operation: StepOperation, _ number: Int) throws {
    guard let beside = operation.beside, let form = session.forms[beside] else { return }
    let isSave =
      switch operation.work {
      case .save: true
      case .update, .delete: session.forms[operation.step]?.step.isBatchRequest == true
      default: false
      }
    let isFirst = !begun.contains(operation.turn)
    guard isFirst || isSave, besides.first?.operation ?? .max <= number else { return }
    if isFirst { begun.insert(operation.turn) }
    let objects = try FetchVerification.ExpectedObjects(
      form.fetch,
      form.subject,
      in: rehearsal.content()
    )
    let places = Array(0..<min(form.step.read ?? .max, objects.count))
    while let seen = besides.first, seen.operation <= number, seen.log.fetched == objects.count,
      objects.problem(with: seen.log.keys, at: places) == nil
    {
      besides.removeFirst()
    }
  }

  private func check(_ seen: ScenarioRun.Seen, _ operation: StepOperation) throws {
    guard let form = session.forms[operation.step] else { return }
    func add(_ text: String) { findings.add("'\(form.step.words)': \(text)") }
    let content = try rehearsal.content()
    if case .read(let keys) = operation.work {
      guard seen.log.keys == keys else { return add("other objects were read than those picked") }
      return try compare(seen.log, keys, form, in: content, add)
    }
    let objects = try FetchVerification.ExpectedObjects(form.fetch, form.subject, in: content)
    switch operation.work {
    case .count:
      if seen.log.fetched != objects.unlimitedCount {
        add("\(seen.log.fetched) objects were counted, but \(objects.unlimitedCount) exist")
      }
    case .find:
      if let problem = objects.problem(withAll: seen.keys) { add(problem) }
    case .fetch:
      guard seen.log.fetched == objects.count else {
        return add("\(seen.log.fetched) objects were found, but \(objects.count) exist")
      }
      let places = Array(0..<min(form.step.read ?? .max, objects.count))
      if let problem = objects.problem(with: seen.log.keys, at: places) { return add(problem) }
      try compare(seen.log, seen.log.keys, form, in: content, add)
    case .read, .insert, .upsert, .update, .delete, .save, .reset: break
    }
  }

  private func compare(
    _ log: ReadLog,
    _ keys: [Int64],
    _ form: StepForm,
    in content: StoreContent,
    _ add: (String) -> Void
  ) throws {
    let reading = try FetchVerification.ExpectedReading(form.subject, in: content)
    for difference in log.differences(from: try reading.log(of: keys), form.subject) {
      add(difference)
    }
  }
}

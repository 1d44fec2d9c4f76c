import Basics
import DataModel
import PersistentStore
import Runner

/// Migrates a store from its model to another model.
package struct MigrationWorkload: WorkloadKind {
  package static let description = KindDescription(
    name: "migration",
    summary: "migrates a store to another model, by several strategies",
    question: "Which migration to the new model takes the least time and memory?",
    metrics: Metric.migration.all + [Metric.waits.stall, Metric.waits.firstFetch],
    example: "to: +Note",
    isForecast: true,
    fit: fit,
    remains: { try RemainsReader(MigrationParameters($0), $1, $2, $3).read() }
  )

  package let parameters: MigrationParameters

  package init(parameters: MigrationParameters) {
    self.parameters = parameters
  }

  package var traits: CaseTraits {
    var traits = CaseTraits(endState: endState, startingStore: startingStore)
    traits.isAtomic = isAtomic
    traits.expectedFailure = expectedFailure
    traits.behaviours = behaviours
    traits.notes = notes
    traits.batchSize = batchSize
    traits.diskFactor = diskFactor
    traits.safeguards = safeguards(hasBackup: parameters.backup != .none)
    if parameters.strategy == .lightweight { traits.frameworkWay = "lightweight" }
    // The engine `bareSQL` writes directly to Core Data's tables, so no app can use it.
    traits.isLowerBound =
      !parameters.irrelevant.contains(parameters.$engine) && parameters.engine != .objectGraph
    return traits
  }

  /// The protection of the data: whether the case has a backup, and which check it makes.
  ///
  /// The method of the backup is left out, because it does not change the protection.
  func safeguards(hasBackup: Bool) -> String {
    "\(hasBackup ? "with" : "without") a backup, check: \(parameters.check.rawValue)"
  }

  var expectedFailure: String? {
    parameters.duplicates == .failing ? "UNIQUE constraint" : nil
  }

  var endState: String {
    if parameters.rollsBack || parameters.duplicates == .failing { return "as it was" }
    var parts = ["migrated to \(parameters.to)"]
    if !parameters.from.isEmpty { parts.append("from \(parameters.from)") }
    if parameters.isMapped {
      parts.append("by \(parameters.map)")
      if parameters.appCode == .omitted { parts.append("without the app's code") }
    }
    switch parameters.duplicates {
    case .merged: parts.append(parameters.mergeWords)
    case .removed: parts.append("without duplicates")
    case .upserted: parts.append("merged in silence")
    case .ignored, .failing: break
    }
    if parameters.strategy == .additive {
      parts.append(
        "\(parameters.transformation.rawValue) \(parameters.beside) kept beside "
          + parameters.attribute
      )
    }
    if parameters.leavesNewStore {
      if parameters.onNil != .fail { parts.append("\(parameters.onNil.rawValue) for nil") }
    }
    if parameters.strategy == .staged {
      let known = parameters.wrapper ? ["the wrapper"] : []
      parts.append("known: \((known + parameters.via).joined(separator: ", "))")
    }
    if parameters.strategy == .customStage {
      let place =
        parameters.attribute.isEmpty ? "" : " \(parameters.entity).\(parameters.attribute)"
      parts.append("\(parameters.transformation.rawValue)\(place) at \(parameters.hook.rawValue)")
    }
    return parts.joined(separator: ", ")
  }

  var behaviours: [Behaviour] {
    var behaviours: [Behaviour] = []
    if !parameters.leavesNewStore {
      // The app itself requests `deferred`; otherwise, Core Data chooses `inPlace` or `rebuild`.
      behaviours.assume(
        parameters.$shape,
        parameters.shape,
        as: "lightweightMigration",
        among: parameters.shape == .deferred ? [] : [.inPlace, .rebuild]
      )
    }
    if parameters.usesEngine, parameters.engine == .objectGraph {
      behaviours.add("toManyFault", StoreBehaviours().toManyFault.rawValue, .log)
      behaviours.add("saveStatements", "logged", .log)
    }
    return behaviours
  }

  var notes: [String] {
    parameters.usesEngine && parameters.engine == .bareSQL
      ? ["bareSQL: the lower bound, which no app ships; no history is written"] : []
  }

  var diskFactor: Double {
    let copies =
      (parameters.backup == .none ? 3 : 4)
      + ([.onCopy, .exportImport].contains(parameters.strategy) ? 1 : 0)
    return Double(copies) * (startingStore == nil ? 1 : 2)
  }

  var batchSize: Int? {
    let isIrrelevant = parameters.irrelevant.contains(parameters.$batchSize)
    return isIrrelevant || parameters.batchSize == 0 ? nil : parameters.batchSize
  }

  // MARK: The starting store

  var startingStore: String? {
    var parts: [String] = []
    if !parameters.from.isEmpty { parts.append("at \(parameters.from)") }
    if parameters.duplicates == .removed { parts.append("without what breaks \(parameters.to)") }
    if parameters.strategy == .staged { parts.append("of no version") }
    if parameters.archives {
      parts.append("with archives in \(parameters.entity).\(parameters.attribute)")
    }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  package func makeStartingStore(_ trial: Trial) throws {
    try StartingStore(parameters: parameters, trial: trial).make()
  }

  // MARK: Preparing and running a trial

  package func prepare(_ trial: Trial) throws -> MigrationSession {
    try MigrationSession(trial, parameters)
  }

  package func run(_ session: MigrationSession, _ recorder: Recorder) throws {
    try MigrationRun(session: session, recorder: recorder).run()
  }

  package func evidence(_ session: MigrationSession, _ trial: Trial) -> Evidence? {
    Evidence(
      stores: session.result == trial.store ? [trial.store] : [trial.store, session.result],
      facts: [session.refusal?.description ?? "", "\(session.isResumed)"]
    )
  }

  package func verify(_ session: MigrationSession, _ trial: Trial) throws -> Verification {
    let isAsBefore = traits.expectedFailure != nil || parameters.rollsBack || session.refusal != nil
    return isAsBefore
      ? try UntouchedStore(session: session, trial: trial).verify()
      : try MigratedStore(session: session, trial: trial).verify()
  }
}

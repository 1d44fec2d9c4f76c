import DataModel
import PersistentStore
import Runner

/// Brings a store from its model to another one.
package struct MigrationWorkload: Workload {
  package static let kind = "migration"
  package static let summary = "migrates a store to another model, by several strategies"

  let parameters: MigrationParameters

  package init(_ parameters: MigrationParameters) {
    self.parameters = parameters
  }

  package static let question = "Which migration to the new model takes the least time and memory?"

  package var onlyReads: Bool { false }

  package var expectedFailure: String? {
    parameters.duplicates == .failing ? "UNIQUE constraint" : nil
  }

  package var endState: String {
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

  package var behaviours: [Behaviour] {
    var behaviours: [Behaviour] = []
    if !parameters.leavesNewStore {
      behaviours.append(
        Behaviour(
          name: "lightweightMigration",
          value: parameters.shape.rawValue,
          evidence: .assumed
        )
      )
    }
    if parameters.usesEngine, parameters.engine == .objectGraph {
      let fault = StoreBehaviours().toManyFault.rawValue
      behaviours.append(Behaviour(name: "toManyFault", value: fault, evidence: .log))
      behaviours.append(Behaviour(name: "saveStatements", value: "logged", evidence: .log))
    }
    return behaviours
  }

  package var notes: [String] {
    // Every stage of the case is lightweight.
    guard parameters.strategy != .staged else { return [StagePlanRisk.sentence] }
    guard parameters.usesEngine, parameters.engine != .objectGraph else { return [] }
    let notes = ["\(parameters.engine.rawValue): no history is written"]
    return parameters.engine == .grdb
      ? notes + [
        "grdb: uses its own connection, which is not "
          + "counted"
      ] : notes
  }

  package var diskFactor: Double {
    let copies =
      (parameters.backup == .none ? 3 : 4)
      + ([.onCopy, .exportImport].contains(parameters.strategy) ? 1 : 0)
    return Double(copies) * startingFactor
  }

  package var batchSize: Int? {
    let irrelevant = parameters.irrelevant
    let isOneSave = parameters.saves == .one && !irrelevant.contains(parameters.$saves)
    return isOneSave || irrelevant.contains(parameters.$batchSize) ? nil : parameters.batchSize
  }

  // MARK: The starting store

  package var startingStore: String? {
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

  // MARK: The trial

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

  package func verify(
    _ session: MigrationSession,
    _ trial: Trial,
    failure: (any Error)?
  ) throws -> Verification {
    let isAsBefore = failure != nil || parameters.rollsBack || session.refusal != nil
    return isAsBefore
      ? try UntouchedStore(session: session, trial: trial).verify()
      : try MigratedStore(session: session, trial: trial).verify()
  }
}

import DataModel
import PersistentStore
import Runner
import SQLite

extension CascadeDeleteWorkload {
  package func verify(
    _ session: CascadeSession,
    _ trial: Trial,
    failure: (any Error)?
  ) throws -> Verification {
    let start = try StartState(trial, parameters)
    let outcome = CascadeOutcome(parameters: parameters, trial: trial, start: start)
    let problems = try failure == nil ? outcome.problems() : outcome.problemsUnlessAsItWas()
    guard problems.isEmpty else { throw VerificationFailure(problems) }
    let digest = try StoreInspection(store: trial.store, layout: start.layout).digest()
    guard failure == nil else { return Verification(digest: digest) }
    return Verification(digest: digest, notes: [start.summary])
  }
}

/// The store before the deletion, and what must become of its objects, from plain SQL alone.
struct StartState {
  let layout: StoreLayout
  let root: CascadeRoot
  let closure: CascadeClosure
  private let keys: [Int64]

  init(_ trial: Trial, _ parameters: CascadeParameters) throws {
    let connection = try trial.start.plainConnection()
    let keepsHistory =
      try connection.integer(
        "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'ATRANSACTION'"
      ) == 1
    layout = StoreLayout(
      model: try ModelCache.read(from: connection, path: trial.start.path),
      keepsHistory: keepsHistory
    )
    let graph = CascadeGraph(layout)
    root = try CascadeRoot(
      named: parameters.shape == .chain ? ChainModel.entity(0) : parameters.entity,
      in: layout,
      graph
    )
    keys = parameters.chosen(of: try root.keys(connection), seed: trial.seed)
    closure = try CascadeClosure(graph, in: trial.start, from: keys, of: root.table)
  }

  /// How many objects of which entity were to go, and what went with them.
  var summary: String {
    let all = closure.doomed.values.reduce(0) { $0 + $1.count }
    return "\(keys.count) objects of '\(root.entity)' deleted, and \(all - keys.count) with them"
  }
}

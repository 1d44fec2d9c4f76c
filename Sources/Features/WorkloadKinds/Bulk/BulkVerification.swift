import DataModel
import PersistentStore
import Runner
import SQLite

extension BulkWorkload {
  func outcome(
    of session: BulkSession,
    _ expected: ExpectedStore,
    _ content: BulkContent
  ) throws -> Outcome {
    let names = try EntityNames(content.entity, in: expected.layout)
    let isSelected = "\(try names.column(content.number)) < \(content.limit)"
    let counted = try expected.read("SELECT count(*) FROM \(names.table) WHERE \(isSelected)")
    let selected = Int(counted.first?.first?.integer ?? 0)
    switch parameters.operation {
    case .delete: try expected.change("DELETE FROM \(names.table) WHERE \(isSelected)")
    case .update:
      let isRaised = !parameters.isRequest || parameters.batchVersions == .raised
      try expected.change(
        "UPDATE \(names.table) SET \(names.column(content.flag)) = 1"
          + "\(isRaised ? ", Z_OPT = Z_OPT + 1" : "") WHERE \(isSelected)"
      )
    }
    var outcome = Outcome(notes: ["\(selected) of \(parameters.stored) objects selected"])
    if parameters.keepsHistory {
      // The history must contain one transaction per save or request, and one change per object.
      expected.history = .recording
      let perSave = parameters.isRequest ? selected : parameters.objectsPerSave
      outcome.problems = try expected.historyProblems([
        ("ATRANSACTION", "true", selected == 0 ? 0 : (selected + perSave - 1) / perSave),
        ("ACHANGE", "true", selected),
      ])
    }
    let stale = session.stale.count
    guard stale > 0 else { return outcome }
    let words = "\(stale) objects of the screen have old values"
    if parameters.isRequest, parameters.merge == .none {
      outcome.losses = [words]
    } else {
      outcome.problems.append(words)
    }
    return outcome
  }
}

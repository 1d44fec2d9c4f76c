import DataModel
import PersistentStore
import Runner
import SQLite

extension BulkWorkload {
  package func verify(_ session: BulkSession, _ trial: Trial) throws -> Verification {
    let model = try BulkModel(trial.original.ownModel(), parameters, seed: trial.seed)
    let layout = StoreLayout(model: model.model, keepsHistory: parameters.keepsHistory)
    var inspection = StoreInspection(store: trial.store, layout: layout)
    inspection.toleratesOldFaults = false
    let expected = try self.expected(model, StoreContent(store: trial.start, layout: layout))
    var problems = try inspection.problems(
      expecting: expected,
      history: parameters.keepsHistory ? .recording : .unchanged
    ) { $0.comparesVersions = true }
    let selected = (1...Int64(parameters.stored)).count(where: model.isSelected)
    if problems.isEmpty { problems = try historyProblems(selected, trial) }
    let stale = session.stale.count
    let mayBeStale = parameters.isRequest && parameters.merge == .none
    if stale > 0, !mayBeStale { problems.append("\(stale) objects of the screen have old values") }
    guard problems.isEmpty else { throw VerificationFailure(problems) }
    return Verification(
      digest: try inspection.digest(),
      notes: [
        "\(selected) of \(parameters.stored) objects like '\(parameters.entity)' selected"
      ],
      losses: stale > 0 ? ["\(stale) objects of the screen have old values"] : []
    )
  }

  private func expected(_ model: BulkModel, _ start: StoreContent) throws -> ExpectedContent {
    var expected = ExpectedContent(from: start)
    switch parameters.operation {
    case .delete: try expected.remove(model.entity, where: model.isSelected)
    case .update:
      let isRaised = !parameters.isRequest || parameters.batchVersions == .raised
      try expected.change(model.entity) { object in
        guard model.isSelected(object.key) else { return }
        try object.set(model.flag, .integer(1))
        if isRaised { object.version = .integer(2) }
      }
    }
    return expected
  }

  /// Whether the history has one transaction for each save or request, and one change an object.
  private func historyProblems(_ selected: Int, _ trial: Trial) throws -> [String] {
    guard parameters.keepsHistory else { return [] }
    let perSave = parameters.isRequest ? selected : parameters.objectsPerSave
    let (before, after) = (try trial.start.plainConnection(), try trial.store.plainConnection())
    return try [
      ("ATRANSACTION", selected == 0 ? 0 : (selected + perSave - 1) / perSave),
      ("ACHANGE", selected),
    ].compactMap { table, count in
      let query = "SELECT count(*) FROM \(table)"
      let found = try (after.integer(query) ?? 0) - (before.integer(query) ?? 0)
      return found == Int64(count)
        ? nil : "\(table) has \(found) new rows, but \(count) are expected"
    }
  }
}

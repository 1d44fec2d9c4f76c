import DataModel
import PersistentStore
import Runner
import SQLite

extension SectionWorkload {
  package func verify(_ session: SectionSession, _ trial: Trial) throws -> Verification {
    let model = session.model
    let layout = StoreLayout(model: model.model, keepsHistory: false)
    var inspection = StoreInspection(store: trial.store, layout: layout)
    inspection.toleratesOldFaults = false
    let expected = try self.expected(model, StoreContent(store: trial.start, layout: layout))
    var problems = try inspection.problems(expecting: expected) { $0.comparesVersions = true }
    let list = try listed(model, layout, trial)
    if session.list.sections != list.sections {
      problems.append("the sections of the list differ from the store")
    }
    if session.list.screen != list.screen {
      problems.append("the objects on the screen are not the first objects of the store")
    }
    guard problems.isEmpty else { throw VerificationFailure(problems) }
    return Verification(
      digest: list.digest,
      notes: ["objects shaped as '\(parameters.entity)'"]
    )
  }

  private func expected(_ model: SectionModel, _ start: StoreContent) throws -> ExpectedContent {
    var expected = ExpectedContent(from: start)
    guard parameters.operation == .save else { return expected }
    let moves = model.moves
    // Moves between equal values are no changes.
    try expected.change(model.entity) { object in
      guard let count = moves[object.key] else { return }
      var saves = 0
      for move in 1...count {
        let (before, after) = (
          model.values(of: object.key, moves: move - 1), model.values(of: object.key, moves: move)
        )
        if zip(before, after).contains(where: { $0.value != $1.value }) { saves += 1 }
      }
      for (attribute, value) in model.values(of: object.key, moves: count) {
        try object.set(attribute, ContentValue(value))
      }
      object.version = .integer(1 + Int64(saves))
    }
    return expected
  }

  /// The list that the store has, read by plain SQL and grouped here.
  private func listed(
    _ model: SectionModel,
    _ layout: StoreLayout,
    _ trial: Trial
  ) throws -> SectionList {
    guard let table = layout.table(of: model.entity)?.name,
      let date = layout.column(of: model.date, in: model.entity)?.name
    else { throw InspectionError.unknownEntity(model.entity) }
    let section = model.section.flatMap { layout.column(of: $0, in: model.entity)?.name } ?? "NULL"
    let row = try trial.store.plainConnection().prepare(
      "SELECT Z_PK, \(date), \(section) FROM \(table) NOT INDEXED"
    )
    var rows: [(key: Int64, date: Value, section: Value)] = []
    while try row.step() {
      rows.append((row.integer(at: 0), row.value(at: 1), row.value(at: 2)))
    }
    rows.sort { first, second in
      first.section == second.section
        ? SectionModel.precedes(first.date, second.date)
        : SectionModel.precedes(first.section, second.section)
    }
    var list = SectionList()
    for row in rows { list.add(model.section(of: row.date, row.section)) }
    list.screen = rows.prefix(parameters.screen).map(\.key)
    return list
  }
}

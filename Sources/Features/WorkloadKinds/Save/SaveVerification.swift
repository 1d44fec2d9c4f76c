import DataModel
import PersistentStore
import Runner
import SQLite

extension SaveWorkload {
  func outcome(
    of session: SaveSession,
    _ expected: ExpectedStore,
    _ content: SaveContent
  ) throws -> Outcome {
    let names = try EntityNames(content.entity, in: expected.layout)
    let script = EditScript(content)
    let blobs = SeededBlobs(seed: content.seed, size: parameters.blob)
    var (inserted, updated, deleted) = (0, 0, 0)
    // If an attribute allows external storage, a blob that is stored in the row begins with the
    // byte 1.
    func blob(_ key: Int64, _ version: Int = 0) -> [PropertyValue] {
      content.blob.map { [($0, .blob([1] + blobs.bytes(of: key, version: version)))] } ?? []
    }
    for save in script.saves {
      var touched: Set<Int64> = []
      for change in script.edits[save.edits].flatMap(\.changes) {
        switch change {
        case .insert(let key):
          let values = zip(content.plain.seeded.map(\.name), content.rows.values(of: key))
          try expected.insert(key, values.map { ($0, $1) } + blob(key), in: names)
          inserted += 1
        case .set(let key, let values):
          try expected.set(values, of: key, in: names, raises: false)
          touched.insert(key)
        case .blob(let key, let version):
          try expected.set(blob(key, version), of: key, in: names, raises: false)
        case .delete(let key):
          try expected.change("DELETE FROM \(names.table) WHERE Z_PK = ?1", .integer(key))
          deleted += 1
        }
      }
      for key in touched {
        try expected.change(
          "UPDATE \(names.table) SET Z_OPT = Z_OPT + 1 WHERE Z_PK = ?1",
          .integer(key)
        )
      }
      updated += touched.count
    }
    var outcome = Outcome()
    if content.keepsHistory {
      // The history must have one transaction per save, and one change for each object that the
      // save writes.
      expected.history = .recording
      outcome.problems = try expected.historyProblems([
        ("ATRANSACTION", "true", script.saves.count),
        ("ACHANGE", "ZCHANGETYPE = 0", inserted), ("ACHANGE", "ZCHANGETYPE = 1", updated),
        ("ACHANGE", "ZCHANGETYPE = 2", deleted),
      ])
    }
    if !script.unsaved.isEmpty, let last = script.edits.last {
      let first = script.edits[script.unsaved.lowerBound].time
      let seconds = Double((last.time - first) / 100) / 10
      outcome.losses = ["\(script.unsaved.count) edits of the last \(seconds) s"]
    }
    return outcome
  }
}

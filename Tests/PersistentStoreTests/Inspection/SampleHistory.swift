import DataModel
import PersistentStore

extension SampleStore {
  /// Writes three transactions: insertions of all objects and of two more tasks, updates of some
  /// tasks, and deletions of the two tasks, which are not in the store.
  func writeHistory() throws {
    var change: Int64 = 0
    func write(
      _ kind: Int64,
      _ entity: Int64,
      _ key: Int64,
      in transaction: Int64,
      columns: Value = .null,
      tombstone: Value = .null
    ) throws {
      change += 1
      try run(
        "INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, "
          + "ZCOLUMNS, ZTOMBSTONE0) VALUES (?1, 16001, ?2, ?3, ?4, ?5, ?6, ?7)",
        [
          .integer(change), .integer(kind), .integer(entity), .integer(key), .integer(transaction),
          columns, tombstone,
        ]
      )
    }
    let task = Int64(layout.numbers["Task"] ?? 0)
    for table in layout.tables {
      for (key, entity) in try rows(of: table) { try write(0, entity, key, in: 1) }
    }
    try write(0, task, 13, in: 1)
    try write(0, task, 14, in: 1)
    for key: Int64 in [2, 3, 5] {
      try write(1, task, key, in: 2, columns: .blob([0x40, 0]))
      try run("UPDATE ZTASK SET Z_OPT = 2 WHERE Z_PK = ?1", [.integer(key)])
    }
    try write(2, task, 13, in: 3, tombstone: uuid(13))
    try write(2, task, 14, in: 3, tombstone: uuid(14))
    lastKeys["ZTASK"] = 14
    try writeTransactions(changes: change)
  }

  private func writeTransactions(changes: Int64) throws {
    for (key, name) in ["com.example.tasks", "Tasks", "importer"].enumerated() {
      try run(
        "INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (?1, 16003, ?2)",
        [.integer(Int64(key + 1)), .text(name)]
      )
    }
    for key in 1...3 {
      try run(
        "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZBUNDLEIDTS, ZPROCESSIDTS, ZAUTHORTS, ZTIMESTAMP) "
          + "VALUES (?1, 16002, 1, 2, ?2, ?3)",
        [.integer(Int64(key)), key == 1 ? .integer(3) : .null, .real(7.2e8 + Double(key))]
      )
    }
    for (number, name, last) in [
      (16_001, "CHANGE", changes), (16_002, "TRANSACTION", 3), (16_003, "TRANSACTIONSTRING", 3),
    ] {
      try run("INSERT INTO Z_PRIMARYKEY VALUES (\(number), '\(name)', 0, \(last))")
    }
  }
}

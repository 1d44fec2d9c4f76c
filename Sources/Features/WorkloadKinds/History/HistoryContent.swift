import DataModel
import PersistentStore
import SQLite

/// The content of the `history` kind's small store: objects of one entity, and their history.
///
/// The case decides whether the history preserves the identifier of a deleted object.
struct HistoryContent: Scenario {
  let plain: PlainEntity
  let parameters: HistoryParameters
  let seed: UInt64
  let identifier: String

  var keepsHistory: Bool { true }
  var counter: String { plain.counter }

  init(_ model: Model, _ parameters: HistoryParameters, seed: UInt64) throws {
    let plain = try PlainEntity(model, entity: parameters.entity)
    var named = plain
    identifier = named.add(.string, named: "identifier")
    self.plain = plain
    (self.parameters, self.seed) = (parameters, seed)
  }

  var model: Model {
    let attribute = Attribute(
      name: identifier,
      type: .string,
      preservesValueOnDeletion: parameters.tombstones
    )
    return Model(entities: [plain.entity(with: [attribute])])
  }

  func identifier(of key: Int64) -> String { "object \(key)" }

  /// The keys of the objects deleted since the reader's token (the last transaction that it has
  /// read).
  ///
  /// These are the highest keys.
  var deleted: [Int64] {
    (0..<parameters.deleted).map { Int64(parameters.objects - $0) }
  }

  func changed(_ number: Int) -> Int64 {
    Int64(number * 7_919 % (parameters.objects - parameters.deleted)) + 1
  }

  var changedSince: Set<Int64> {
    let first = parameters.older * parameters.changes
    return Set((first..<first + parameters.transactions * parameters.changes).map(changed))
  }

  func saved(by number: Int) -> [Int64] {
    turns(number, parameters.changes, of: parameters.objects - parameters.deleted).sorted()
  }

  /// Creates the objects, then transactions in the format of saves, then the deletion.
  ///
  /// Real saves would take minutes, so the transactions are copied with SQL; an audit checks that
  /// the rows follow the rules of the layout.
  func fill(_ store: PersistentStore) throws {
    let context = try ObjectContext(store: store)
    try context.fill(entity, rows, keys: 1...parameters.objects) {
      try $0.setValue(.text(identifier(of: $1)), of: identifier)
    }
    // Make one update with a real save; the history's other changes are copies of its row.
    let first = try context.fetch(FetchRequest(entity, predicate: .keys([1]))).object(at: 0)
    try first.setValue(rows.counterValue(of: 1, version: 1), of: counter)
    try context.save()
    context.reset()
    try addTransactions(store)
    guard parameters.deleted > 0 else { return }
    try context.fetch(FetchRequest(entity, predicate: .keys(deleted))).each(context.delete)
    try context.save()
  }

  private func addTransactions(_ store: PersistentStore) throws {
    let connection = store.connection
    let count = parameters.older + parameters.transactions
    let transaction = try connection.integer("SELECT max(Z_PK) FROM ATRANSACTION") ?? 0
    let change = try connection.integer("SELECT max(Z_PK) FROM ACHANGE") ?? 0
    let total = count * parameters.changes
    let numbers = { (last: Int) in
      "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < \(last))"
    }
    try connection.transaction {
      try connection.execute(
        numbers(count)
          + " INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZBUNDLEIDTS, ZPROCESSIDTS, ZTIMESTAMP)"
          + " SELECT \(transaction) + 1 + i, Z_ENT, ZBUNDLEIDTS, ZPROCESSIDTS, ZTIMESTAMP + i"
          + " FROM n, ATRANSACTION WHERE Z_PK = \(transaction)"
      )
      try connection.execute(
        numbers(total)
          + " INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID,"
          + " ZCOLUMNS) SELECT \(change) + 1 + i, Z_ENT, ZCHANGETYPE, ZENTITY,"
          + " i * 7919 % \(parameters.objects - parameters.deleted) + 1,"
          + " \(transaction) + 1 + i / \(parameters.changes), ZCOLUMNS"
          + " FROM n, ACHANGE WHERE Z_PK = \(change)"
      )
      for (number, last) in [
        (EntityNumbers.transaction, Int(transaction) + count),
        (EntityNumbers.change, Int(change) + total),
      ] {
        try connection.execute(
          "UPDATE Z_PRIMARYKEY SET Z_MAX = \(last) WHERE Z_ENT = \(number)"
        )
      }
    }
  }

  /// The reader's token: the last transaction before those of the case.
  ///
  /// The work must not have changed the store yet.
  func token(_ connection: Connection) throws -> Int64 {
    let last = try lastToken(connection)
    return last - Int64(parameters.transactions) - (parameters.deleted > 0 ? 1 : 0)
  }

  /// The key of the last transaction, even if it was purged.
  func lastToken(_ connection: Connection) throws -> Int64 {
    try connection.integer(
      "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(EntityNumbers.transaction)"
    ) ?? 0
  }
}

import DataModel
import GRDB
import Generators
import PersistentStore

import struct Foundation.Data

/// Races the object context, GRDB and a plain loop at fetching the same tasks.
struct FetchRace {
  private static let batchSize = 100

  /// The columns of a task, in the order in which every contestant reads them.
  static let columns = [
    "Z_PK", "Z_OPT", "ZESTIMATEDMINUTES", "ZISCOMPLETED", "ZISFLAGGED", "ZSORTORDER", "ZCATEGORY",
    "ZPROJECT", "ZCOMPLETEDAT", "ZCREATEDAT", "ZMODIFIEDAT", "ZPROGRESS", "ZDETAILS", "ZTITLE",
    "ZID",
  ]
  static let selection = "SELECT " + columns.joined(separator: ", ") + " FROM ZTASK"

  private let store: PersistentStore
  private let queue: DatabaseQueue
  private let plain: PlainLoop

  init(_ folder: BenchFolder, tasks: Int) throws {
    let path = try folder.file("fetch.sqlite")
    try StoreGenerator(try .tasks(tasks)).generate(at: path)
    store = try PersistentStore.open(StoreFile(path: path))
    queue = try DatabaseQueue(path: path)
    plain = try PlainLoop(path: path)
  }

  func races(rounds: Int) -> [Race] {
    [
      Race(
        title: "tasks fetched at once",
        rounds: rounds,
        contestants: [
          .init("plain loop over the C API") { try plain.all().count },
          .init("GRDB records") {
            try queue.read { try TaskRow<Data>.fetchAll($0, sql: Self.selection).count }
          },
          .init("object context, eager") {
            try ObjectContext(store: store).fetch(FetchRequest("Task")).count
          },
        ]
      ),
      Race(
        title: "tasks fetched in batches of \(Self.batchSize)",
        rounds: rounds,
        contestants: [
          .init("plain loop, keys then rows") { try plain.batched(Self.batchSize) },
          .init("GRDB records, batched") { try recordBatches() },
          .init("object context, batched") { try objectBatches() },
        ]
      ),
    ]
  }

  private func objectBatches() throws -> Int {
    let context = try ObjectContext(store: store)
    let objects = try context.fetch(FetchRequest("Task", fetchBatchSize: Self.batchSize))
    var count = 0
    for place in 0..<objects.count where try !objects.object(at: place).isFault { count += 1 }
    return count
  }

  private func recordBatches() throws -> Int {
    let keys = try queue.read { try Int64.fetchAll($0, sql: "SELECT Z_PK FROM ZTASK") }
    let size = Self.batchSize
    let marks = Array(repeating: "?", count: size).joined(separator: ",")
    let sql = Self.selection + " WHERE Z_PK IN (\(marks))"
    var count = 0
    for start in stride(from: 0, to: keys.count, by: size) {
      let batch = keys[start..<min(start + size, keys.count)]
      let rest = Array(repeating: Int64?.none, count: size - batch.count)
      count += try queue.read { database in
        let statement = try database.cachedStatement(sql: sql)
        let arguments = StatementArguments(batch.map { Int64?($0) } + rest)
        return try TaskRow<Data>.fetchAll(statement, arguments: arguments).count
      }
    }
    return count
  }
}

/// The values of a task; `ID` is the type in which a contestant reads the ID fastest.
struct TaskRow<ID> {
  var key: Int64
  var version: Int64
  var estimatedMinutes: Int64?
  var isCompleted: Int64?
  var isFlagged: Int64?
  var sortOrder: Int64?
  var category: Int64?
  var project: Int64?
  var completedAt: Double?
  var createdAt: Double?
  var modifiedAt: Double?
  var progress: Double?
  var details: String?
  var title: String?
  var id: ID?
}

/// Decodes a GRDB record by column position, the fastest way in GRDB.
extension TaskRow: FetchableRecord where ID == Data {
  init(row: Row) throws {
    self.init(
      key: row[0],
      version: row[1],
      estimatedMinutes: row[2],
      isCompleted: row[3],
      isFlagged: row[4],
      sortOrder: row[5],
      category: row[6],
      project: row[7],
      completedAt: row[8],
      createdAt: row[9],
      modifiedAt: row[10],
      progress: row[11],
      details: row[12],
      title: row[13],
      id: row[14]
    )
  }
}

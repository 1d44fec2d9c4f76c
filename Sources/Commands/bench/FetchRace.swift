import DataModel
import GRDB
import Generators
import PersistentStore

/// Fetches of the same tasks by the object context, by GRDB and by a plain loop.
struct FetchRace {
  private static let batchSize = 100

  let tasks: Int
  private let store: PersistentStore
  private let queue: DatabaseQueue
  private let plain: PlainLoop
  private let selection = "SELECT " + taskColumns.joined(separator: ", ") + " FROM ZTASK"

  init(_ folder: BenchFolder, tasks: Int) throws {
    let path = try folder.file("fetch.sqlite")
    try StoreGenerator(try BenchRecipe.read(tasks: tasks)).generate(at: path)
    self.tasks = tasks
    store = try PersistentStore.open(StoreFile(path: path))
    queue = try DatabaseQueue(path: path)
    plain = try PlainLoop(path: path)
  }

  func races(rounds: Int) -> [Contest] {
    [
      Contest(
        title: "tasks fetched at once",
        rounds: rounds,
        contestants: [
          .init(name: "plain loop over the C API") { try plain.all().count },
          .init(name: "GRDB records") { try records() },
          .init(name: "object context, eager") { try eager() },
        ]
      ),
      Contest(
        title: "tasks fetched in batches of \(Self.batchSize)",
        rounds: rounds,
        contestants: [
          .init(name: "plain loop, keys then rows") { try plain.batched(Self.batchSize) },
          .init(name: "GRDB records, batched") { try recordBatches() },
          .init(name: "object context, batched") { try batches() },
        ]
      ),
    ]
  }

  /// Runs one contestant alone; nothing for a name that none has.
  func run(only name: String, rounds: Int) throws {
    for contestant in races(rounds: rounds).flatMap(\.contestants) where contestant.name == name {
      for _ in 0..<rounds { _ = try contestant.work() }
    }
  }

  private func eager() throws -> Int {
    try ObjectContext(store: store).fetch(FetchRequest("Task")).count
  }

  private func batches() throws -> Int {
    let context = try ObjectContext(store: store)
    let objects = try context.fetch(FetchRequest("Task", fetchBatchSize: Self.batchSize))
    var count = 0
    for place in 0..<objects.count where try !objects.object(at: place).isFault { count += 1 }
    return count
  }

  private func records() throws -> Int {
    try queue.read { try TaskRecord.fetchAll($0, sql: selection).count }
  }

  private func recordBatches() throws -> Int {
    let keys = try queue.read { try Int64.fetchAll($0, sql: "SELECT Z_PK FROM ZTASK") }
    let size = Self.batchSize
    let marks = Array(repeating: "?", count: size).joined(separator: ",")
    var count = 0
    for start in stride(from: 0, to: keys.count, by: size) {
      let batch = keys[start..<min(start + size, keys.count)]
      let rest = Array(repeating: Int64?.none, count: size - batch.count)
      count += try queue.read { database in
        let statement = try database.cachedStatement(sql: selection + " WHERE Z_PK IN (\(marks))")
        let arguments = StatementArguments(batch.map { Int64?($0) } + rest)
        return try TaskRecord.fetchAll(statement, arguments: arguments).count
      }
    }
    return count
  }
}

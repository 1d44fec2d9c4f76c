import DataModel
import Foundation
import GRDB
import PersistentStore

/// Measures the object context against GRDB's records and a plain loop over SQLite's C API.
@main
enum Bench {
  static let rounds = Int(ProcessInfo.processInfo.environment["ROUNDS"] ?? "") ?? 15
  static let batchSize = 100

  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    let count = arguments.first.flatMap { Int($0) } ?? 20_000
    let only = arguments.dropFirst().first
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("storebench-bench-\(ProcessInfo.processInfo.processIdentifier)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/tasks.sqlite"
    let model = try ModelFile.read(path: "Workloads/models/tasks/v1.yaml").model
    try TaskStore.make(at: path, tasks: count, model: model)
    let store = try PersistentStore.open(StoreFile(path: path))
    let queue = try DatabaseQueue(path: path)
    let plain = try PlainLoop(path: path)
    let selection = "SELECT " + taskColumns.joined(separator: ", ") + " FROM ZTASK"
    let eager = Contest(
      rounds: rounds,
      contestants: [
        .init(name: "plain loop over the C API") { try plain.all().count },
        .init(name: "GRDB records") {
          try queue.read { try TaskRecord.fetchAll($0, sql: selection).count }
        },
        .init(name: "object context, eager") {
          let context = try ObjectContext(store: store)
          return try context.fetch(FetchRequest("Task")).count
        },
      ]
    )
    let batched = Contest(
      rounds: rounds,
      contestants: [
        .init(name: "plain loop, batched") { try plain.batched(batchSize) },
        .init(name: "GRDB records, batched") { try grdbBatched(queue, selection) },
        .init(name: "object context, batched") {
          let context = try ObjectContext(store: store)
          let objects = try context.fetch(FetchRequest("Task", fetchBatchSize: batchSize))
          var count = 0
          for index in 0..<objects.count where try !objects.object(at: index).isFault { count += 1 }
          return count
        },
      ]
    )
    if let only {
      for contest in [eager, batched] {
        for contestant in contest.contestants where contestant.name == only {
          for _ in 0..<rounds { _ = try contestant.work() }
        }
      }
      return
    }
    for contest in [eager, batched] {
      for result in try contest.results() {
        let rate = Int(Double(result.objects) / result.seconds.median)
        print(
          result.name.padding(toLength: 28, withPad: " ", startingAt: 0),
          rate,
          String(
            format: "%.1f %%  ratio %.3f (%.1f %%)",
            result.seconds.spread * 100,
            result.ratios.median,
            result.ratios.spread * 100
          )
        )
      }
    }
  }

  private static func grdbBatched(_ queue: DatabaseQueue, _ selection: String) throws -> Int {
    let keys = try queue.read { try Int64.fetchAll($0, sql: "SELECT Z_PK FROM ZTASK") }
    let places = Array(repeating: "?", count: batchSize).joined(separator: ",")
    var count = 0
    for start in stride(from: 0, to: keys.count, by: batchSize) {
      let batch = keys[start..<min(start + batchSize, keys.count)]
      count += try queue.read { database in
        let statement = try database.cachedStatement(sql: selection + " WHERE Z_PK IN (\(places))")
        return try TaskRecord.fetchAll(statement, arguments: StatementArguments(batch)).count
      }
    }
    return count
  }
}

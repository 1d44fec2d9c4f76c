import Basics
import DataModel
import Foundation
import PersistentStore
import SQLLog
import SQLite

extension PlantedApp {
  func commit(_ fault: Fault) throws {
    let table = "Z" + names.item.uppercased()
    switch fault {
    case .ownerOfEachRow:
      try log {
        var request = newestFirst
        request.fetchLimit = number(40...120)
        let items = try context.fetch(request)
        for index in 0..<items.count {
          _ = try items.object(at: index).target(of: "owner")?.value(of: "name")
        }
      }
    case .partsOfEachOwner:
      try log {
        let request = FetchRequest(names.owner, fetchLimit: number(30...120))
        let owners = try context.fetch(request)
        for index in 0..<owners.count {
          _ = try owners.object(at: index).targets(of: "items").count
        }
      }
    case .batchesInAnExport:
      try log {
        var request = newestFirst
        request.fetchBatchSize = number(20...60)
        let items = try context.fetch(request)
        try show(items)
      }
    case .prefetchForNothing: try prefetchForNothing()
    case .countOfAFetch:
      try log { _ = try context.fetch(FetchRequest(names.item)).count }
    case .sameFetchInEachCell:
      try log {
        for _ in 0..<number(12...40) {
          var request = newestFirst
          request.fetchLimit = 10
          _ = try context.fetch(request)
        }
      }
    case .reloadAfterEachEdit:
      for _ in 0..<number(10...40) {
        try edit()
        try log {
          var request = newestFirst
          request.fetchLimit = 150
          _ = try context.fetch(request)
        }
      }
    case .localizedSort:
      for _ in 0..<number(1...4) {
        writeFetch(
          "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.Z\(names.title.uppercased()) FROM \(table) t0 ORDER BY "
            + "t0.Z\(names.title.uppercased()) COLLATE NSCollateFinderlike  LIMIT 2000",
          rows: 2_000,
          seconds: Double(number(20...90)) / 1_000
        )
      }
    case .filterWithoutIndex:
      try log {
        for state in 0..<number(2...5) {
          let request = FetchRequest(
            names.item,
            predicate: .comparison(names.state, .equal, .integer(Int64(state)))
          )
          _ = try context.fetch(request)
        }
      }
    case .planWithEntityIndex: writePlan(table)
    case .searchWhileTyping: try searchText(table)
    case .saveInALoop: try importItems(number(20...60), savingEach: true)
    case .imagesInAList:
      try log {
        var request = newestFirst
        request.fetchLimit = number(80...200)
        let items = try context.fetch(request)
        try show(items)
      }
    case .workOnTheMainThread:
      for _ in 0..<number(2...4) {
        writeFetch(
          "SELECT 0, t0.Z_PK, t0.Z_OPT FROM \(table) t0 WHERE  t0.Z\(names.date.uppercased()) > ? ",
          rows: 900,
          seconds: Double(number(40...160)) / 1_000
        )
      }
    case .indexForNothing, .upkeepAfterSaves: return
    }
  }

  /// Prefetches parts for rows that show only a title; no other screen of the app reads the parts.
  private func prefetchForNothing() throws {
    for _ in 0..<number(2...5) {
      try log {
        var request = newestFirst
        request.fetchLimit = number(100...300)
        request.relationshipsForPrefetching = ["parts"]
        let items = try context.fetch(request)
        try show(items)
      }
    }
  }

  private func searchText(_ table: String) throws {
    for _ in 0..<number(3...8) {
      try log {
        let statement = try store.connection.cached(
          "SELECT 0, t0.Z_PK FROM \(table) t0 WHERE  NSCoreDataStringSearch( "
            + "t0.Z\(names.title.uppercased()), ?, 417, 1) ORDER BY t0.Z_PK"
        )
        statement.bind("about", at: 1)
        try statement.run()
      }
    }
  }

  private func writePlan(_ table: String) {
    let sql =
      "SELECT t0.Z_ENT, t0.Z_PK FROM \(table) t0 WHERE ( t0.Z\(names.code.uppercased()) = ? AND  "
      + "t0.Z_ENT = ?)  LIMIT 1"
    writeFetch(sql, rows: 1, seconds: 0.0287)
    write(["details: SQLite: EXPLAIN QUERY PLAN \(sql)"])
    lines.append(
      (4_101, "0|0|0|SEARCH TABLE \(table) AS t0 USING INDEX \(table)_Z_ENT_INDEX (Z_ENT=?)")
    )
  }

  /// Adds the log line of a checkpoint to each save, as Core Data does for large files.
  func writeUpkeep() {
    lines = lines.flatMap { line -> [(thread: Int, text: String)] in
      guard line.text.hasSuffix("sql: COMMIT") else { return [line] }
      return [
        line, (line.thread, "CoreData: annotation: PostSaveMaintenance: wal_checkpoint(TRUNCATE)"),
      ]
    }
  }
}

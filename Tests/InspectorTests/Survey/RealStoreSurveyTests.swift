import Foundation
import PersistentStore
import SQLite
import Testing

@testable import Inspector

@Suite(.enabled(if: RealStores.isAvailable, "STOREBENCH_REAL_STORES is not set"))
struct RealStoreSurveyTests {
  @Test(arguments: RealStores.all)
  func `a real store is surveyed, or refused for the right reason`(store: StoreFile) throws {
    let before = try FolderFingerprint(of: store.folder)
    defer {
      let after = try? FolderFingerprint(of: store.folder)
      #expect(after == before)
    }
    guard store.name != "NotesV7.storedata" else {
      let error = #expect(throws: PersistentStoreError.self) {
        try StoreSurveyor(store).survey()
      }
      #expect(error?.description.contains("its -wal is not in the same folder") == true)
      return
    }
    let survey = try StoreSurveyor(store).survey()
    #expect(!survey.rules.contains("noModel"))
    #expect(survey.metadata.missingForOpening.isEmpty)
    #expect(survey.unknownInModel.isEmpty)
    #expect(!survey.rules.contains("unreadable"))
    try expectCounts(of: survey, store)
  }

  /// Opens a store; without a -wal file, as immutable, because SQLite would create an empty -wal.
  private static func connection(to store: StoreFile) throws -> Connection {
    let hasLog = FileManager.default.fileExists(atPath: store.path + "-wal")
    return try Connection(path: store.path, mode: hasLog ? .detached : .immutable, settings: nil)
  }

  /// Checks the survey's counts for each table and entity with plain SQL.
  private func expectCounts(of survey: StoreSurvey, _ store: StoreFile) throws {
    let connection = try Self.connection(to: store)
    for entity in survey.entities {
      let count = try connection.integer(
        "SELECT count(*) FROM \"\(entity.table)\" WHERE Z_ENT = \(entity.number)"
      )
      #expect(entity.count == count, "\(entity.name)")
    }
    for table in Set(survey.entities.map(\.table)).sorted() {
      let rows = try connection.integer("SELECT count(*) FROM \"\(table)\"")
      let sum = survey.entities.filter { $0.table == table }.reduce(0) { $0 + $1.count }
      #expect(sum == rows, "\(table)")
    }
  }

  @Test(arguments: RealStores.all.filter { $0.name != "NotesV7.storedata" })
  func `shares of null and different values are those of plain SQL`(store: StoreFile) throws {
    let survey = try StoreSurveyor(store).survey()
    let connection = try Self.connection(to: store)
    for entity in survey.entities where entity.superentity == nil {
      for attribute in entity.attributes {
        guard let column = attribute.column else { continue }
        let nulls = try connection.integer(
          "SELECT count(*) FROM \"\(entity.table)\" WHERE \"\(column)\" IS NULL"
        )
        #expect(Int64(attribute.nulls) == nulls, "\(entity.name).\(attribute.name)")
        guard let distinct = attribute.distinct, attribute.isDistinctExact else { continue }
        let different = try connection.integer(
          "SELECT count(DISTINCT \"\(column)\") FROM \"\(entity.table)\""
        )
        #expect(Int64(distinct) == different, "\(entity.name).\(attribute.name)")
      }
    }
  }
}

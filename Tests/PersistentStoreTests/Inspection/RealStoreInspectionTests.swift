import DataModel
import PersistentStore
import SQLite
import TestSupport
import Testing

/// Tests stores of Apple's frameworks in the folder that STOREBENCH_REAL_STORES names.
@Suite(.enabled(if: RealStores.isAvailable, "STOREBENCH_REAL_STORES is not set"))
struct RealStoreInspectionTests {
  /// A copy of a store and its WAL, with the layout of its own model cache.
  private func copy(_ name: String) throws -> (TemporaryFolder, StoreFile, StoreLayout) {
    let target = try TemporaryFolder()
    let store = StoreFile(path: try RealStores.copy(name, into: target))
    let connection = try Connection(path: store.path, mode: .readOnly, settings: nil)
    let tables = try connection.integer(
      "SELECT count(*) FROM sqlite_schema WHERE name = 'ATRANSACTION'"
    )
    let model = try ModelCache.read(from: connection, path: store.path)
    return (target, store, StoreLayout(model: model, keepsHistory: tables == 1))
  }

  @Test(arguments: RealStores.freshStores.filter { !$0.hasPrefix("notes") })
  func `keep every rule`(_ name: String) throws {
    let (folder, store, layout) = try copy(name)
    try withExtendedLifetime(folder) {
      #expect(try StoreAudit(store: store, layout: layout).findings() == [])
      let content = try StoreContent(store: store, layout: layout)
      #expect(try !content.digest().parts.isEmpty)
      #expect(try !content.digest(.content).parts.isEmpty)
      #expect(
        try StoreInspection(store: store, layout: layout)
          .problems(expecting: ExpectedContent(from: content)) == []
      )
    }
  }

  @Test func `may leave one side of a one-to-one empty, which is tolerated`() throws {
    let (folder, store, layout) = try copy("notes/NoteStore.sqlite")
    try withExtendedLifetime(folder) {
      #expect(
        try StoreAudit(store: store, layout: layout).findings().map(\.rule)
          == [.disagreeingInverse]
      )
      let content = try StoreContent(store: store, layout: layout)
      var inspection = StoreInspection(store: store, layout: layout)
      #expect(try inspection.problems(expecting: ExpectedContent(from: content)) == [])
      inspection.toleratesOldFaults = false
      #expect(try inspection.problems(expecting: ExpectedContent(from: content)).count == 1)
    }
  }
}

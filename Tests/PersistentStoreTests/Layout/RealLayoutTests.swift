import DataModel
import PersistentStore
import SQLite
import TestSupport
import Testing

@Suite(.enabled(if: RealStores.isAvailable, "STOREBENCH_REAL_STORES is not set"))
struct RealLayoutTests {
  @Test(arguments: RealStores.freshStores)
  func `reproduces the statements of a real store from the model it carries`(name: String) throws {
    let folder = try TemporaryFolder()
    let path = try RealStores.copy(name, into: folder)
    let store = try PersistentStore.open(StoreFile(path: path))
    let statement = try store.connection.prepare(
      "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid"
    )
    var actual: [String] = []
    while try statement.step() { actual.append(statement.text(at: 0)) }
    let expected = store.layout.definitions
    for sql in expected where !actual.contains(sql) { Issue.record("not in the file: \(sql)") }
    for sql in actual where !expected.contains(sql) { Issue.record("not expected: \(sql)") }
    #expect(expected == actual)
  }

  @Test(arguments: RealStores.freshStores)
  func `numbers the entities as a real store does`(name: String) throws {
    let folder = try TemporaryFolder()
    let path = try RealStores.copy(name, into: folder)
    let store = try PersistentStore.open(StoreFile(path: path))
    let statement = try store.connection.prepare(
      "SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT < 16000 ORDER BY Z_ENT"
    )
    var names: [String] = []
    while try statement.step() { names.append(statement.text(at: 1)) }
    #expect(store.layout.numbers.entities.map(\.name) == names)
  }

  @Test(arguments: RealStores.freshStores)
  func `metadata read and written again are equal`(name: String) throws {
    let folder = try TemporaryFolder()
    let path = try RealStores.copy(name, into: folder)
    let store = try PersistentStore.open(StoreFile(path: path))
    let metadata = try StoreMetadata(from: store.connection, path: path)
    let statement = try store.connection.prepare("SELECT Z_PLIST FROM Z_METADATA")
    #expect(try statement.step())
    #expect(metadata.propertyList == (try PropertyList(binary: statement.blob(at: 0))))
  }
}

import DataModel
import PersistentStore
import SQLite
import Testing

/// A change of a model for tests of migrations, with a description.
struct NextVersion: CustomTestStringConvertible {
  let name: String
  let change: @Sendable (inout [Entity]) -> Void

  init(_ name: String, _ change: @escaping @Sendable (inout [Entity]) -> Void) {
    self.name = name
    self.change = change
  }

  var testDescription: String { name }

  func model(after model: Model) -> Model {
    var entities = model.entities
    change(&entities)
    return Model(entities: entities, versionIdentifiers: ["2.0.0"])
  }
}

extension [Entity] {
  /// Changes the entity with the given name.
  mutating func change(_ name: String, _ body: (inout Entity) -> Void) {
    for index in indices where self[index].name == name { body(&self[index]) }
  }
}

extension [Attribute] {
  mutating func change(_ name: String, _ body: (inout Attribute) -> Void) {
    for index in indices where self[index].name == name { body(&self[index]) }
  }
}

extension [Relationship] {
  mutating func change(_ name: String, _ body: (inout Relationship) -> Void) {
    for index in indices where self[index].name == name { body(&self[index]) }
  }
}

extension SampleStore {
  /// A store with the sample objects that keeps no history.
  static func withoutHistory() throws -> SampleStore {
    let store = try SampleStore(keepsHistory: false)
    try store.fill()
    try store.finish()
    return store
  }

  /// Migrates the store and closes the connection.
  func migrate(
    to model: Model,
    _ shape: LightweightMigration.Shape,
    onPrepare: ((String) -> Void)? = nil
  ) throws -> StoreLayout {
    let migration = try LightweightMigration(from: layout, to: model, shape: shape)
    let connection = try Connection(path: file.path)
    connection.onPrepare = onPrepare
    try migration.run(on: connection, path: file.path)
    connection.onPrepare = nil
    let left = DeferredCleanUp(try PersistentStore.open(file))
    while try left.finishTask() {}
    try connection.checkpoint()
    return migration.destination
  }

  /// The statements in sqlite_master; SQLite's automatic indexes have none.
  func definitions() throws -> [String] {
    let connection = try Connection(path: file.path, mode: .readOnly, settings: nil)
    let statement = try connection.prepare("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
    var lines: [String] = []
    while try statement.step() { lines.append(statement.text(at: 0)) }
    return lines
  }

  /// All values of a query's rows as text.
  func rows(_ sql: String) throws -> [[String]] {
    let connection = try Connection(path: file.path, mode: .readOnly, settings: nil)
    let statement = try connection.prepare(sql)
    var rows: [[String]] = []
    while try statement.step() {
      rows.append((0..<statement.columnCount).map { statement.text(at: $0) })
    }
    return rows
  }
}

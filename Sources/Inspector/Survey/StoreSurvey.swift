import DataModel
import PersistentStore
import SQLite

/// Everything that an inspection says of one store.
package struct StoreSurvey: Encodable, Equatable, Sendable {
  package var path: String
  package var entities: [String: Int64]
  package var findings: [String]
}

extension StoreSurvey {
  package init(of store: StoreFile) throws {
    guard store.exists else { throw PersistentStoreError.missing(path: store.path) }
    let connection = try Connection(path: store.path, mode: .detached, settings: nil)
    try connection.distrustSchema()
    let model = try ModelCache.read(from: connection, path: store.path)
    let layout = StoreLayout(
      model: model,
      keepsHistory: try connection.integer(
        "SELECT 1 FROM sqlite_schema WHERE name = 'ATRANSACTION'"
      ) != nil
    )
    path = store.path
    entities = [:]
    for table in layout.tables {
      entities[table.root] = try connection.integer("SELECT count(*) FROM \(table.name)") ?? 0
    }
    findings = try StoreAudit(store: store, layout: layout).findings().map(\.description)
  }
}

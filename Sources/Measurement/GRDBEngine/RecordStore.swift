import DataModel
import GRDB
import PersistentStore
import SQLite

/// A store that GRDB has open, for reading its objects as records.
package final class RecordStore {
  private let queue: DatabaseQueue
  private let layout: StoreLayout

  /// Opens a store for reading only, with the pragmas of the settings.
  ///
  /// - Throws: GRDB's `DatabaseError` where it cannot be opened.
  package init(file: StoreFile, layout: StoreLayout, settings: ConnectionSettings) throws {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.prepareDatabase { database in
      for (name, value) in settings.pragmas
      where !ConnectionSettings.fileProperties.contains(name) {
        try database.execute(sql: "PRAGMA \(name)=\(value)")
      }
    }
    queue = try DatabaseQueue(path: file.path, configuration: configuration)
    self.layout = layout
  }

  /// Whether a record type has the entity's attributes.
  package static func hasRecords(of entity: Entity) -> Bool {
    RecordTypes.type(for: entity) != nil
  }

  /// What reads an entity's records; `nil` where no record type has the entity's attributes.
  package func reader(of entity: Entity, _ condition: RecordCondition) throws -> RecordReader? {
    guard let type = RecordTypes.type(for: entity) else { return nil }
    return try reader(of: type, condition)
  }

  private func reader<Record: StoreRecord>(
    of type: Record.Type,
    _ condition: RecordCondition
  ) throws -> RecordReader {
    try RecordReader(
      type: type,
      queue: queue,
      request: condition.request(of: type, layout: layout)
    )
  }
}

import DataModel
import PersistentStore
import SQLite

/// The entity whose objects are deleted.
struct CascadeRoot {
  let entity: String
  let table: String
  private let entities: [Int]

  /// - Throws: ``CascadeDeleteError/unknownEntity(_:known:)``.
  init(named name: String, in layout: StoreLayout) throws {
    let model = layout.model
    guard let chosen = model.entity(named: name), let table = layout.table(of: chosen.name) else {
      throw CascadeDeleteError.unknownEntity(name, known: model.entities.map(\.name))
    }
    entity = chosen.name
    self.table = table.name
    entities = model.family(of: chosen).compactMap { layout.numbers[$0.name] }
  }

  /// The keys of the entity's objects, in order.
  func keys(_ connection: Connection) throws -> [Int64] {
    let list = entities.map(String.init).joined(separator: ", ")
    let statement = try connection.prepare(
      "SELECT Z_PK FROM \(table) WHERE Z_ENT IN (\(list)) ORDER BY Z_PK"
    )
    var keys: [Int64] = []
    while try statement.step() { keys.append(statement.integer(at: 0)) }
    guard !keys.isEmpty else { throw CascadeDeleteError.noObjects(entity: entity) }
    return keys
  }
}

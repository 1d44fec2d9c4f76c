import DataModel
import PersistentStore
import SQLite

/// The entity whose objects are deleted.
struct CascadeRoot {
  let entity: String
  let table: String
  private let entities: [Int]

  /// Chooses the entity where the name is empty: the one with the longest chain of cascades.
  ///
  /// - Throws: ``CascadeDeleteError``
  init(named name: String, in layout: StoreLayout, _ graph: CascadeGraph) throws {
    let model = layout.model
    let chosen = name.isEmpty ? Self.longest(layout, graph) : model.entity(named: name)
    guard let chosen, let table = layout.table(of: chosen.name) else {
      guard name.isEmpty else {
        throw CascadeDeleteError.unknownEntity(name, known: model.entities.map(\.name))
      }
      throw CascadeDeleteError.noCascade
    }
    entity = chosen.name
    self.table = table.name
    entities = model.family(of: chosen).compactMap { layout.numbers[$0.name] }
  }

  private static func longest(_ layout: StoreLayout, _ graph: CascadeGraph) -> Entity? {
    var best: (entity: Entity, length: Int)?
    for entity in layout.numbers.entities {
      guard let table = layout.table(of: entity.name)?.name,
        graph.edges.contains(where: { $0.name.hasPrefix(entity.name + ".") && $0.rule == .cascade })
      else { continue }
      let length = graph.depth(from: table)
      if length > best?.length ?? 0 { best = (entity, length) }
    }
    return best?.entity
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

extension CascadeGraph {
  /// Cascades one after the other from a table to the farthest one; a table counts once.
  fileprivate func depth(from table: String) -> Int {
    var (depth, level, seen) = (0, [table], Set([table]))
    while true {
      let next = edges(.cascade, from: level).map(\.target).filter { seen.insert($0).inserted }
      guard !next.isEmpty else { return depth }
      depth += 1
      level = next
    }
  }
}

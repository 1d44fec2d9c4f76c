import DataModel
import PersistentStore
import Runner
import SQLite

extension ExpectedStore {
  /// Removes the objects of a deletion from the expected store, and applies the delete rules to the
  /// remaining objects.
  ///
  /// - Returns: The keys of the rows that lost a reference, by table.
  func remove(_ closure: DeletionClosure) throws -> [String: Set<Int64>] {
    var touched: [String: Set<Int64>] = [:]
    let model = layout.model
    func empty(_ table: String, _ column: String, _ others: [String], _ key: Int64) throws {
      let rows = try read("SELECT Z_PK FROM \(table) WHERE \(column) = ?1", .integer(key))
      guard !rows.isEmpty else { return }
      touched[table, default: []].formUnion(rows.compactMap { $0[0].integer })
      let sets = ([column] + others).map { "\($0) = NULL" }.joined(separator: ", ")
      try change("UPDATE \(table) SET \(sets) WHERE \(column) = ?1", .integer(key))
    }
    for entity in model.entities {
      guard let root = layout.table(of: entity.name)?.root, let keys = closure.removed[root] else {
        continue
      }
      for relationship in entity.relationships where !relationship.isTransient {
        let back = model.inverse(of: relationship).flatMap {
          layout.storage(of: $0.name, in: relationship.destination)
        }
        for key in keys.sorted() {
          switch (layout.storage(of: relationship.name, in: entity.name), back) {
          case (.join(let table, let side), _) where relationship.deleteRule != .noAction:
            try change("DELETE FROM \(table) WHERE \(side.ownColumn) = ?1", .integer(key))
          case (.inverseForeignKey(let table, let column, let order), let back)
          where relationship.deleteRule == .nullify:
            var others = [order].compactMap(\.self)
            if case .foreignKey(_, let number?, _)? = back { others.append(number) }
            try empty(table, column, others, key)
          case (.foreignKey, .foreignKey(let column, let number, let order)?)
          where relationship.deleteRule == .nullify:
            guard let table = layout.table(of: relationship.destination)?.name else { continue }
            try empty(table, column, [number, order].compactMap(\.self), key)
          default: continue
          }
        }
      }
    }
    for (root, keys) in closure.removed {
      guard let table = layout.table(of: root)?.name else { continue }
      for key in keys { try change("DELETE FROM \(table) WHERE Z_PK = ?1", .integer(key)) }
    }
    return touched
  }
}

import Basics
import DataModel
import PersistentStore
import Runner
import SQLite

/// A row that a deletion has left in a state in which the next save fails.
struct SaveObstacle {
  let table: String
  let key: Int64
  /// The column that must not be empty at the save; `nil` if the row must be gone.
  var column: String?
  let reason: String

  /// Whether the row is still in the state in which a save fails.
  func exists(in expected: ExpectedStore) throws -> Bool {
    let condition = column.map { " AND \($0) IS NULL" } ?? ""
    let sql = "SELECT 1 FROM \(table) WHERE Z_PK = ?1\(condition)"
    return try !expected.read(sql, .integer(key)).isEmpty
  }

  func refusal(of step: Step) -> Refusal {
    Refusal(.caseFailed, "\(step.placedWords): \(reason)")
  }

  /// The objects that deny a deletion unless they are deleted before the save.
  static func denials(of closure: DeletionClosure) throws -> [SaveObstacle] {
    try closure.denials.flatMap { denial -> [SaveObstacle] in
      let (table, keys) = try closure.remaining(of: denial)
      let reason =
        "the delete rule of \(denial.object.entity).\(denial.relationship) is deny, and objects "
        + "are there: delete them before the save, or choose objects without any"
      return keys.map { SaveObstacle(table: table, key: $0, reason: reason) }
    }
  }
}

extension ExpectedStore {
  /// Removes the objects of a deletion from the expected store, and applies the delete rules to the
  /// remaining objects.
  ///
  /// - Returns: The keys of the rows that lost a reference, by table, and an obstacle for each row
  ///   that lost a mandatory reference.
  func remove(
    _ closure: DeletionClosure
  ) throws -> (touched: [String: Set<Int64>], obstacles: [SaveObstacle]) {
    var touched: [String: Set<Int64>] = [:]
    var obstacles: [SaveObstacle] = []
    let model = layout.model
    for entity in model.entities {
      guard let root = layout.table(of: entity.name)?.root, let keys = closure.removed[root] else {
        continue
      }
      for relationship in entity.relationships where !relationship.isTransient {
        let inverse = model.inverse(of: relationship)
        let back = inverse.flatMap { layout.storage(of: $0.name, in: relationship.destination) }
        func empty(_ table: String, _ column: String, _ others: [String], _ key: Int64) throws {
          let sql = "SELECT Z_PK FROM \(table) WHERE \(column) = ?1"
          let rows = try read(sql, .integer(key)).compactMap { $0[0].integer }
          guard !rows.isEmpty else { return }
          touched[table, default: []].formUnion(rows)
          let sets = ([column] + others).map { "\($0) = NULL" }.joined(separator: ", ")
          try change("UPDATE \(table) SET \(sets) WHERE \(column) = ?1", .integer(key))
          guard let inverse, !inverse.isOptional else { return }
          let destination = relationship.destination
          let gone = layout.table(of: destination).flatMap { closure.removed[$0.root] } ?? []
          for row in rows where !gone.contains(row) {
            let reason =
              "\(destination) \(row) loses its '\(inverse.name)', which it must have, because "
              + "\(entity.name) \(key) is deleted: delete it before the save as well, or choose "
              + "other objects"
            obstacles.append(SaveObstacle(table: table, key: row, column: column, reason: reason))
          }
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
    return (touched, obstacles)
  }
}

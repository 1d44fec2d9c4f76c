import Basics
import DataModel
import SQLite

/// The objects that a deletion removes according to the model's delete rules, determined by SQL
/// queries on the original store.
///
/// ```swift
/// let closure = try DeletionClosure(of: "Project", keys: [3], in: original)
/// try expected.remove(closure)
/// ```
package struct DeletionClosure {
  /// A relationship that denies the deletion: its rule is deny, and it refers to an object that
  /// would remain.
  package struct Denial: Hashable, Sendable {
    package let object: ContentReference
    package let relationship: String
  }

  /// The keys of the removed objects, by the name of their root entity.
  package private(set) var removed: [String: Set<Int64>] = [:]
  /// The relationships that deny the deletion; empty if the deletion is allowed.
  package private(set) var denials: [Denial] = []

  private let content: StoreContent
  private var waiting: [ContentReference] = []
  private var denying: [Denial] = []

  /// Follows the cascade rules from the objects of an entity with the given keys.
  ///
  /// If `followsRules` is false, the closure contains only these objects.
  package init(
    of entity: String,
    keys: some Sequence<Int64>,
    in content: StoreContent,
    followsRules: Bool = true
  ) throws {
    self.content = content
    let table = try content.table(of: entity)
    for key in keys { try reach(key, in: table) }
    while followsRules, let object = waiting.popLast() { try follow(object) }
    for denial in denying where try !remaining(of: denial).keys.isEmpty { denials.append(denial) }
  }

  /// The number of removed objects.
  package var count: Int { removed.values.reduce(0) { $0 + $1.count } }

  private mutating func reach(_ key: Int64, in table: EntityTable) throws {
    guard !(removed[table.root]?.contains(key) ?? false) else { return }
    let number = try content.connection.cached(
      "SELECT Z_ENT FROM \(table.name.quotedName) WHERE Z_PK = ?1"
    )
    number.bind(key, at: 1)
    defer { number.reset() }
    // Ignore a dangling reference, because there is no object to remove.
    guard try number.step(),
      let entity = Int(exactly: number.integer(at: 0)).flatMap(content.layout.numbers.entity)
    else { return }
    removed[table.root, default: []].insert(key)
    waiting.append(ContentReference(entity: entity.name, key: key))
  }

  private mutating func follow(_ object: ContentReference) throws {
    guard let entity = content.layout.model.entity(named: object.entity) else { return }
    for relationship in content.layout.model.relationships(of: entity) {
      switch relationship.deleteRule {
      case .cascade:
        guard let table = content.layout.table(of: relationship.destination) else { continue }
        for key in try targets(of: relationship, from: object) { try reach(key, in: table) }
      case .deny: denying.append(Denial(object: object, relationship: relationship.name))
      case .nullify, .noAction: continue
      }
    }
  }

  /// Returns the table and the keys of the objects that a denying relationship refers to and that
  /// would remain.
  package func remaining(of denial: Denial) throws -> (table: String, keys: [Int64]) {
    guard let entity = content.layout.model.entity(named: denial.object.entity),
      let relationship = content.layout.model.relationships(of: entity)
        .first(where: { $0.name == denial.relationship }),
      let table = content.layout.table(of: relationship.destination)
    else { return ("", []) }
    let gone = removed[table.root] ?? []
    let keys = try targets(of: relationship, from: denial.object).filter { !gone.contains($0) }
    return (table.name, keys)
  }

  private func targets(
    of relationship: Relationship,
    from object: ContentReference
  ) throws -> [Int64] {
    let sql: String
    switch content.layout.storage(of: relationship.name, in: object.entity) {
    case .foreignKey(let column, _, _):
      let table = try content.table(of: object.entity).name.quotedName
      sql = "SELECT \(column.quotedName) FROM \(table) WHERE Z_PK = ?1"
    case .inverseForeignKey(let table, let column, _):
      sql = "SELECT Z_PK FROM \(table.quotedName) WHERE \(column.quotedName) = ?1"
    case .join(let table, let side):
      sql =
        "SELECT \(side.otherColumn.quotedName) FROM \(table.quotedName) "
        + "WHERE \(side.ownColumn.quotedName) = ?1"
    case nil: return []
    }
    let row = try content.connection.cached(sql)
    row.bind(object.key, at: 1)
    var keys: [Int64] = []
    while try row.step() {
      if !row.isNull(at: 0) { keys.append(row.integer(at: 0)) }
    }
    return keys
  }
}

extension ExpectedContent {
  /// Expects the objects of a deletion closure to be removed.
  package mutating func remove(_ closure: DeletionClosure) throws {
    for (root, keys) in closure.removed { try remove(root, keys: keys) }
  }
}

import Basics
import DataModel
import SQLite

/// The origin of a model's entities and properties in an earlier model.
///
/// They are matched by renaming identifier, or by name if they have none, as in an inferred
/// mapping.
struct Origin {
  private let entities: [String: String]
  private let successors: [String: String]
  private let new: Model
  private let old: Model

  init(of new: Model, in old: Model) {
    self.new = new
    self.old = old
    let olds = Dictionary(
      keepingFirst: old.entities.map { ($0.renamingIdentifier ?? $0.name, $0.name) }
    )
    entities = Dictionary(
      keepingFirst: new.entities.compactMap { entity in
        olds[entity.renamingIdentifier ?? entity.name].map { (entity.name, $0) }
      }
    )
    successors = Dictionary(keepingFirst: entities.map { ($1, $0) })
  }

  /// The entity's former name; `nil` for a new entity.
  func entity(_ name: String) -> String? { entities[name] }

  func successor(of name: String) -> String? { successors[name] }

  /// The former name of an entity's property; `nil` for a new property.
  func property(_ name: String, of entity: String) -> String? {
    guard let newEntity = new.entity(named: entity), let former = entities[entity],
      let oldEntity = old.entity(named: former)
    else { return nil }
    let identifier =
      new.attributes(of: newEntity).first { $0.name == name }.map { $0.renamingIdentifier ?? name }
      ?? new.relationships(of: newEntity).first { $0.name == name }
      .map { $0.renamingIdentifier ?? name }
    return old.attributes(of: oldEntity)
      .first { ($0.renamingIdentifier ?? $0.name) == identifier }?.name
      ?? old.relationships(of: oldEntity)
      .first { ($0.renamingIdentifier ?? $0.name) == identifier }?.name
  }

  /// Returns the former name of a to-one relationship, or `nil` if it is new.
  ///
  /// A relationship without a former name continues the to-one relationship that was the inverse of
  /// its current inverse.
  func toOne(_ name: String, of entity: String) -> String? {
    if let former = property(name, of: entity) { return former }
    guard let inverse = new.inverse(of: name, of: entity), inverse.relationship.isToMany,
      let toOne = formerToOne(of: inverse.relationship.name, of: inverse.entity),
      let former = entities[entity].flatMap(old.entity(named:)),
      old.relationships(of: former).contains(toOne)
    else { return nil }
    return toOne.name
  }

  /// Returns the former name, `ENTITY.RELATIONSHIP`, of a new to-one relationship's inverse, or
  /// `nil` if the inverse is new too.
  ///
  /// Callers use it if the inverse was a to-many relationship without an inverse.
  func formerToMany(of toOne: String, of entity: String) -> String? {
    guard let inverse = new.inverse(of: toOne, of: entity), inverse.relationship.isToMany,
      let former = self.entity(inverse.entity),
      let name = property(inverse.relationship.name, of: inverse.entity),
      let declaring = old.entity(named: former).flatMap({ old.declarer(of: name, in: $0) })
    else { return nil }
    return "\(declaring.name).\(name)"
  }

  func formerToOne(of toMany: String, of entity: String) -> Relationship? {
    guard let former = self.entity(entity), let name = property(toMany, of: entity),
      old.isToMany(name, of: former), let inverse = old.inverse(of: name, of: former),
      !inverse.relationship.isToMany
    else { return nil }
    return inverse.relationship
  }

  func joinTable(of side: JoinTable.Side, in layout: StoreLayout) -> (JoinTable, JoinTable.Side)? {
    guard let former = entity(side.entity), let name = property(side.relationship, of: side.entity),
      let described = old.entity(named: former),
      let declaring = old.declarer(of: name, in: described)?.name
    else { return nil }
    return layout.joinTables.lazy.compactMap { table in
      table.side(of: name, declaredBy: declaring).map { (table, $0) }
    }.first
  }
}

extension Model {
  fileprivate func isToMany(_ name: String, of entity: String) -> Bool {
    self.entity(named: entity).map(relationships)?.first { $0.name == name }?.isToMany ?? false
  }

  fileprivate func inverse(
    of name: String,
    of entity: String
  ) -> (relationship: Relationship, entity: String)? {
    guard let described = self.entity(named: entity),
      let relationship = relationships(of: described).first(where: { $0.name == name }),
      let inverse = inverse(of: relationship)
    else { return nil }
    return (inverse, relationship.destination)
  }
}

/// The pairs of a many-to-many relationship that the earlier model stored as a foreign key.
///
/// If a side has become ordered, its objects are sorted by key, with the positions 2048, 3072, 4096
/// and so on.
struct FormerKeys {
  let first: String
  let second: String
  let sql: String

  init?(of table: JoinTable, origin: Origin, layout: StoreLayout) {
    let first = table.firstSide
    let second = first == table.master ? table.slave : table.master
    guard let formerFirst = origin.entity(first.entity),
      let formerSecond = origin.entity(second.entity)
    else { return nil }
    let keys: Keys
    if let own = Keys.columns(of: first, origin: origin, layout: layout) {
      keys = own
    } else if let other = Keys.columns(of: second, origin: origin, layout: layout) {
      keys = other.reversed
    } else {
      return nil
    }
    self.first = formerFirst
    self.second = formerSecond
    let (left, right) = (keys.own.quotedColumn, keys.other.quotedColumn)
    let orders = [
      Self.order(keys.ownOrder, isKept: first.orderColumn != nil, of: right, in: left),
      Self.order(keys.otherOrder, isKept: second.orderColumn != nil, of: left, in: right),
    ]
    sql =
      "SELECT \(left), \(right), \(orders.joined(separator: ", ")) FROM \(keys.table.quotedName) "
      + "AS t NOT INDEXED WHERE \(left) IS NOT NULL AND \(right) IS NOT NULL ORDER BY 1, 2"
  }

  private static func order(
    _ column: String?,
    isKept: Bool,
    of item: String,
    in list: String
  ) -> String {
    guard isKept else { return "NULL" }
    return column?.quotedColumn
      ?? "1024 + 1024 * row_number() OVER (PARTITION BY \(list) ORDER BY \(item))"
  }

  struct Keys {
    var table: String
    var own: String
    var other: String
    var ownOrder: String?
    var otherOrder: String?

    var reversed: Keys {
      Keys(table: table, own: other, other: own, ownOrder: otherOrder, otherOrder: ownOrder)
    }

    static func columns(of side: JoinTable.Side, origin: Origin, layout: StoreLayout) -> Keys? {
      guard let entity = origin.entity(side.entity),
        let name = origin.property(side.relationship, of: side.entity),
        let table = layout.table(of: entity)?.name
      else { return nil }
      switch layout.storage(of: name, in: entity) {
      case .foreignKey(let column, _, let order):
        return Keys(table: table, own: "Z_PK", other: column, ownOrder: nil, otherOrder: order)
      case .inverseForeignKey(let table, let column, let order):
        return Keys(table: table, own: column, other: "Z_PK", ownOrder: order, otherOrder: nil)
      case .join, nil: return nil
      }
    }
  }
}

import Basics

/// The tables and columns in which Core Data stores a model's properties, derived independently for
/// verification.
///
/// The code follows only the description of the format (coredata-format.md, sections 3 to 5). It
/// shares no code with the layout that writes stores, so an error in either shows as a difference.
package struct ExpectedPlaces {
  /// The table of a root entity, with its columns after Z_PK, Z_ENT and Z_OPT.
  package struct Table: Hashable, Sendable {
    package var name: String
    /// The columns' names and declared types, in table order.
    package var columns: [String]
  }

  /// The number of each entity, Z_ENT, by entity name.
  package let numbers: [String: Int]
  /// The tables in the order of their root entities' numbers.
  package let tables: [Table]
  /// The columns of each property, inherited ones included, by "Entity.property": `ZTASK.ZTITLE`,
  /// `ZTASK.ZPROJECT Z3_PROJECT Z_FOK_PROJECT`, `Z_2TAGS(Z_2TASKS, Z_3TAGS)`.
  package let homes: [String: String]
  /// The indexes that Core Data has created since iOS 12 for relationships and unique constraints:
  /// `ZTASK(ZPROJECT)`, `UNIQUE ZTASK(ZID)`.
  package let indexes: Set<String>

  /// Derives the tables and columns of a model.
  ///
  /// A join table may be named after either side; the name that occurs in `joinTables`, the store's
  /// actual tables, is used.
  package init(of model: Model, joinTables: Set<String>) {
    let tree = EntityTree(model)
    var homes: [String: String] = [:]
    var tables: [Table] = []
    var keys: [String: KeyColumns] = [:]
    for root in tree.roots {
      let slots = Slot.all(ofTable: root, in: tree)
      let table = "Z" + root.name.uppercased()
      tables.append(Table(name: table, columns: slots.map { "\($0.column) \($0.type)" }))
      for slot in slots {
        switch slot.part {
        case .value: homes["\(slot.owner).\(slot.property)"] = "\(table).\(slot.column)"
        case .key, .number, .order:
          keys["\(slot.owner).\(slot.property)", default: KeyColumns(table: table)].add(slot)
        case .lone: homes["\(slot.source).\(slot.property)"] = "\(table).\(slot.column)"
        }
      }
    }
    for (name, columns) in keys { homes[name] = columns.text }
    for (name, home) in Self.toManys(tree, keys) { homes[name] = home }
    for (name, home) in JoinNames(tree, existing: joinTables).homes { homes[name] = home }
    numbers = tree.numbers
    self.tables = tables
    self.homes = Self.inherited(homes, tree)
    indexes = Self.indexes(tree, keys, self.homes)
  }

  private static func indexes(
    _ tree: EntityTree,
    _ keys: [String: KeyColumns],
    _ homes: [String: String]
  ) -> Set<String> {
    var indexes = Set(keys.values.map { "\($0.table)(\($0.key))" })
    for entity in tree.ordered {
      let table = "Z" + (tree.line(of: entity).first?.name ?? "").uppercased()
      for relationship in entity.relationships where relationship.isToMany {
        guard let home = homes["\(entity.name).\(relationship.name)"] else { continue }
        if relationship.inverse == nil, let dot = home.firstIndex(of: ".") {
          indexes.insert("\(home[..<dot])(\(home[dot...].dropFirst()))")
        }
      }
      for constraint in entity.uniquenessConstraints {
        let columns = constraint.compactMap { property -> String? in
          let isToMany = tree.line(of: entity).flatMap(\.relationships).contains {
            $0.name == property && $0.isToMany
          }
          guard !isToMany else { return nil }
          // For a to-one relationship, a constraint covers only the key column.
          return homes["\(entity.name).\(property)"]?.split(separator: " ").first?
            .split(separator: ".").last.map(String.init)
        }
        guard !columns.isEmpty, columns.count == constraint.count else { continue }
        indexes.insert("UNIQUE \(table)(\(columns.joined(separator: ", ")))")
      }
    }
    return indexes
  }

  private static func toManys(
    _ tree: EntityTree,
    _ keys: [String: KeyColumns]
  ) -> [(String, String)] {
    tree.ordered.flatMap { entity in
      entity.relationships.compactMap { relationship -> (String, String)? in
        guard relationship.isToMany, !relationship.isTransient,
          let other = tree.partner(of: relationship), !other.relationship.isToMany,
          let columns = keys["\(other.owner.name).\(other.relationship.name)"]
        else { return nil }
        return ("\(entity.name).\(relationship.name)", columns.seenFromToMany)
      }
    }
  }

  private static func inherited(_ homes: [String: String], _ tree: EntityTree) -> [String: String] {
    var all: [String: String] = [:]
    for entity in tree.ordered {
      // A property that a super-entity also declares counts as the super-entity's.
      for above in tree.line(of: entity) {
        for name in above.attributes.map(\.name) + above.relationships.map(\.name) {
          let key = "\(entity.name).\(name)"
          if all[key] == nil, let home = homes["\(above.name).\(name)"] { all[key] = home }
        }
      }
    }
    return all
  }
}

private struct KeyColumns {
  let table: String
  var key = ""
  var number = ""
  var order = ""

  mutating func add(_ slot: Slot) {
    switch slot.part {
    case .key: key = slot.column
    case .number: number = slot.column
    case .order: order = slot.column
    case .value, .lone: break
    }
  }

  var text: String { Self.joined("\(table).\(key)", number, order) }
  var seenFromToMany: String { Self.joined("\(table).\(key)", order) }

  private static func joined(_ parts: String...) -> String {
    parts.filter { !$0.isEmpty }.joined(separator: " ")
  }
}

/// The entities of a model in the order of their numbers: root entities by name,
/// case-insensitively, each followed by its sub-entities, depth first.
struct EntityTree {
  let ordered: [Entity]
  let numbers: [String: Int]
  private let byName: [String: Entity]
  private let below: [String: [Entity]]

  init(_ model: Model) {
    let sorted = model.entities.sorted {
      let (left, right) = ($0.name.lowercased(), $1.name.lowercased())
      return left == right
        ? Array($0.name.utf8).lexicographicallyPrecedes($1.name.utf8) : left < right
    }
    below = Dictionary(grouping: sorted.filter { $0.superentity != nil }) { $0.superentity ?? "" }
    byName = Dictionary(keepingFirst: sorted.map { ($0.name, $0) })
    var stack = Array(sorted.filter { $0.superentity == nil }.reversed())
    var order: [Entity] = []
    var numbers: [String: Int] = [:]
    while let entity = stack.popLast() {
      guard numbers[entity.name] == nil else { continue }
      order.append(entity)
      numbers[entity.name] = order.count
      stack += (below[entity.name] ?? []).reversed()
    }
    ordered = order
    self.numbers = numbers
  }

  var roots: [Entity] { ordered.filter { $0.superentity == nil } }

  func hasSubentities(_ name: String) -> Bool { below[name]?.isEmpty == false }

  func members(of root: Entity) -> [Entity] {
    ordered.filter { line(of: $0).first?.name == root.name }
  }

  func line(of entity: Entity) -> [Entity] {
    var line = [entity]
    while let name = line.last?.superentity, let above = byName[name], line.count <= byName.count {
      line.append(above)
    }
    return line.reversed()
  }

  func partner(of relationship: Relationship) -> (owner: Entity, relationship: Relationship)? {
    guard let name = relationship.inverse, let target = byName[relationship.destination] else {
      return nil
    }
    for entity in line(of: target) {
      if let found = entity.relationships.first(where: { $0.name == name }) {
        return (entity, found)
      }
    }
    return nil
  }
}

extension EntityTree {
  static func isBefore(_ first: String, _ second: String) -> Bool {
    Array(first.utf8).lexicographicallyPrecedes(Array(second.utf8))
  }
}

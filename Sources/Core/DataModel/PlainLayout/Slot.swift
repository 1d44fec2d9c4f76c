struct Slot {
  enum Part {
    case value
    /// The key of a to-one relationship's target.
    case key
    /// The number of the target's entity.
    case number
    /// The target's position in the ordered to-many inverse.
    case order
    /// The key of the source object of a to-many relationship that has no inverse.
    case lone
  }

  /// The sort key of columns, with the most significant component first.
  private typealias Rank = (group: Int, entity: Int, kind: Int, name: String, part: Int)

  private(set) var column: String
  let type: String
  let part: Part
  let owner: String
  var source = ""
  let property: String
  private let rank: Rank

  static func all(ofTable root: Entity, in tree: EntityTree) -> [Slot] {
    let members = tree.members(of: root)
    var slots: [Slot] = []
    for (index, entity) in members.enumerated() {
      slots += entity.attributes.compactMap { value($0, of: entity, at: index) }
      for relationship in entity.relationships
      where !relationship.isToMany && !relationship.isTransient {
        slots += toOne(relationship, of: entity, at: index, tree)
      }
    }
    slots += loneKeys(into: members, of: root, tree)
    slots.sort { isBefore($0.rank, $1.rank) }
    var seen: [String: Int] = [:]
    for index in slots.indices {
      let name = slots[index].column
      let count = seen[name] ?? 0
      seen[name] = count + 1
      if count > 0 { slots[index].column = "\(name)\(count)" }
    }
    return slots
  }

  private static func isBefore(_ first: Rank, _ second: Rank) -> Bool {
    if first.group != second.group { return first.group < second.group }
    if first.entity != second.entity { return first.entity < second.entity }
    if first.kind != second.kind { return first.kind < second.kind }
    if first.name != second.name { return EntityTree.isBefore(first.name, second.name) }
    return first.part < second.part
  }

  private static func value(_ attribute: Attribute, of entity: Entity, at index: Int) -> Slot? {
    guard !attribute.isTransient else { return nil }
    let (type, group): (String, Int) =
      switch attribute.type {
      case .integer16, .integer32, .integer64, .boolean: ("INTEGER", 1)
      case .double, .float: ("FLOAT", 10)
      case .date: ("TIMESTAMP", 10)
      case .decimal: ("DECIMAL", 11)
      case .string: ("VARCHAR", 12)
      case .uri: ("VARCHAR", 13)
      case .uuid: ("BLOB", 14)
      case .transformable: ("BLOB", 15)
      case .binary: ("BLOB", 16)
      case .undefined, .objectID, .composite: ("BLOB", 17)
      }
    return Slot(
      column: "Z" + attribute.name.uppercased(),
      type: type,
      part: .value,
      owner: entity.name,
      property: attribute.name,
      rank: (group, index, 0, attribute.name, 0)
    )
  }

  private static func toOne(
    _ relationship: Relationship,
    of entity: Entity,
    at index: Int,
    _ tree: EntityTree
  ) -> [Slot] {
    let name = relationship.name
    func slot(_ column: String, _ part: Part, _ rank: Rank) -> Slot {
      Slot(
        column: column,
        type: "INTEGER",
        part: part,
        owner: entity.name,
        property: name,
        rank: rank
      )
    }
    var slots = [slot("Z" + name.uppercased(), .key, (1, index, 1, name, 0))]
    if tree.hasSubentities(relationship.destination),
      let number = tree.numbers[relationship.destination]
    {
      slots.append(slot("Z\(number)_\(name.uppercased())", .number, (1, index, 1, name, 1)))
    }
    if tree.partner(of: relationship)?.relationship.isOrdered == true {
      slots.append(slot("Z_FOK_" + name.uppercased(), .order, (3, index, 0, name, 0)))
    }
    return slots
  }

  private static func loneKeys(
    into members: [Entity],
    of root: Entity,
    _ tree: EntityTree
  ) -> [Slot] {
    let names = Set(members.map(\.name))
    return tree.ordered.enumerated().flatMap { index, source in
      source.relationships.filter {
        $0.isToMany && !$0.isTransient && $0.inverse == nil && names.contains($0.destination)
      }.map { relationship in
        Slot(
          column: "Z\(index + 1)\(relationship.name.uppercased())",
          type: "INTEGER",
          part: .lone,
          owner: root.name,
          source: source.name,
          property: relationship.name,
          rank: (2, index, 0, relationship.name, 0)
        )
      }
    }
  }
}

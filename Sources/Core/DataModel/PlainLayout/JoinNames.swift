struct JoinNames {
  private struct Side {
    let entity: String
    let number: Int
    let relationship: Relationship
    let other: (entity: String, number: Int, relationship: Relationship)

    var isOwnInverse: Bool {
      entity == other.entity && relationship.name == other.relationship.name
    }
    var table: String { "Z_\(number)\(relationship.name.uppercased())" }
    var column: String { "Z_\(number)\(other.relationship.name.uppercased())" }
  }

  private let sides: [Side]
  private let tree: EntityTree
  private let existing: Set<String>

  init(_ tree: EntityTree, existing: Set<String>) {
    self.tree = tree
    self.existing = existing
    sides = tree.ordered.flatMap { entity in
      entity.relationships.sorted { EntityTree.isBefore($0.name, $1.name) }.compactMap {
        relationship -> Side? in
        guard relationship.isToMany, !relationship.isTransient,
          let partner = tree.partner(of: relationship), partner.relationship.isToMany,
          let number = tree.numbers[entity.name], let otherNumber = tree.numbers[partner.owner.name]
        else { return nil }
        return Side(
          entity: entity.name,
          number: number,
          relationship: relationship,
          other: (partner.owner.name, otherNumber, partner.relationship)
        )
      }
    }
  }

  /// The join table and columns of each relationship, keyed by "Entity.relationship".
  ///
  /// The string lists the column of the entity's own keys, that of the destination's keys and, for
  /// an ordered relationship, that of the positions.
  var homes: [(String, String)] {
    let columns = self.columns
    return sides.map { side in
      let own = columns["\(side.entity).\(side.relationship.name)"] ?? ""
      let other =
        side.isOwnInverse
        ? "REFLEXIVE" : columns["\(side.other.entity).\(side.other.relationship.name)"] ?? ""
      var names = [own, other]
      if side.relationship.isOrdered {
        // The position column is named after the key column that it orders.
        names.append("Z_FOK_" + (side.isOwnInverse ? other : String(other.dropFirst(2))))
      }
      let home = "\(table(of: side))(\(names.joined(separator: ", ")))"
      return ("\(side.entity).\(side.relationship.name)", home)
    }
  }

  private var columns: [String: String] {
    let sorted = sides.sorted { left, right in
      left.number == right.number
        ? EntityTree.isBefore(left.relationship.name, right.relationship.name)
        : left.number < right.number
    }
    var seen: [String: Int] = [:]
    var columns: [String: String] = [:]
    for side in sorted {
      let count = seen[side.column] ?? 0
      seen[side.column] = count + 1
      columns["\(side.entity).\(side.relationship.name)"] =
        side.column + (count > 0 ? String(count) : "")
    }
    return columns
  }

  private func table(of side: Side) -> String {
    let mirrored = "Z_\(side.other.number)\(side.other.relationship.name.uppercased())"
    let (isThere, mirroredIsThere) = (existing.contains(side.table), existing.contains(mirrored))
    if isThere != mirroredIsThere { return isThere ? side.table : mirrored }
    let (has, otherHas) = (tree.hasSubentities(side.entity), tree.hasSubentities(side.other.entity))
    if has != otherHas { return has ? side.table : mirrored }
    if side.number != side.other.number {
      return side.number < side.other.number ? side.table : mirrored
    }
    // If both sides belong to the same entity, use the side whose inverse sorts first.
    return EntityTree.isBefore(side.other.relationship.name, side.relationship.name)
      ? side.table : mirrored
  }
}

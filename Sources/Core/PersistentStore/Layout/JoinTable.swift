import Basics
import DataModel

/// The table of a many-to-many relationship (coredata-format.md, section 5).
package struct JoinTable: Hashable, Sendable {
  /// One of the table's two relationships, with the columns that it uses.
  package struct Side: Hashable, Sendable {
    /// The entity that declares the relationship.
    package let entity: String
    package let relationship: String
    /// The column for the key of the object that has the relationship.
    package let ownColumn: String
    /// The column for the key of the object that the relationship refers to.
    package let otherColumn: String
    /// The column for the position of the related object, if the relationship is ordered.
    package let orderColumn: String?
  }

  package let name: String
  /// The side whose key comes first in the table and in its primary key.
  package let master: Side
  /// The inverse of `master`, the relationship that gives the table its name, or `master` itself.
  package let slave: Side
  /// Whether the two keys form the primary key; false in some files of framework version 754 and
  /// earlier.
  package let hasKey: Bool
  /// Whether there is an index for lookups by the slave's key; false up to framework version 519.
  package let hasIndex: Bool

  /// The columns in the order of the table.
  package var columnNames: [String] {
    let orders = master == slave ? [master.orderColumn] : [slave.orderColumn, master.orderColumn]
    return [master.ownColumn, master.otherColumn] + orders.compactMap { $0 }
  }

  package var definition: TableDefinition {
    TableDefinition(
      name: name,
      columns: columnNames.map { TableDefinition.Column(name: $0, type: "INTEGER") },
      constraints: hasKey ? [.primaryKey([master.ownColumn, master.otherColumn])] : []
    )
  }

  /// The index for lookups by the slave's key, if the layout has such an index.
  package var index: TableIndex? {
    guard hasIndex else { return nil }
    return TableIndex(
      name: "\(name)_\(master.otherColumn)_INDEX",
      table: name,
      columns: [master.otherColumn, master.ownColumn].map { TableIndex.Column(name: $0) }
    )
  }

  /// Returns the side of a relationship that an entity declares.
  package func side(of relationship: String, declaredBy entity: String) -> Side? {
    [master, slave].first { $0.relationship == relationship && $0.entity == entity }
  }
}

extension JoinTable {
  /// Returns the join tables of a model, sorted by the number of the master's entity, then by name.
  ///
  /// The form of an existing file determines the master, if both sides are possible, and whether
  /// there is a primary key.
  static func all(
    of model: Model,
    numbers: EntityNumbers,
    generation: LayoutGeneration,
    form: StoreForm
  ) -> [JoinTable] {
    let pairing = Pairing(model: model, numbers: numbers, existing: form.tables)
    let pairs = pairing.pairs()
    let columns = pairing.columnNames(of: pairs)
    return pairs.map { master, slave in
      JoinTable(
        master: master,
        slave: slave,
        columns: columns,
        hasKey: !form.keylessTables.contains(master.table),
        hasIndex: !generation.isTableByTable
      )
    }
  }

  private init(master: End, slave: End, columns: [String: String], hasKey: Bool, hasIndex: Bool) {
    self.hasKey = hasKey
    self.hasIndex = hasIndex
    let isReflexive = master.key == slave.key
    let own = columns[master.key] ?? ""
    let other = isReflexive ? "REFLEXIVE" : columns[slave.key] ?? ""
    // No known file shows the order column's name for a relationship that is its own inverse.
    func orderColumn(_ end: End, _ ordered: String) -> String? {
      let column = isReflexive ? ordered : String(ordered.dropFirst(2))
      return end.relationship.isOrdered ? "Z_FOK_" + column : nil
    }
    name = master.table
    self.master = Side(
      entity: master.entity.name,
      relationship: master.relationship.name,
      ownColumn: own,
      otherColumn: other,
      orderColumn: orderColumn(master, other)
    )
    self.slave =
      isReflexive
      ? self.master
      : Side(
        entity: slave.entity.name,
        relationship: slave.relationship.name,
        ownColumn: other,
        otherColumn: own,
        orderColumn: orderColumn(slave, own)
      )
  }

  private struct End: Hashable {
    let entity: Entity
    let relationship: Relationship
    let number: Int

    var key: String { "\(entity.name).\(relationship.name)" }
    var table: String { "Z_\(number)\(relationship.name.uppercased())" }
    var order: (Int, String) { (number, relationship.name) }
  }

  private struct Pairing {
    let model: Model
    let numbers: EntityNumbers
    let existing: Set<String>

    func pairs() -> [(master: End, slave: End)] {
      var seen: Set<String> = []
      var pairs: [(master: End, slave: End)] = []
      for end in ends() where seen.insert(end.key).inserted {
        guard let other = inverse(of: end) else { continue }
        seen.insert(other.key)
        pairs.append(isMaster(end, over: other) ? (end, other) : (other, end))
      }
      return pairs.sorted { $0.master.order < $1.master.order }
    }

    private func ends() -> [End] {
      numbers.entities.flatMap { entity in
        entity.relationships
          .filter { $0.isToMany && !$0.isTransient }
          .sorted(byBytesOf: \.name)
          .map { End(entity: entity, relationship: $0, number: numbers[entity.name] ?? 0) }
      }
    }

    private func inverse(of end: End) -> End? {
      guard let inverse = model.inverse(of: end.relationship), inverse.isToMany,
        let destination = model.entity(named: end.relationship.destination),
        let declaring = model.declarer(of: inverse.name, in: destination),
        let number = numbers[declaring.name]
      else { return nil }
      return End(entity: declaring, relationship: inverse, number: number)
    }

    /// Whether an end is the master of its relationship.
    ///
    /// The master is the side whose table exists in the file or, if neither exists, the side whose
    /// entity has sub-entities. If these criteria are equal, the side with the smaller entity
    /// number is the master. If both relationships belong to one entity, either may be the master;
    /// StoreBench chooses the relationship whose inverse sorts first, as in the bookmarks fixtures.
    private func isMaster(_ end: End, over other: End) -> Bool {
      let (isThere, otherIsThere) = (existing.contains(end.table), existing.contains(other.table))
      if isThere != otherIsThere { return isThere }
      let (has, otherHas) = (hasSubentities(end), hasSubentities(other))
      if has != otherHas { return has }
      if end.number != other.number { return end.number < other.number }
      return !end.relationship.name.utf8.lexicographicallyPrecedes(other.relationship.name.utf8)
    }

    private func hasSubentities(_ end: End) -> Bool {
      !model.subentities(of: end.entity.name).isEmpty
    }

    /// The column name of each end: Z_{number}{inverse}, with the suffix 1 for the second column of
    /// that name.
    ///
    /// Names are assigned entity by entity, sorted by the name of the relationship.
    func columnNames(of pairs: [(master: End, slave: End)]) -> [String: String] {
      var users: [(end: End, name: String)] = []
      for (master, slave) in pairs {
        users.append((master, "Z_\(master.number)\(slave.relationship.name.uppercased())"))
        guard master.key != slave.key else { continue }
        users.append((slave, "Z_\(slave.number)\(master.relationship.name.uppercased())"))
      }
      users.sort { $0.end.order < $1.end.order }
      var uses: [String: Int] = [:]
      var result: [String: String] = [:]
      for (end, name) in users {
        let earlier = uses[name, default: 0]
        uses[name] = earlier + 1
        result[end.key] = earlier == 0 ? name : name + String(earlier)
      }
      return result
    }
  }
}

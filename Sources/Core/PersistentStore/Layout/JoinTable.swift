import Basics
import DataModel

/// The table of a many-to-many relationship (coredata-format.md, section 5).
package struct JoinTable: Hashable, Sendable {
  /// One of the two relationships, with the column that holds the keys of its declaring entity.
  package struct Side: Hashable, Sendable {
    /// The entity that declares the relationship.
    package let entity: String
    package let relationship: String
    /// Holds the key of the object whose relationship it is.
    package let ownColumn: String
    /// Holds the key of the object the relationship leads to.
    package let otherColumn: String
    /// Holds the position of the other object, where the relationship is ordered.
    package let orderColumn: String?
  }

  package let name: String
  package let master: Side
  /// The inverse; equal to `master` where a relationship is its own inverse.
  package let slave: Side
  /// Whether the two keys are the primary key; false in some files of frameworks up to 754.
  package let hasKey: Bool
  /// Whether an index leads from the other side; false up to framework 519.
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

  /// The index that leads from the other side, where the layout has one.
  package var index: TableIndex? {
    guard hasIndex else { return nil }
    return TableIndex(
      name: "\(name)_\(master.otherColumn)_INDEX",
      table: name,
      columns: [master.otherColumn, master.ownColumn].map { TableIndex.Column(name: $0) }
    )
  }

  /// The side of a relationship, by the entity that declares it.
  package func side(of relationship: String, declaredBy entity: String) -> Side? {
    [master, slave].first { $0.relationship == relationship && $0.entity == entity }
  }
}

extension JoinTable {
  /// The join tables of a model, by the number of the master's entity, then by name.
  ///
  /// The form of a file decides where either side may be the master, and whether there is a key.
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
    // The order key of a relationship is named after the column it orders; of one that is its own
    // inverse no file shows it.
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

  /// A relationship with the entity that declares it.
  private struct End: Hashable {
    let entity: Entity
    let relationship: Relationship
    let number: Int

    var key: String { "\(entity.name).\(relationship.name)" }
    var table: String { "Z_\(number)\(relationship.name.uppercased())" }
    /// By which ends and their columns are sorted.
    var order: (Int, String) { (number, relationship.name) }
  }

  /// Finds the many-to-many relationships of a model and names their columns.
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

    /// The side whose table the file has; without a file the side with sub-entities where one of
    /// the two has them, otherwise the smaller number.
    ///
    /// Of two relationships between one entity and itself either may be the master; ours is the
    /// one whose inverse sorts first, as in the bookmarks fixtures.
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

    /// The column of each end: Z_{number}{inverse}, where the second user of a name gets a 1.
    ///
    /// Names are handed out entity by entity, by the name of the relationship there.
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

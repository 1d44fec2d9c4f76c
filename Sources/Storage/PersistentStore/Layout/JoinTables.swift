import DataModel

/// Finds the many-to-many relationships of a model and lays out their join tables.
struct JoinTables {
  /// A relationship with the entity that declares it.
  private struct End: Hashable {
    let entity: Entity
    let relationship: Relationship
    let number: Int

    var key: String { "\(entity.name).\(relationship.name)" }
    /// The name of the join table where this end is the master.
    var table: String { "Z_\(number)\(relationship.name.uppercased())" }
  }

  private let model: Model
  private let numbers: EntityNumbers
  /// The tables of a file, which decide where either side may be the master.
  private let existing: Set<String>

  init(model: Model, numbers: EntityNumbers, existing: Set<String> = []) {
    self.model = model
    self.numbers = numbers
    self.existing = existing
  }

  /// The join tables, by the number of the master's entity, then by name.
  func tables() -> [JoinTable] {
    let pairs = self.pairs()
    let columns = columnNames(of: pairs)
    return pairs.map { table(master: $0.master, slave: $0.slave, columns: columns) }
  }

  private func pairs() -> [(master: End, slave: End)] {
    var seen: Set<String> = []
    var pairs: [(master: End, slave: End)] = []
    for end in ends() where seen.insert(end.key).inserted {
      guard let other = inverse(of: end) else { continue }
      seen.insert(other.key)
      pairs.append(isMaster(end, over: other) ? (end, other) : (other, end))
    }
    return pairs.sorted {
      ($0.master.number, $0.master.relationship.name)
        < ($1.master.number, $1.master.relationship.name)
    }
  }

  private func ends() -> [End] {
    numbers.entities.flatMap { entity in
      entity.relationships
        .filter { $0.isToMany && !$0.isTransient }
        .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
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

  /// The side whose table the file has; without a file the side with sub-entities where one of the
  /// two has them, otherwise the smaller number.
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
  private func columnNames(of pairs: [(master: End, slave: End)]) -> [String: String] {
    var users: [(end: End, name: String)] = []
    for (master, slave) in pairs {
      users.append((master, "Z_\(master.number)\(slave.relationship.name.uppercased())"))
      guard master.key != slave.key else { continue }
      users.append((slave, "Z_\(slave.number)\(master.relationship.name.uppercased())"))
    }
    users.sort {
      ($0.end.number, $0.end.relationship.name) < ($1.end.number, $1.end.relationship.name)
    }
    var uses: [String: Int] = [:]
    var result: [String: String] = [:]
    for (end, name) in users {
      let earlier = uses[name, default: 0]
      uses[name] = earlier + 1
      result[end.key] = earlier == 0 ? name : name + String(earlier)
    }
    return result
  }

  private func table(master: End, slave: End, columns: [String: String]) -> JoinTable {
    let isReflexive = master.key == slave.key
    let own = columns[master.key] ?? ""
    let other = isReflexive ? "REFLEXIVE" : columns[slave.key] ?? ""
    // The order key of a relationship is named after the column it orders.
    func orderColumn(_ end: End, _ ordered: String) -> String? {
      end.relationship.isOrdered ? "Z_FOK_" + ordered.dropFirst(2) : nil
    }
    let masterSide = JoinTable.Side(
      entity: master.entity.name,
      relationship: master.relationship.name,
      ownColumn: own,
      otherColumn: other,
      orderColumn: orderColumn(master, other)
    )
    let slaveSide = JoinTable.Side(
      entity: slave.entity.name,
      relationship: slave.relationship.name,
      ownColumn: other,
      otherColumn: own,
      orderColumn: isReflexive ? nil : orderColumn(slave, own)
    )
    return JoinTable(
      name: master.table,
      master: masterSide,
      slave: isReflexive ? masterSide : slaveSide
    )
  }
}

import DataModel
import SQLite

/// A relationship that a migration map copies: the pairs of objects in the old store, and the
/// columns to set for each pair.
struct MappedLink {
  enum Value: Hashable, Sendable {
    case own
    case target
    case targetEntity
    case number(Int)
    /// The target's position among the targets of the relationship's object.
    case placeAmongTargets
    case placeAmongOwners
  }

  enum Row: String, Sendable {
    case own
    case target
  }

  /// An update of a row, or the insertion of a row if `row` is `nil`.
  struct Write {
    let table: String
    let row: Row?
    let fields: [(column: String, value: Value)]

    init(_ table: String, row: Row?, _ fields: [(column: String?, value: Value)]) {
      self.table = table
      self.row = row
      self.fields = fields.compactMap { field in field.column.map { ($0, field.value) } }
    }
  }

  /// The distance between consecutive positions of ordered targets; the first position is twice
  /// this value.
  static let positionStep = 1024

  /// The number of the mapping whose objects have the relationship; `targets` contains the numbers
  /// of the mappings that create possible targets.
  let rule: Int
  let targets: [Int]
  let pairs: String
  let writes: [Write]

  static func all(
    _ rules: [(number: Int, mapping: EntityMapping)],
    from source: StoreLayout,
    to destination: StoreLayout,
    schema: String
  ) -> [MappedLink] {
    let reader = Reader(rules: rules, source: source, destination: destination, schema: schema)
    return rules.flatMap { number, mapping in
      mapping.relationships.compactMap { reader.link($0, of: mapping, number) }
    }
  }

  private struct Reader {
    let rules: [(number: Int, mapping: EntityMapping)]
    let source: StoreLayout
    let destination: StoreLayout
    let schema: String

    func link(
      _ relationship: RelationshipMapping,
      of mapping: EntityMapping,
      _ number: Int
    ) -> MappedLink? {
      let targets = targets(of: relationship, from: mapping)
      guard !relationship.destination.isTransient, !targets.isEmpty,
        !isWrittenByInverse(relationship.destination),
        let pairs = pairs(relationship, of: mapping)
      else { return nil }
      let writes = writes(of: relationship.destination, in: mapping.destination)
      guard !writes.isEmpty else { return nil }
      return MappedLink(rule: number, targets: targets, pairs: pairs, writes: writes)
    }

    /// Whether the relationship's inverse is also mapped and writes the relationship instead.
    ///
    /// The ordered side writes it, because that side assigns the positions across all mappings. If
    /// both sides or neither side is ordered, the side with the key writes it.
    private func isWrittenByInverse(_ relationship: Relationship) -> Bool {
      guard let inverse = destination.model.inverse(of: relationship),
        rules.contains(where: { _, other in
          other.relationships.contains { $0.destination == inverse && $0.source != nil }
        })
      else { return false }
      if relationship.isOrdered != inverse.isOrdered { return inverse.isOrdered }
      return relationship.isToMany && !inverse.isToMany
    }

    private func writes(of relationship: Relationship, in entity: String) -> [Write] {
      let number = Value.number(destination.numbers[entity] ?? 0)
      switch destination.storage(of: relationship.name, in: entity) {
      case .foreignKey(let key, let entityColumn, let order)?:
        guard let table = destination.table(of: entity)?.name else { return [] }
        let own = Write(
          table,
          row: .own,
          [(key, .target), (entityColumn, .targetEntity), (order, .placeAmongOwners)]
        )
        return [own] + otherSide(of: relationship, number)
      case .inverseForeignKey(let table, let key, let order)?:
        let inverse = destination.model.inverse(of: relationship)
        let kept = inverse.flatMap {
          destination.storage(of: $0.name, in: relationship.destination)
        }
        var entityColumn: String?
        if case .foreignKey(_, let column, _)? = kept { entityColumn = column }
        return [
          Write(
            table,
            row: .target,
            [(key, .own), (entityColumn, number), (order, .placeAmongTargets)]
          )
        ]
      case .join(let name, let side)?:
        let table = destination.joinTables.first { $0.name == name }
        let other = table.flatMap { $0.master == side ? $0.slave : $0.master }
        return [
          Write(
            name,
            row: nil,
            [
              (side.ownColumn, .own), (side.otherColumn, .target),
              (side.orderColumn, .placeAmongTargets),
              (other == side ? nil : other?.orderColumn, .placeAmongOwners),
            ]
          )
        ]
      case nil: return []
      }
    }

    private func otherSide(of relationship: Relationship, _ number: Value) -> [Write] {
      guard let inverse = destination.model.inverse(of: relationship), !inverse.isToMany,
        let table = destination.table(of: relationship.destination)?.name,
        case .foreignKey(let key, let entity, nil)? =
          destination.storage(of: inverse.name, in: relationship.destination)
      else { return [] }
      return [Write(table, row: .target, [(key, .own), (entity, number)])]
    }

    private func targets(
      of relationship: RelationshipMapping,
      from mapping: EntityMapping
    ) -> [Int] {
      let goals = Set(
        destination.model.entity(named: relationship.destination.destination)
          .map(destination.model.family)?.map(\.name) ?? []
      )
      let table = relationship.source.flatMap { source.table(of: $0.destination)?.name }
      return rules.filter { _, other in
        guard goals.contains(other.destination) else { return false }
        switch relationship.expression {
        case .none?, .function: return false
        case .sameSource(let name):
          return other.source == mapping.source && other.name != mapping.name
            && (name == nil || other.name == name)
        case .mapped(_, let name) where other.name != name: return false
        case nil, .source, .mapped: return other.source.flatMap(source.table(of:))?.name == table
        }
      }.map(\.number)
    }

    private func pairs(_ relationship: RelationshipMapping, of mapping: EntityMapping) -> String? {
      guard let entity = mapping.source, let own = source.table(of: entity)?.name else {
        return nil
      }
      if case .sameSource? = relationship.expression {
        return select(from: own, own: "Z_PK", target: "Z_PK")
      }
      guard let former = relationship.source, !former.isTransient else { return nil }
      switch source.storage(of: former.name, in: entity) {
      case .foreignKey(let key, _, let order)?:
        return select(from: own, own: "Z_PK", target: key, inversePlace: order)
          + " WHERE \(key.quotedName) IS NOT NULL"
      case .inverseForeignKey(let table, let key, let order)?:
        return select(from: table, own: key, target: "Z_PK", place: order)
          + " WHERE \(key.quotedName) IS NOT NULL"
      case .join(let name, let side)?:
        let table = source.joinTables.first { $0.name == name }
        let other = table.flatMap { $0.master == side ? $0.slave : $0.master }
        return select(
          from: name,
          own: side.ownColumn,
          target: side.otherColumn,
          place: side.orderColumn,
          inversePlace: other == side ? nil : other?.orderColumn
        )
      case nil: return nil
      }
    }

    private func select(
      from table: String,
      own: String,
      target: String,
      place: String? = nil,
      inversePlace: String? = nil
    ) -> String {
      "SELECT \(own.quotedName) AS own, \(target.quotedName) AS target, "
        + "\(place?.quotedName ?? "NULL") AS place, "
        + "\(inversePlace?.quotedName ?? "NULL") AS inversePlace FROM "
        + "\(schema).\(table.quotedName)"
    }
  }
}

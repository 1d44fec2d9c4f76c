import DataModel

/// What is left to do for relationships once all rows of a migration are in place: nothing that a
/// single table's mapping could say.
struct RelationshipCorrections {
  let tables: [TableMapping]
  let joinTables: [JoinTableMapping]
  let layout: StoreLayout

  var statements: [String] { newOrders + lostTargets + lostPairs }

  /// Positions for to-manys that have become ordered, by primary key.
  private var newOrders: [String] {
    tables.filter { $0.source != nil }.flatMap { mapping in
      mapping.columns.compactMap { column, value in
        guard case .orderKey(let relationship) = column.content, value == .null,
          let (key, source) = mapping.columns.first(where: {
            $0.column.entity == column.entity && $0.column.content == .foreignKey(relationship)
          }), source != .null
        else { return nil }
        let table = mapping.destination.name
        return "UPDATE \(table) SET \(column.name) = o.position FROM (SELECT Z_PK AS key, "
          + "1024 + 1024 * row_number() OVER (PARTITION BY \(key.name) ORDER BY Z_PK) AS position "
          + "FROM \(table) WHERE \(key.name) IS NOT NULL) AS o WHERE \(table).Z_PK = o.key"
      }
    }
  }

  /// The tables some of whose former objects are gone or elsewhere.
  private var reduced: Set<String> {
    Set(tables.filter { $0.source != nil && !$0.takesAllRows }.map(\.destination.name))
  }

  private var lostTargets: [String] {
    tables.flatMap { mapping in
      mapping.columns.compactMap { column, value in
        guard case .foreignKey(let relationship) = column.content, value != .null,
          let target = layout.table(of: relationship.destination)?.name,
          reduced.contains(target)
        else { return nil }
        let beside = mapping.columns.map(\.column).filter {
          $0.entity == column.entity
            && ($0.content == .foreignEntity(relationship) || $0.content == .orderKey(relationship))
        }
        let sets = ([column] + beside).map { "\($0.name) = NULL" }.joined(separator: ", ")
        return "UPDATE \(mapping.destination.name) SET \(sets) WHERE \(column.name) NOT IN "
          + "(SELECT Z_PK FROM \(target))"
      }
    }
  }

  private var lostPairs: [String] {
    joinTables.filter { $0.source != nil }.flatMap { mapping in
      [mapping.destination.master, mapping.destination.slave].compactMap { side in
        guard let table = layout.table(of: side.entity)?.name, reduced.contains(table) else {
          return nil
        }
        return "DELETE FROM \(mapping.destination.name) WHERE \(side.ownColumn) NOT IN "
          + "(SELECT Z_PK FROM \(table))"
      }
    }
  }
}

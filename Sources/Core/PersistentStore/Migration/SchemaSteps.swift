import DataModel

struct SchemaSteps {
  private let mappings: TableMappings
  private let joinTables: [JoinTableMapping]
  private let shape: LightweightMigration.Shape

  init(_ mappings: TableMappings, shape: LightweightMigration.Shape) {
    self.mappings = mappings
    joinTables = mappings.joinTables
    self.shape = shape
  }

  private var source: StoreLayout { mappings.source }
  private var destination: StoreLayout { mappings.destination }

  var statements: [String] {
    moves + alterations + definitions + copies + mappings.corrections + removals
  }

  var waiting: [String] { shape == .deferred ? outgoing.map(former) : [] }

  var leavesCleanUp: Bool {
    !waiting.isEmpty || shape == .deferred && altered.contains(where: \.leavesColumns)
  }

  private var altered: [TableMapping] { mappings.all.filter(isAltered) }
  private var rebuilt: [TableMapping] { mappings.all.filter { !isAltered($0) } }

  private func isAltered(_ table: TableMapping) -> Bool {
    switch shape {
    case .inPlace: table.canBeAltered && !table.leavesColumns
    case .deferred: table.canBeAltered
    case .rebuild: false
    }
  }

  private var isRebuild: Bool { shape == .rebuild }
  private var alteredJoins: [JoinTableMapping] {
    isRebuild ? [] : joinTables.filter(\.canBeAltered)
  }
  private var rebuiltJoins: [JoinTableMapping] {
    isRebuild ? joinTables : joinTables.filter { !$0.canBeAltered }
  }

  private var renames: [(from: String, to: String)] {
    altered.compactMap { mapping in mapping.source.map { ($0.name, mapping.destination.name) } }
      + alteredJoins.compactMap { mapping in
        mapping.source.map { ($0.table, mapping.destination.name) }
      }
  }

  private var outgoing: [String] {
    let kept = Set(renames.map(\.from))
    return (source.tables.map(\.name) + source.joinTables.map(\.name))
      .filter { !kept.contains($0) }
  }

  private func former(_ table: String) -> String { DeferredCleanUp.prefix + table }

  private func present(_ table: String) -> String {
    renames.first { $0.from == table }?.to ?? former(table)
  }

  private var moves: [String] {
    let changed = renames.filter { $0.from != $0.to }
    let taken = Set(changed.map(\.from))
    let detours = Set(changed.map(\.to).filter(taken.contains))
    func rename(_ name: String, _ other: String) -> String {
      "ALTER TABLE \(name) RENAME TO \(other)"
    }
    return outgoing.map { rename($0, former($0)) }
      + changed.filter { detours.contains($0.to) }.map { rename($0.from, former($0.from)) }
      + changed.map { rename(detours.contains($0.to) ? former($0.from) : $0.from, $0.to) }
  }

  private var alterations: [String] {
    altered.flatMap(\.alterations) + alteredJoins.flatMap(\.alterations)
  }

  private var definitions: [String] {
    let made = Set(rebuilt.map(\.destination.name) + rebuiltJoins.map(\.destination.name))
    return destination.tables.flatMap { table in
      [table.definition] + destination.joinTables(of: table).map(\.definition)
    }.filter { made.contains($0.name) }.map(\.sql)
  }

  private var copies: [String] {
    rebuilt.compactMap { mapping in
      mapping.source.map { mapping.copy(from: former($0.name)) }
    }
      + rebuiltJoins.compactMap { mapping in
        mapping.source.flatMap { mapping.copy(from: present($0.table)) }
      }
  }

  private var removals: [String] {
    shape == .deferred ? [] : outgoing.map { "DROP TABLE \(former($0))" }
  }
}

extension TableMappings {
  var corrections: [String] {
    (placesNewOrders ? newOrders : []) + lostTargets + newNumbers + lostPairs
  }

  /// Calls `statement` for each new column (an entity number or an order key) next to the existing
  /// key of a to-one relationship.
  private func besideKeys(
    _ statement: (_ column: Column, _ key: String, _ table: String) -> String?
  ) -> [String] {
    all.filter { $0.source != nil }.flatMap { mapping in
      mapping.columns.compactMap { column, value in
        let relationship: Relationship
        switch column.content {
        case .foreignEntity(let other), .orderKey(let other): relationship = other
        default: return nil
        }
        guard value == .null,
          let (key, source) = mapping.columns.first(where: {
            $0.column.entity == column.entity && $0.column.content == .foreignKey(relationship)
          }), source != .null
        else { return nil }
        return statement(column, key.name, mapping.destination.name)
      }
    }
  }

  private var newNumbers: [String] {
    besideKeys { column, key, table in
      guard case .foreignEntity(let relationship) = column.content,
        let target = destination.table(of: relationship.destination)?.name
      else { return nil }
      return "UPDATE \(table) SET \(column.name) = "
        + "(SELECT Z_ENT FROM \(target) AS o WHERE o.Z_PK = \(key)) WHERE \(key) IS NOT NULL"
    }
  }

  private var newOrders: [String] {
    besideKeys { column, key, table in
      guard case .orderKey = column.content else { return nil }
      return "UPDATE \(table) SET \(column.name) = o.position FROM (SELECT Z_PK AS key, "
        + "1024 + 1024 * row_number() OVER (PARTITION BY \(key) ORDER BY Z_PK) AS position "
        + "FROM \(table) WHERE \(key) IS NOT NULL) AS o WHERE \(table).Z_PK = o.key"
    }
  }

  private var reduced: Set<String> {
    Set(all.filter { $0.source != nil && !$0.takesAllRows }.map(\.destination.name))
  }

  private var lostTargets: [String] {
    all.flatMap { mapping in
      mapping.columns.compactMap { column, value in
        guard case .foreignKey(let relationship) = column.content, value != .null,
          let target = destination.table(of: relationship.destination)?.name,
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
        guard let table = destination.table(of: side.entity)?.name, reduced.contains(table) else {
          return nil
        }
        return "DELETE FROM \(mapping.destination.name) WHERE \(side.ownColumn) NOT IN "
          + "(SELECT Z_PK FROM \(table))"
      }
    }
  }
}

import DataModel

/// Finds the mapping of each table of a migration's destination.
struct TableMappings {
  let mapping: MappingModel
  let source: StoreLayout
  let destination: StoreLayout

  /// The new number of each kept entity's old one.
  var renumbering: Renumbering {
    Renumbering(
      pairs: mapping.entities.compactMap { mapping in
        guard let old = mapping.source.flatMap({ source.numbers[$0] }),
          let new = destination.numbers[mapping.destination]
        else { return nil }
        return (old, new)
      }.sorted { $0.old < $1.old }
    )
  }

  var all: [TableMapping] { destination.tables.map(tableMapping) }

  private func tableMapping(_ table: EntityTable) -> TableMapping {
    let members = self.members(of: table)
    let former = members.first.flatMap { source.table(of: $0.former.name) }
    let numbers = members.map(\.number)
    let all = (former?.entities ?? []).compactMap { source.numbers[$0] }
    return TableMapping(
      destination: table,
      source: former,
      numbers: numbers,
      takesAllRows: Set(all) == Set(numbers),
      entityNumber: RowValue(carrier: "Z_ENT", sql: entityNumber(of: numbers)),
      columns: table.columns.map { ($0, value(of: $0, members: members)) }
    )
  }

  private func entityNumber(of numbers: [Int]) -> String {
    if let only = numbers.first, numbers.count == 1,
      let pair = renumbering.pairs.first(where: { $0.old == only }), pair.old != pair.new
    {
      return String(pair.new)
    }
    return renumbering.sql("Z_ENT", of: numbers)
  }

  /// An entity that moves from one table to another.
  struct Member {
    let entity: Entity
    let former: Entity
    let mapping: EntityMapping
    /// The former number.
    let number: Int
  }

  private func members(of table: EntityTable) -> [Member] {
    table.entities.compactMap { name in
      guard let entity = destination.model.entity(named: name),
        let mapping = mapping.mapping(to: name),
        let former = mapping.source.flatMap(source.model.entity(named:)),
        let number = source.numbers[former.name]
      else { return nil }
      return Member(entity: entity, former: former, mapping: mapping, number: number)
    }
  }

  /// The value of a column: one for all rows, or one for each former entity.
  private func value(of column: Column, members: [Member]) -> RowValue {
    let columnValues = ColumnValues(tables: self, column: column)
    let values = members.map { ($0, columnValues.value(in: $0)) }
    let distinct = Set(values.compactMap(\.1))
    guard let only = distinct.first else { return .null }
    let isSame = values.allSatisfy { member, value in
      value != nil || only == .null || isEmpty(only, in: member)
    }
    if distinct.count == 1, isSame { return only }
    let cases = values.compactMap { member, value in
      value.flatMap { $0 == .null ? nil : "WHEN \(member.number) THEN \($0.sql)" }
    }
    return RowValue(carrier: nil, sql: "CASE Z_ENT \(cases.joined(separator: " ")) END")
  }

  /// Whether a former column never held anything in the rows of an entity.
  private func isEmpty(_ value: RowValue, in member: Member) -> Bool {
    guard value.isPlain, let table = source.table(of: member.former.name),
      let column = table.columns.first(where: { $0.name == value.carrier })
    else { return false }
    return !source.model.lineage(of: member.former).contains { $0.name == column.entity }
  }
}

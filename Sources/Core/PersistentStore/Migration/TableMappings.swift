import Basics
import DataModel

struct TableMappings {
  let mapping: MappingModel
  let source: StoreLayout
  let destination: StoreLayout
  /// Whether the targets of a to-many relationship that becomes ordered get positions in key order.
  ///
  /// An in-place migration assigns no positions (coredata-format.md, section 16).
  let placesNewOrders: Bool
  let renumberedPairs: [(old: Int, new: Int)]
  private(set) var all: [TableMapping] = []

  init(
    mapping: MappingModel,
    source: StoreLayout,
    destination: StoreLayout,
    placesNewOrders: Bool = true
  ) {
    self.placesNewOrders = placesNewOrders
    self.mapping = mapping
    self.source = source
    self.destination = destination
    renumberedPairs = mapping.entities.compactMap { mapping in
      guard let old = mapping.source.flatMap({ source.numbers[$0] }),
        let new = destination.numbers[mapping.destination]
      else { return nil }
      return (old, new)
    }.sorted { $0.old < $1.old }
    all = destination.tables.map(tableMapping)
  }

  func renumbered(_ column: String, of numbers: [Int]) -> String {
    let pairs = renumberedPairs.filter { numbers.contains($0.old) }
    if pairs.allSatisfy({ $0.old == $0.new }) { return column }
    let cases = pairs.map { "WHEN \($0.old) THEN \($0.new)" }.joined(separator: " ")
    return "CASE \(column) \(cases) END"
  }

  var rootNumbers: [(former: Int, number: Int)] {
    all.compactMap { mapping in
      guard let former = mapping.source.flatMap({ source.numbers[$0.root] }),
        let number = destination.numbers[mapping.destination.root]
      else { return nil }
      return (former, number)
    }
  }

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
      entityNumber: TableMapping.Value(carrier: "Z_ENT", sql: entityNumber(of: numbers)),
      columns: table.columns.map { ($0, value(of: $0, members: members)) }
    )
  }

  private func entityNumber(of numbers: [Int]) -> String {
    if let only = numbers.first, numbers.count == 1,
      let pair = renumberedPairs.first(where: { $0.old == only }), pair.old != pair.new
    {
      return String(pair.new)
    }
    return renumbered("Z_ENT", of: numbers)
  }

  struct Member {
    let entity: Entity
    let former: Entity
    let mapping: EntityMapping
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

  private func value(of column: Column, members: [Member]) -> TableMapping.Value {
    let values = members.map { ($0, value(of: column, in: $0)) }
    let distinct = Set(values.compactMap(\.1))
    guard let only = distinct.first else { return .null }
    let isSame = values.allSatisfy { member, value in
      value != nil || only == .null || isEmpty(only, in: member)
    }
    if distinct.count == 1, isSame { return only }
    let cases = values.compactMap { member, value in
      value.flatMap { $0 == .null ? nil : "WHEN \(member.number) THEN \($0.sql)" }
    }
    return TableMapping.Value(carrier: nil, sql: "CASE Z_ENT \(cases.joined(separator: " ")) END")
  }

  private func isEmpty(_ value: TableMapping.Value, in member: Member) -> Bool {
    guard value.isPlain, let table = source.table(of: member.former.name),
      let column = table.columns.first(where: { $0.name == value.carrier })
    else { return false }
    return !source.model.lineage(of: member.former).contains { $0.name == column.entity }
  }
}

struct TableMapping {
  let destination: EntityTable
  let source: EntityTable?
  let numbers: [Int]
  let takesAllRows: Bool
  let entityNumber: TableMapping.Value
  let columns: [(column: Column, value: TableMapping.Value)]

  func copy(from name: String) -> String {
    let names = columns.map { ", \($0.column.name)" }.joined()
    let values = columns.map { ", \($0.value.sql)" }.joined()
    let condition =
      takesAllRows
      ? "" : " WHERE Z_ENT IN (\(numbers.map(String.init).joined(separator: ", ")))"
    return "INSERT INTO \(destination.name) (Z_PK, Z_ENT, Z_OPT\(names))"
      + " SELECT Z_PK, \(entityNumber.sql), Z_OPT\(values) FROM \(name)\(condition)"
  }

  /// Whether adding and renaming columns is sufficient, apart from dropping columns: no source
  /// column has two successors, and no new name is in use.
  var canBeAltered: Bool {
    guard let source, takesAllRows else { return false }
    let former = source.columns.map(\.name)
    let carriers = columns.compactMap(\.value.carrier)
    guard Set(carriers).count == carriers.count else { return false }
    return columns.allSatisfy { column, value in
      value.carrier == column.name || !former.contains(column.name)
    }
  }

  var leavesColumns: Bool {
    !Set(source?.columns.map(\.name) ?? []).isSubset(of: columns.compactMap(\.value.carrier))
  }

  var renaming: KeptTriggers.Renaming? {
    guard let source else { return nil }
    var (columns, seen): ([(from: String, to: String)], Set<String>) = ([], [])
    for (column, value) in self.columns {
      guard let carrier = value.carrier, seen.insert(carrier).inserted, carrier != column.name
      else { continue }
      columns.append((carrier, column.name))
    }
    guard !columns.isEmpty || source.name != destination.name else { return nil }
    return .init(table: source.name, name: destination.name, columns: columns)
  }

  var alterations: [String] {
    let name = destination.name
    let added = columns.filter { $0.value.carrier == nil }.map {
      "ALTER TABLE \(name) ADD COLUMN \($0.column.name) \($0.column.type.rawValue)"
    }
    var sets = columns.filter { !$0.value.isPlain && $0.value.sql != "NULL" }.map {
      "\($0.value.carrier ?? $0.column.name) = \($0.value.sql)"
    }
    if !entityNumber.isPlain { sets.insert("Z_ENT = \(entityNumber.sql)", at: 0) }
    let update = sets.isEmpty ? [] : ["UPDATE \(name) SET \(sets.joined(separator: ", "))"]
    let renamed = columns.compactMap { column, value in
      value.carrier.flatMap {
        $0 == column.name ? nil : "ALTER TABLE \(name) RENAME COLUMN \($0) TO \(column.name)"
      }
    }
    return added + update + renamed
  }
}

extension Value {
  var literal: String {
    switch self {
    case .null: "NULL"
    case .integer(let value): String(value)
    case .real(let value): value.isInfinite ? (value < 0 ? "-9e999" : "9e999") : "\(value)"
    case .text(let value):
      "'"
        + value.split(separator: "'", omittingEmptySubsequences: false)
        .joined(separator: "''") + "'"
    case .blob(let bytes):
      "X'" + bytes.hexadecimal + "'"
    }
  }
}

extension TableMapping {
  struct Value: Hashable {
    var carrier: String?
    var sql: String

    static func column(_ name: String) -> Value { Value(carrier: name, sql: name) }

    static func constant(_ value: DataModel.Value) -> Value {
      Value(carrier: nil, sql: value.literal)
    }

    static let null = Value(carrier: nil, sql: "NULL")

    var isPlain: Bool { sql == carrier }
  }
}

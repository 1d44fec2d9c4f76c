import DataModel
import Foundation
import GRDB
import PersistentStore

/// The statements that copy the rows of one entity and, later, their keys.
struct EntityRowPlan {
  /// A to-one whose key is carried.
  struct Link {
    /// The source's table that the key leads to.
    let table: String
    /// Whether the destination keeps the number of the target's entity.
    let hasEntity: Bool
    let hasOrder: Bool
  }

  /// The source's table.
  let table: String
  /// The destination's root entity.
  let root: String
  /// The entity's number in the destination.
  let number: Int
  let select: String
  let insert: String
  /// What stands for NULL in each carried column.
  let fallbacks: [DatabaseValue]
  /// The values of new attributes, after the carried ones.
  let constants: [DatabaseValue]
  let links: [Link]
  let selectLinks: String
  let update: String

  /// `nil` for an entity without objects in the source.
  ///
  /// - Throws: ``RowCopyError``.
  init?(_ mapping: EntityMapping, _ copy: RowCopy) throws {
    guard let former = mapping.source, let table = copy.source.table(of: former),
      let target = copy.destination.table(of: mapping.destination),
      let old = copy.source.numbers[former],
      let number = copy.destination.numbers[mapping.destination]
    else { return nil }
    self.table = table.name
    self.number = number
    root = target.root
    var carried: [(from: String, to: String, fallback: DatabaseValue)] = []
    var added: [(to: String, value: DatabaseValue)] = []
    for attribute in mapping.attributes {
      let name = attribute.destination.name
      guard let column = copy.destination.column(of: name, in: mapping.destination)?.name else {
        continue
      }
      let fallback = attribute.destination.defaultValue.databaseValue
      let from = attribute.source.flatMap { copy.source.column(of: $0.name, in: former)?.name }
      if let from {
        carried.append((from, column, attribute.isMadeRequired ? fallback : .null))
      } else {
        added.append((column, fallback))
      }
    }
    let condition = " FROM \(table.name) WHERE Z_ENT = \(old) ORDER BY Z_PK"
    select = "SELECT " + (["Z_PK"] + carried.map(\.from)).joined(separator: ", ") + condition
    let columns = ["Z_PK", "Z_ENT", "Z_OPT"] + carried.map(\.to) + added.map(\.to)
    insert =
      "INSERT INTO \(target.name) (\(columns.joined(separator: ", "))) VALUES ("
      + columns.map { _ in "?" }.joined(separator: ", ") + ")"
    fallbacks = carried.map(\.fallback)
    constants = added.map(\.value)
    let keys = try Self.keys(mapping, from: former, copy)
    links = keys.map(\.link)
    selectLinks =
      "SELECT " + (["Z_PK"] + keys.flatMap(\.from)).joined(separator: ", ") + condition
    update =
      "UPDATE \(target.name) SET "
      + keys.flatMap(\.to).map { "\($0) = ?" }.joined(separator: ", ") + " WHERE Z_PK = ?"
  }

  private static func keys(
    _ mapping: EntityMapping,
    from former: String,
    _ copy: RowCopy
  ) throws -> [(link: Link, from: [String], to: [String])] {
    try mapping.relationships.compactMap { relationship in
      let name = relationship.destination.name
      guard let source = relationship.source,
        case .foreignKey(let to, let entity, let order)? =
          copy.destination.storage(of: name, in: mapping.destination)
      else { return nil }
      guard
        case .foreignKey(let from, _, let oldOrder)? =
          copy.source.storage(of: source.name, in: former),
        (order == nil) || (oldOrder != nil),
        let table = copy.source.table(of: source.destination)?.name
      else { throw RowCopyError.otherStorage(entity: mapping.destination, relationship: name) }
      let link = Link(table: table, hasEntity: entity != nil, hasOrder: order != nil)
      return (
        link, [from] + (order == nil ? [] : [oldOrder].compactMap { $0 }),
        [to] + [entity, order].compactMap { $0 }
      )
    }
  }
}

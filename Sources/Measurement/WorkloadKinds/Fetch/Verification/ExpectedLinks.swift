import DataModel
import PersistentStore
import SQLite

/// The objects that a relationship leads to, found by plain SQL.
struct ExpectedLinks {
  private let touched: FetchSubject.Touched
  private let targets: Statement
  private let lookup: ContentLookup

  init(_ touched: FetchSubject.Touched, of entity: String, in content: StoreContent) throws {
    self.touched = touched
    lookup = try content.lookup(touched.shape)
    targets = try content.connection.prepare(
      try Self.sql(touched.relationship.name, of: entity, content.layout)
    )
  }

  private static func sql(
    _ relationship: String,
    of entity: String,
    _ layout: StoreLayout
  ) throws -> String {
    switch layout.storage(of: relationship, in: entity) {
    case .foreignKey(let column, _, _):
      let table = layout.table(of: entity)?.name ?? ""
      return "SELECT \(column) FROM \(table) NOT INDEXED "
        + "WHERE Z_PK = ?1 AND \(column) IS NOT NULL"
    case .inverseForeignKey(let table, let column, let order):
      return "SELECT Z_PK FROM \(table) WHERE \(column) = ?1 ORDER BY \(order ?? "Z_PK")"
    case .join(let table, let side):
      return "SELECT \(side.otherColumn) FROM \(table) WHERE \(side.ownColumn) = ?1 "
        + "ORDER BY \(side.orderColumn ?? side.otherColumn)"
    case nil: throw ObjectContextError.unknownProperty(entity: entity, property: relationship)
    }
  }

  var name: String { touched.relationship.name }

  /// The digest of what an object's relationship leads to; `nil` where an object is not there.
  func digest(from key: Int64) throws -> UInt64? {
    targets.reset()
    targets.bind(key, at: 1)
    var link = LinkDigest(touched, from: key)
    while try targets.step() {
      guard let target = try lookup.digest(of: targets.integer(at: 0)) else { return nil }
      link.add(target)
    }
    return link.value
  }
}

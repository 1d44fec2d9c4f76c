import Basics

/// The tables that a condition's key paths pass through, joined to the table of the condition's
/// entity.
///
/// In a public log, `wordCategory.firstLetter == "s"` is `FROM ZWORD t0 JOIN ZWORDCATEGORY t1 ON
/// t0.ZWORDCATEGORY = t1.Z_PK`. If the condition may hold for objects without a target, the join is
/// an outer join, as in logs for to-many relationships.
package struct KeyPathJoins {
  /// A table of a statement, with the entity whose objects are read from it.
  package struct Table {
    package let alias: String
    package let entity: String
  }

  /// The table of a subquery on the objects of a to-many relationship, and its columns.
  package struct Targets {
    package let alias: String
    /// The table with its alias, as it follows FROM.
    package let from: String
    /// The column with the key of an object of the relationship.
    package let key: String
    /// The column with the key of the object that has the relationship.
    package let owner: String
    /// The column of the enclosing statement that `owner` is compared with.
    package let outer: String
    fileprivate let entity: String
    /// The join of the table with the objects, if the keys are in a table of their own.
    fileprivate let objects: String?
  }

  private struct Join {
    let path: String
    let table: Table
    let sql: String
    var isOuter: Bool
  }

  /// Whether the condition may hold for objects without a target, as within OR and NOT.
  package var mayBeMissing = false
  private let layout: StoreLayout
  private var first: Table
  private var joins: [Join] = []
  private var aliases = 0

  package init(_ layout: StoreLayout, from entity: String, alias: String) {
    self.layout = layout
    first = Table(alias: alias, entity: entity)
  }

  /// The JOIN clauses, which follow the first table of the statement.
  package var sql: String {
    joins.map { ($0.isOuter ? " LEFT OUTER JOIN " : " JOIN ") + $0.sql }.joined()
  }

  /// Joins the tables of a key path, and returns the last table and the path's last property.
  ///
  /// - Throws: ``ObjectContextError/unknownProperty(entity:property:)``
  package mutating func end(
    of path: String,
    mayBeMissing: Bool = false
  ) throws -> (table: Table, property: String) {
    guard path.utf8.contains(UInt8(ascii: ".")) else { return (first, path) }
    let isOuter = mayBeMissing || self.mayBeMissing
    var names = path.pathNames
    let property = names.removeLast()
    var table = first
    for index in names.indices {
      let path = names[...index].joined(separator: ".")
      if let known = joins.firstIndex(where: { $0.path == path }) {
        if !isOuter { joins[known].isOuter = false }
        table = joins[known].table
        continue
      }
      guard
        case .foreignKey(let column, _, _)? = layout.storage(of: names[index], in: table.entity),
        let target = layout.destination(of: names[index], in: table.entity)
      else {
        throw ObjectContextError.unknownProperty(entity: table.entity, property: names[index])
      }
      let alias = newAlias()
      let sql = "\(target.table) \(alias) ON \(table.alias).\(column) = \(alias).Z_PK"
      table = Table(alias: alias, entity: target.entity)
      joins.append(Join(path: path, table: table, sql: sql, isOuter: isOuter))
    }
    return (table, property)
  }

  private mutating func newAlias() -> String {
    aliases += 1
    return "t\(aliases)"
  }

  /// Returns the table of a subquery on a to-many relationship, which may end a key path.
  ///
  /// - Throws: ``ObjectContextError/unknownProperty(entity:property:)``
  package mutating func targets(of path: String) throws -> Targets {
    // Use outer joins, because an object without a target counts as having an empty relationship.
    let (source, name) = try end(of: path, mayBeMissing: true)
    let alias = newAlias()
    let (table, key, owner): (String, String, String)
    switch layout.storage(of: name, in: source.entity) {
    case .inverseForeignKey(let found, let column, _): (table, key, owner) = (found, "Z_PK", column)
    case .join(let found, let side): (table, key, owner) = (found, side.otherColumn, side.ownColumn)
    case .foreignKey, nil:
      throw ObjectContextError.unknownProperty(entity: source.entity, property: name)
    }
    let target = layout.destination(of: name, in: source.entity)
    return Targets(
      alias: alias,
      from: "\(table) \(alias)",
      key: "\(alias).\(key)",
      owner: "\(alias).\(owner)",
      outer: "\(source.alias).Z_PK",
      entity: target?.entity ?? "",
      objects: table == target?.table ? nil : target?.table
    )
  }

  /// Returns the tables of a condition on the objects of a subquery.
  package func inside(_ targets: Targets) -> KeyPathJoins {
    var inner = self
    (inner.joins, inner.mayBeMissing) = ([], false)
    inner.first = Table(alias: targets.alias, entity: targets.entity)
    guard let table = targets.objects else { return inner }
    inner.first = Table(alias: inner.newAlias(), entity: targets.entity)
    let sql = "\(table) \(inner.first.alias) ON \(targets.key) = \(inner.first.alias).Z_PK"
    inner.joins = [Join(path: "", table: inner.first, sql: sql, isOuter: false)]
    return inner
  }
}

import DataModel
import SQLite

/// The statements of a fetch request (coredata-format.md, section 13).
struct FetchSQL {
  private let plan: SelectPlan
  private let tail: String
  private let countTail: String
  private let values: [Value]

  init(_ request: FetchRequest, plan: SelectPlan, layout: StoreLayout) throws {
    self.plan = plan
    var predicate = Condition(layout: layout, entity: plan.description)
    var conditions = [plan.entityCondition].compactMap { $0 }
    if let condition = request.predicate { conditions.append(try predicate.condition(condition)) }
    let filter = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
    let from = " FROM \(plan.description.table.name) t0"
    countTail = from + predicate.joins.sql + filter
    let order = try Self.order(request, &predicate)
    tail = from + predicate.joins.sql + filter + order + Self.limit(request)
    values = predicate.values
  }

  private static func order(_ request: FetchRequest, _ columns: inout Condition) throws -> String {
    var keys: [String] = []
    for descriptor in request.sortDescriptors {
      // Use outer joins, so that the results include objects without a target.
      keys.append(
        try columns.column(at: descriptor.property, mayBeMissing: true)
          + (descriptor.collation.name.map { " COLLATE \($0)" } ?? "")
          + (descriptor.isAscending ? "" : " DESC")
      )
    }
    return keys.isEmpty ? "" : " ORDER BY " + keys.joined(separator: ", ")
  }

  private static func limit(_ request: FetchRequest) -> String {
    switch (request.fetchLimit, request.fetchOffset) {
    case (0, 0): ""
    case (let limit, 0): " LIMIT \(limit)"
    case (0, let offset): " LIMIT -1 OFFSET \(offset)"
    case (let limit, let offset): " LIMIT \(limit) OFFSET \(offset)"
    }
  }

  func rows(_ connection: Connection) throws -> Statement {
    bound(try connection.fetching(plan.selectRows + tail))
  }

  func keys(_ connection: Connection) throws -> Statement {
    bound(try connection.fetching(plan.selectKeys + tail))
  }

  func count(_ connection: Connection) throws -> Statement {
    bound(try connection.fetching("SELECT COUNT(*)" + countTail))
  }

  private func bound(_ statement: Statement) -> Statement {
    for (index, value) in values.enumerated() { statement.bind(value, at: index + 1) }
    return statement
  }
}

extension FetchSQL {
  /// Converts a predicate into a condition with parameters, in the form that Core Data writes.
  private struct Condition {
    let layout: StoreLayout
    let entity: EntityDescription
    var values: [Value] = []
    var joins: KeyPathJoins

    init(layout: StoreLayout, entity: EntityDescription) {
      self.layout = layout
      self.entity = entity
      joins = KeyPathJoins(layout, from: entity.name, alias: "t0")
    }

    /// Returns the SQL of a condition and appends its values to `values`, in the order of the
    /// parameters.
    mutating func condition(_ predicate: Predicate) throws -> String {
      switch predicate {
      case .comparison(let path, let op, let value):
        values.append(value)
        return "\(try column(at: path)) \(op.rawValue) ?"
      case .isNull(let path):
        return "\(try column(at: path, mayBeMissing: true)) IS NULL"
      case .beginsWith(let path, let prefix):
        let column = try column(at: path)
        values += [.text(prefix), .text(prefix + "\u{10FFFF}")]
        return "(\(column) >= ? AND \(column) < ?)"
      case .text(let path, let match):
        values.append(.text(match.text))
        return " \(FrameworkFunctions.search)( \(try column(at: path)), ?, \(match.options), 0)"
      case .has(let relationship, let key):
        return try count(relationship, key: key) + " > 0"
      case .any(let relationship, let inner):
        return try count(relationship, where: inner) + " > 0"
      case .count(let relationship, let op, let number):
        values.append(.integer(Int64(number)))
        return try count(relationship) + " \(op.rawValue) ?"
      case .isIn(let path, let list):
        values += list
        return "\(try column(at: path)) IN (\(list.map { _ in "?" }.joined(separator: ", ")))"
      case .keys(let keys):
        return "t0.Z_PK IN (\(keys.map(String.init).joined(separator: ", ")))"
      case .not(let inner):
        return "NOT (\(try list([inner], joined: "", whenEmpty: "", mayBeMissing: true)))"
      case .and(let inner):
        return try list(inner, joined: " AND ", whenEmpty: "1")
      case .or(let inner):
        return try list(inner, joined: " OR ", whenEmpty: "0", mayBeMissing: true)
      }
    }

    private mutating func list(
      _ predicates: [Predicate],
      joined separator: String,
      whenEmpty: String,
      mayBeMissing: Bool = false
    ) throws -> String {
      guard !predicates.isEmpty else { return whenEmpty }
      let outer = joins.mayBeMissing
      if mayBeMissing { joins.mayBeMissing = true }
      var parts: [String] = []
      for predicate in predicates { parts.append(try condition(predicate)) }
      joins.mayBeMissing = outer
      return parts.count == 1 ? parts[0] : "(\(parts.joined(separator: separator)))"
    }

    private mutating func count(
      _ relationship: String,
      key: Int64? = nil,
      where inner: Predicate? = nil
    ) throws -> String {
      let targets = try joins.targets(of: relationship)
      var (from, filter) = (targets.from, "\(targets.outer) = \(targets.owner)")
      if let key {
        values.append(.integer(key))
        filter += " AND \(targets.key) = ?"
      }
      if let inner {
        let outer = joins
        joins = joins.inside(targets)
        filter += " AND \(try condition(inner))"
        from += joins.sql
        joins = outer
      }
      return "(SELECT COUNT(\(targets.key)) FROM \(from) WHERE (\(filter)) )"
    }

    mutating func column(at path: String, mayBeMissing: Bool = false) throws -> String {
      let (table, property) = try joins.end(of: path, mayBeMissing: mayBeMissing)
      return "\(table.alias).\(try column(of: property, in: table.entity))"
    }

    private func column(of property: String, in name: String) throws -> String {
      if name == entity.name { return try column(of: property) }
      if case .foreignKey(let column, _, _)? = layout.storage(of: property, in: name) {
        return column
      }
      if let column = layout.column(of: property, in: name) { return column.name }
      throw ObjectContextError.unknownProperty(entity: name, property: property)
    }

    private func column(of property: String) throws -> String {
      if let toOne = entity.toOne(property) { return entity.columns[toOne.slot].name }
      return entity.columns[try entity.slot(of: property)].name
    }
  }
}

/// The statements that read a to-many relationship (coredata-format.md, section 13).
struct ToManySQL {
  let toMany: EntityDescription.ToMany
  let plan: SelectPlan

  var keys: String { plan.selectKeys + source + "\(sourceColumn) = ?" + order(prefix: "") }

  var rows: String { plan.selectRows + source + "\(sourceColumn) = ?" + order(prefix: "") }

  /// Selects the rows of the targets of several objects, with the key of the source in the last
  /// column.
  ///
  /// The virtual table `_Z_intarray0` contains the keys of the objects.
  var prefetch: String {
    plan.selectRows + ", \(sourceColumn)" + source
      + "\(sourceColumn) IN (SELECT * FROM _Z_intarray0)" + order(prefix: sourceColumn)
  }

  private var sourceColumn: String {
    switch toMany.storage {
    case .join(_, let side): "t1.\(side.ownColumn)"
    case .inverseForeignKey(_, let column, _), .foreignKey(let column, _, _): "t0.\(column)"
    }
  }

  private var source: String {
    switch toMany.storage {
    case .join(let table, let side):
      " FROM \(table) t1 JOIN \(plan.description.table.name) t0 ON t0.Z_PK = t1.\(side.otherColumn)"
        + " WHERE "
    case .inverseForeignKey(let table, _, _): " FROM \(table) t0 WHERE "
    case .foreignKey: " FROM \(plan.description.table.name) t0 WHERE "
    }
  }

  private func order(prefix: String) -> String {
    let key: String? =
      switch toMany.storage {
      case .join(_, let side): side.orderColumn.map { "t1.\($0)" }
      case .inverseForeignKey(_, _, let column): column.map { "t0.\($0)" }
      case .foreignKey: nil
      }
    let keys = [prefix, key ?? ""].filter { !$0.isEmpty }
    return keys.isEmpty ? "" : " ORDER BY " + keys.joined(separator: ", ")
  }
}

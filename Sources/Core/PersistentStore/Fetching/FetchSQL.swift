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
    countTail = from + filter
    tail = from + filter + (try Self.order(request, predicate)) + Self.limit(request)
    values = predicate.values
  }

  private static func order(_ request: FetchRequest, _ columns: Condition) throws -> String {
    guard !request.sortDescriptors.isEmpty else { return "" }
    let keys = try request.sortDescriptors.map {
      "t0.\(try columns.column(of: $0.property))"
        + ($0.collation.name.map { " COLLATE \($0)" } ?? "") + ($0.isAscending ? "" : " DESC")
    }
    return " ORDER BY " + keys.joined(separator: ", ")
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
    var subqueries = 0

    /// Returns the SQL of a condition and appends its values to `values`, in the order of the
    /// parameters.
    mutating func condition(_ predicate: Predicate) throws -> String {
      switch predicate {
      case .comparison(let property, let op, let value):
        values.append(value)
        return "t0.\(try column(of: property)) \(op.rawValue) ?"
      case .isNull(let property):
        return "t0.\(try column(of: property)) IS NULL"
      case .beginsWith(let property, let prefix):
        return try range(property, prefix)
      case .contains(let property, let text):
        values.append(.text(text))
        let search = FrameworkFunctions.search
        return " \(search)( t0.\(try column(of: property)), ?, \(FrameworkFunctions.cd), 0)"
      case .has(let relationship, let key):
        values.append(.integer(key))
        return try count(relationship, having: true) + " > 0"
      case .count(let relationship, let op, let number):
        values.append(.integer(Int64(number)))
        return try count(relationship) + " \(op.rawValue) ?"
      case .isIn(let property, let list):
        values += list
        return
          "t0.\(try column(of: property)) IN (\(list.map { _ in "?" }.joined(separator: ", ")))"
      case .keys(let keys):
        return "t0.Z_PK IN (\(keys.map(String.init).joined(separator: ", ")))"
      case .not(let inner):
        return "NOT (\(try condition(inner)))"
      case .and(let inner):
        return try list(inner, joined: " AND ", whenEmpty: "1")
      case .or(let inner):
        return try list(inner, joined: " OR ", whenEmpty: "0")
      }
    }

    private mutating func list(
      _ predicates: [Predicate],
      joined separator: String,
      whenEmpty: String
    ) throws -> String {
      guard !predicates.isEmpty else { return whenEmpty }
      var parts: [String] = []
      for predicate in predicates { parts.append(try condition(predicate)) }
      return parts.count == 1 ? parts[0] : "(\(parts.joined(separator: separator)))"
    }

    private mutating func range(_ property: String, _ prefix: String) throws -> String {
      let column = try column(of: property)
      values.append(.text(prefix))
      values.append(.text(prefix + "\u{10FFFF}"))
      return "(t0.\(column) >= ? AND t0.\(column) < ?)"
    }

    private mutating func count(_ relationship: String, having: Bool = false) throws -> String {
      subqueries += 1
      let name = "t\(subqueries)"
      let (table, counted, source): (String, String, String)
      switch layout.storage(of: relationship, in: entity.name) {
      case .inverseForeignKey(let name, let column, _):
        (table, counted, source) = (name, "Z_PK", column)
      case .join(let name, let side):
        (table, counted, source) = (name, side.otherColumn, side.ownColumn)
      case .foreignKey, nil:
        throw ObjectContextError.unknownProperty(entity: entity.name, property: relationship)
      }
      return "(SELECT COUNT(\(name).\(counted)) FROM \(table) \(name)"
        + " WHERE (t0.Z_PK = \(name).\(source)"
        + (having ? " AND \(name).\(counted) = ?" : "") + ") )"
    }

    func column(of property: String) throws -> String {
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

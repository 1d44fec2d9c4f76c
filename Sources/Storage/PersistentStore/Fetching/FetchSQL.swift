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
    var predicate = PredicateSQL(layout: layout, entity: plan.description)
    var conditions = [plan.entityCondition].compactMap { $0 }
    if let condition = request.predicate { conditions.append(try predicate.condition(condition)) }
    let filter = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
    let from = " FROM \(plan.description.table.name) t0"
    countTail = from + filter
    tail = from + filter + (try Self.order(request, predicate)) + Self.limit(request)
    values = predicate.values
  }

  private static func order(_ request: FetchRequest, _ columns: PredicateSQL) throws -> String {
    guard !request.sortDescriptors.isEmpty else { return "" }
    let keys = try request.sortDescriptors.map {
      "t0.\(try columns.column(of: $0.property))\($0.isAscending ? "" : " DESC")"
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

  /// The statement that reads rows, its parameters bound.
  func rows(_ connection: Connection) throws -> Statement {
    bound(try connection.cached(plan.selectRows + tail))
  }

  /// The statement that reads keys alone, its parameters bound.
  func keys(_ connection: Connection) throws -> Statement {
    bound(try connection.cached(plan.selectKeys + tail))
  }

  /// The statement that counts, its parameters bound; it ignores limit and offset.
  func count(_ connection: Connection) throws -> Statement {
    bound(try connection.cached("SELECT COUNT(*)" + countTail))
  }

  private func bound(_ statement: Statement) -> Statement {
    for (index, value) in values.enumerated() { statement.bind(value, at: index + 1) }
    return statement
  }
}

import DataModel
import PersistentStore
import SQLite

/// What a deletion must reach, found in the store it starts from by plain SQL.
///
/// All cascades become edges of one temporary table, which a recursive query follows: neither the
/// context nor the statements of a batch delete have a part in it, and a store without indexes is
/// read once.
struct CascadeClosure {
  /// The keys of what must be gone, by table.
  let doomed: [String: Set<Int64>]
  /// The keys of what survives and must lose a reference, by table.
  let losing: [String: Set<Int64>]

  init(_ graph: CascadeGraph, in start: StoreFile, from keys: [Int64], of root: String) throws {
    let connection = try start.plainConnection()
    let tables = Set(graph.edges.flatMap { [$0.source, $0.target] } + [root]).sorted()
    let numbers = Dictionary(tables.enumerated().map { ($1, $0) }) { $1 }
    try connection.executeScript([
      "CREATE TEMP TABLE steps (rule INTEGER, source INTEGER, sourceKey INTEGER, target INTEGER, "
        + "targetKey INTEGER)",
      "CREATE TEMP TABLE roots (key INTEGER PRIMARY KEY)",
    ])
    let insert = try connection.prepare("INSERT INTO roots VALUES (?)")
    for key in keys {
      insert.bind(key, at: 1)
      try insert.run()
    }
    for edge in graph.edges {
      try connection.execute(Self.steps(of: edge, numbers))
    }
    try connection.execute("CREATE INDEX temp.bySource ON steps (rule, source, sourceKey)")
    try connection.execute(Self.closure(of: numbers[root] ?? 0))
    doomed = try Self.keys(connection, tables, "SELECT tableNumber, key FROM doomed")
    losing = try Self.keys(
      connection,
      tables,
      "SELECT s.target, s.targetKey FROM doomed d JOIN steps s ON s.rule = 1"
        + " AND s.source = d.tableNumber AND s.sourceKey = d.key"
        + " EXCEPT SELECT tableNumber, key FROM doomed"
    )
  }

  /// The rows of one relationship: which object leads to which.
  private static func steps(of edge: CascadeGraph.Edge, _ numbers: [String: Int]) -> String {
    let (from, to) = (numbers[edge.source] ?? 0, numbers[edge.target] ?? 0)
    // Only a cascade counts along a join table; a pair that goes changes no object.
    let rule = edge.rule.rawValue
    let entities = edge.sourceEntities.map {
      " AND p.Z_ENT IN (\($0.map(String.init).joined(separator: ", ")))"
    }
    let head = "INSERT INTO steps SELECT \(rule), \(from), p.Z_PK, \(to), "
    return switch edge.link {
    case .targetColumn(let column, _):
      head + "c.Z_PK FROM \(edge.target) c JOIN \(edge.source) p ON p.Z_PK = c.\(column)"
        + " WHERE true" + (entities ?? "")
    case .sourceColumn(let column):
      head + "p.\(column) FROM \(edge.source) p WHERE p.\(column) IS NOT NULL"
        + (edge.rule == .cascade ? "" : " AND false") + (entities ?? "")
    case .join(let table, let own, let other):
      head + "j.\(other) FROM \(table) j JOIN \(edge.source) p ON p.Z_PK = j.\(own) WHERE "
        + (edge.rule == .cascade ? "true" : "false") + (entities ?? "")
    }
  }

  private static func closure(of root: Int) -> String {
    let cascade = DeleteRule.cascade.rawValue
    return "CREATE TEMP TABLE doomed AS WITH RECURSIVE reached(tableNumber, key) AS ("
      + "SELECT \(root), key FROM roots UNION SELECT s.target, s.targetKey FROM reached r"
      + " JOIN steps s ON s.rule = \(cascade) AND s.source = r.tableNumber AND s.sourceKey = r.key"
      + ") SELECT tableNumber, key FROM reached"
  }

  private static func keys(
    _ connection: Connection,
    _ tables: [String],
    _ sql: String
  ) throws -> [String: Set<Int64>] {
    let statement = try connection.prepare(sql)
    var keys: [String: Set<Int64>] = [:]
    while try statement.step() {
      keys[tables[Int(statement.integer(at: 0))], default: []].insert(statement.integer(at: 1))
    }
    return keys
  }
}

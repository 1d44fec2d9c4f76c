import DataModel
import PersistentStore
import SQLite

/// The keys of all objects that a deletion reaches, in a temporary table for each table.
struct DoomedKeys {
  let connection: Connection
  let graph: CascadeGraph
  /// The tables reached, sources first.
  let tables: [String]

  init(connection: Connection, graph: CascadeGraph, root: String) {
    self.connection = connection
    self.graph = graph
    tables = graph.reached(from: root)
  }

  /// Follows the cascades from some keys of the root's table, level by level.
  func collect(from keys: [Int64], in root: String) throws {
    for table in tables {
      try connection.execute("CREATE TEMP TABLE \(Self.name(table)) (key INTEGER PRIMARY KEY)")
    }
    let array = try IntegerArray(connection: connection, name: "_Z_intarray0")
    array.values = keys
    try connection.execute(
      "INSERT INTO temp.\(Self.name(root)) SELECT * FROM temp._Z_intarray0"
    )
    let edges = graph.edges(.cascade, from: tables)
    let repeats = graph.isCyclic(tables)
    var found = 0
    repeat {
      found = 0
      for edge in edges { found += try follow(edge) }
    } while repeats && found > 0
  }

  private static func name(_ table: String) -> String { "doomed_\(table)" }

  private func follow(_ edge: CascadeGraph.Edge) throws -> Int {
    try connection.cached(
      "INSERT OR IGNORE INTO temp.\(Self.name(edge.target)) \(targets(of: edge))"
    ).run()
    return connection.changes
  }

  /// The keys of the objects that an edge leads to from what is doomed.
  private func targets(of edge: CascadeGraph.Edge) -> String {
    let sources = sources(of: edge)
    // What an object leads to itself counts: in real stores not every inverse leads back.
    if let column = edge.ownColumn {
      return "SELECT \(column) AS key FROM \(edge.source)"
        + " WHERE Z_PK IN (\(sources)) AND \(column) IS NOT NULL"
    }
    return switch edge.link {
    case .targetColumn(let column, _):
      "SELECT Z_PK AS key FROM \(edge.target) WHERE \(column) IN (\(sources))"
    case .join(let table, let own, let other):
      "SELECT \(other) AS key FROM \(table) WHERE \(own) IN (\(sources))"
    case .ownColumnOnly: "SELECT NULL AS key WHERE false"
    }
  }

  /// The keys of the doomed objects that have an edge's relationship.
  func sources(of edge: CascadeGraph.Edge) -> String {
    guard let entities = edge.sourceEntities else { return keys(in: edge.source) }
    let list = entities.map(String.init).joined(separator: ", ")
    return "SELECT Z_PK FROM \(edge.source) WHERE Z_ENT IN (\(list))"
      + " AND Z_PK IN (\(keys(in: edge.source)))"
  }

  /// The doomed keys of a table; none of a table that no cascade reaches.
  func keys(in table: String) -> String {
    tables.contains(table) ? "SELECT key FROM temp.\(Self.name(table))" : "NULL"
  }

  /// The condition on a table's rows that picks what is doomed.
  func condition(in table: String) -> String { "Z_PK IN (\(keys(in: table)))" }

  /// The condition that picks the rows which survive and lead to a doomed object by an edge.
  func survivors(of edge: CascadeGraph.Edge) -> String? {
    guard case .targetColumn(let column, _) = edge.link else { return nil }
    let survives =
      tables.contains(edge.target) ? " AND Z_PK NOT IN (\(keys(in: edge.target)))" : ""
    return "\(column) IN (\(sources(of: edge)))\(survives)"
  }

  /// - Throws: ``CascadeDeleteError/denied(relationship:)`` for the first rule that denies.
  func checkDenials() throws {
    for edge in graph.edges(.deny, from: tables) {
      guard let denying = try denying(edge) else { continue }
      throw denying
    }
  }

  private func denying(_ edge: CascadeGraph.Edge) throws -> CascadeDeleteError? {
    let survives = tables.contains(edge.target) ? "key NOT IN (\(keys(in: edge.target)))" : "true"
    let query = "SELECT 1 FROM (\(targets(of: edge))) WHERE \(survives) LIMIT 1"
    guard try connection.integer(query) != nil else { return nil }
    return .denied(relationship: edge.name)
  }
}

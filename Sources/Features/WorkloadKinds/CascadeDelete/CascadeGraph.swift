import Basics
import DataModel
import PersistentStore
import SQLite

/// The relationships between the tables of a store that deletions may have to follow.
struct CascadeGraph {
  /// A relationship (edge) between two tables, from the source, whose objects are deleted, to the
  /// target.
  struct Edge: Hashable {
    /// The relationship's name, as `ENTITY.RELATIONSHIP`.
    let name: String
    let rule: DeleteRule
    let source: String
    /// The numbers of the entities that have the relationship; `nil` if all entities of the
    /// source's table have it.
    let sourceEntities: [Int]?
    let target: String
    let link: Link
    /// The column of the source's row that contains the target's key; `nil` unless the relationship
    /// is to-one.
    let ownColumn: String?
    /// Whether the inverse relationship is mandatory.
    let isBound: Bool

    var denial: Refusal {
      Refusal(
        .caseFailed,
        "the objects cannot be deleted: the delete rule of '\(name)' is deny"
      )
    }

    var notExpressible: Refusal {
      Refusal(
        .badInput,
        "the cascade along '\(name)' cannot be a FOREIGN KEY clause: it has no inverse to-one"
      )
    }

    /// The error for a cascade without a column in which its orphans (objects that have lost their
    /// source) could be found.
    var noOrphans: Refusal {
      Refusal(.badInput, "orphans of '\(name)' cannot be found: it has no inverse to-one")
    }
  }

  enum Link: Hashable {
    /// The edge is stored in a column of the target's table; `others` are columns that are set to
    /// NULL together with it.
    case targetColumn(String, others: [String])
    /// The edge is stored only in a column of the source's own row.
    case ownColumnOnly
    case join(table: String, own: String, other: String)
  }

  let edges: [Edge]

  init(_ layout: StoreLayout) {
    edges = layout.numbers.entities.flatMap { entity in
      entity.relationships.filter { !$0.isTransient }
        .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        .compactMap { Self.edge(of: $0, declaredBy: entity, layout) }
    }
  }

  private static func edge(
    of relationship: Relationship,
    declaredBy entity: Entity,
    _ layout: StoreLayout
  ) -> Edge? {
    guard let source = layout.table(of: entity.name),
      let target = layout.table(of: relationship.destination),
      let link = link(of: relationship, declaredBy: entity, layout)
    else { return nil }
    let family = layout.model.family(of: entity).map(\.name)
    return Edge(
      name: "\(entity.name).\(relationship.name)",
      rule: relationship.deleteRule,
      source: source.name,
      sourceEntities: family.count == source.entities.count
        ? nil : family.compactMap { layout.numbers[$0] },
      target: target.name,
      link: link,
      ownColumn: ownColumn(of: relationship, declaredBy: entity, layout),
      isBound: layout.model.inverse(of: relationship).map { !$0.isOptional } ?? false
    )
  }

  private static func ownColumn(
    of relationship: Relationship,
    declaredBy entity: Entity,
    _ layout: StoreLayout
  ) -> String? {
    guard
      case .foreignKey(let column, _, _)? = layout.storage(of: relationship.name, in: entity.name)
    else { return nil }
    return column
  }

  private static func link(
    of relationship: Relationship,
    declaredBy entity: Entity,
    _ layout: StoreLayout
  ) -> Link? {
    switch layout.storage(of: relationship.name, in: entity.name) {
    case .join(let table, let side):
      return .join(table: table, own: side.ownColumn, other: side.otherColumn)
    case .inverseForeignKey(_, let column, _):
      return back(relationship, layout) ?? .targetColumn(column, others: [])
    case .foreignKey: return back(relationship, layout) ?? .ownColumnOnly
    case nil: return nil
    }
  }

  /// The column of the inverse to-one relationship; `nil` if there is no such inverse.
  private static func back(_ relationship: Relationship, _ layout: StoreLayout) -> Link? {
    guard let inverse = layout.model.inverse(of: relationship),
      case .foreignKey(let column, let entity, let order)? =
        layout.storage(of: inverse.name, in: relationship.destination)
    else { return nil }
    return .targetColumn(column, others: [entity, order].compactMap { $0 })
  }

  /// The tables that cascades reach from a table.
  ///
  /// If the graph is acyclic, each source precedes its targets.
  func reached(from root: String) -> [String] {
    var finished: [String] = []
    var seen: Set<String> = []
    func visit(_ table: String) {
      guard seen.insert(table).inserted else { return }
      for edge in edges where edge.source == table && edge.rule == .cascade { visit(edge.target) }
      finished.append(table)
    }
    visit(root)
    return finished.reversed()
  }

  func edges(_ rule: DeleteRule, from tables: [String]) -> [Edge] {
    tables.flatMap { table in edges.filter { $0.source == table && $0.rule == rule } }
  }

  /// Whether a cascade leads back to the same or an earlier table, so that one pass is not enough.
  func isCyclic(_ tables: [String]) -> Bool {
    let places = Dictionary(tables.enumerated().map { ($1, $0) }) { $1 }
    return edges(.cascade, from: tables).contains {
      (places[$0.target] ?? 0) <= (places[$0.source] ?? 0)
    }
  }
}

struct CascadeRoot {
  let entity: String
  let table: String
  private let entities: [Int]

  init(of parameters: CascadeParameters, in layout: StoreLayout) throws {
    let name = parameters.shape == .chain ? ChainModel.entity(0) : parameters.entity
    try self.init(named: name, in: layout)
  }

  init(named name: String, in layout: StoreLayout) throws {
    let model = layout.model
    guard let chosen = model.entity(named: name), let table = layout.table(of: chosen.name) else {
      throw Refusal.unknownEntity(name, in: model)
    }
    entity = chosen.name
    self.table = table.name
    entities = model.family(of: chosen).compactMap { layout.numbers[$0.name] }
  }

  static func noObjects(_ entity: String) -> Refusal {
    Refusal(.badInput, "the store has no objects of '\(entity)' to delete")
  }

  func keys(_ connection: Connection) throws -> [Int64] {
    let list = entities.map(String.init).joined(separator: ", ")
    let keys = try connection.prepare(
      "SELECT Z_PK FROM \(table) WHERE Z_ENT IN (\(list)) ORDER BY Z_PK"
    ).map { $0.integer(at: 0) }
    guard !keys.isEmpty else { throw Self.noObjects(entity) }
    return keys
  }
}

/// The keys of all objects that a deletion reaches, in one temporary table per table of the store.
struct KeysToDelete {
  let connection: Connection
  let graph: CascadeGraph
  /// The tables that the deletion reaches, with sources before targets.
  let tables: [String]

  init(connection: Connection, graph: CascadeGraph, root: String) {
    self.connection = connection
    self.graph = graph
    tables = graph.reached(from: root)
  }

  func collect(from keys: [Int64], in root: String) throws {
    try collect(in: root) {
      let array = try IntegerArray(connection: connection, name: "_Z_intarray0")
      array.values = keys
      return "temp._Z_intarray0"
    }
  }

  /// Collects the keys that cascades reach from the keys in the one-column table that `list` names.
  func collect(in root: String, from list: () throws -> String) throws {
    for table in tables {
      try connection.execute("CREATE TEMP TABLE \(Self.name(table)) (key INTEGER PRIMARY KEY)")
    }
    let list = try list()
    try connection.execute("INSERT INTO temp.\(Self.name(root)) SELECT * FROM \(list)")
    let edges = graph.edges(.cascade, from: tables)
    let repeats = graph.isCyclic(tables)
    var found = 0
    repeat {
      found = 0
      for edge in edges { found += try follow(edge) }
    } while repeats && found > 0
  }

  /// Drops the key tables, so that another deletion can follow on the same connection.
  func forget() throws {
    for table in tables { try connection.execute("DROP TABLE temp.\(Self.name(table))") }
  }

  private static func name(_ table: String) -> String { "delete_\(table)" }

  private func follow(_ edge: CascadeGraph.Edge) throws -> Int {
    try connection.cached(
      "INSERT OR IGNORE INTO temp.\(Self.name(edge.target)) \(targets(of: edge))"
    ).run()
    return connection.changes
  }

  private func targets(of edge: CascadeGraph.Edge) -> String {
    let sources = sources(of: edge)
    // Prefer the source's own column to the inverse, because real stores lack some inverses.
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

  /// A query for the keys of the objects being deleted whose entity has the edge's relationship.
  func sources(of edge: CascadeGraph.Edge) -> String {
    guard let entities = edge.sourceEntities else { return keys(in: edge.source) }
    let list = entities.map(String.init).joined(separator: ", ")
    return "SELECT Z_PK FROM \(edge.source) WHERE Z_ENT IN (\(list))"
      + " AND Z_PK IN (\(keys(in: edge.source)))"
  }

  /// A query for the keys to delete in a table, or `NULL` if no cascade reaches the table.
  func keys(in table: String) -> String {
    tables.contains(table) ? "SELECT key FROM temp.\(Self.name(table))" : "NULL"
  }

  func condition(in table: String) -> String { "Z_PK IN (\(keys(in: table)))" }

  /// The condition that selects the surviving rows that refer to a deleted object along an edge.
  func survivors(of edge: CascadeGraph.Edge) -> String? {
    guard case .targetColumn(let column, _) = edge.link else { return nil }
    let survives =
      tables.contains(edge.target) ? " AND Z_PK NOT IN (\(keys(in: edge.target)))" : ""
    return "\(column) IN (\(sources(of: edge)))\(survives)"
  }

  func checkDenials() throws {
    for edge in graph.edges(.deny, from: tables) {
      let survives = tables.contains(edge.target) ? "key NOT IN (\(keys(in: edge.target)))" : "true"
      let query = "SELECT 1 FROM (\(targets(of: edge))) WHERE \(survives) LIMIT 1"
      if try connection.integer(query) != nil { throw edge.denial }
    }
  }
}

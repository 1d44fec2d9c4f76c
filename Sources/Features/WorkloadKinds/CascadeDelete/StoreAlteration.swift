import DataModel
import PersistentStore
import SQLite

/// Alters a store in ways that Core Data never does: adds FOREIGN KEY clauses or drops indexes.
struct StoreAlteration {
  let layout: StoreLayout
  let graph: CascadeGraph
  let connection: Connection

  // MARK: Foreign keys

  /// Rebuilds the tables with the FOREIGN KEY clauses that correspond to the relationships' delete
  /// rules.
  ///
  /// This follows https://www.sqlite.org/lang_altertable.html, section 7. The clauses refer to the
  /// tables by their final names, so the renaming must not rewrite them.
  /// - Throws: ``Refusal`` for a cascade that a clause cannot express.
  func addForeignKeys(from root: String) throws {
    for edge in graph.edges(.cascade, from: graph.reached(from: root)) {
      guard case .targetColumn = edge.link else {
        throw edge.notExpressible
      }
    }
    try connection.execute("PRAGMA foreign_keys=off")
    try connection.execute("PRAGMA legacy_alter_table=on")
    try connection.transaction {
      for table in layout.tables {
        try replace(table.name, table.definition.sql, clauses: clauses(of: table))
      }
      for table in layout.joinTables {
        try replace(table.name, table.definition.sql, clauses: clauses(of: table))
      }
    }
    try connection.execute("PRAGMA legacy_alter_table=off")
  }

  private func clauses(of table: EntityTable) -> [String] {
    graph.edges.compactMap { edge in
      guard edge.target == table.name, case .targetColumn(let column, _) = edge.link,
        let action = action(of: edge.rule)
      else { return nil }
      return clause(column, edge.source, action)
    }
  }

  private func action(of rule: DeleteRule) -> String? {
    switch rule {
    case .cascade: "CASCADE"
    case .nullify: "SET NULL"
    case .deny: "RESTRICT"
    case .noAction: nil
    }
  }

  private func clauses(of table: JoinTable) -> [String] {
    [table.master, table.slave].compactMap { side in
      layout.table(of: side.entity).map { clause(side.ownColumn, $0.name, "CASCADE") }
    }
  }

  private func clause(_ column: String, _ table: String, _ action: String) -> String {
    ", FOREIGN KEY (\(column)) REFERENCES \(table) (Z_PK) ON DELETE \(action)"
  }

  private func replace(_ table: String, _ definition: String, clauses: [String]) throws {
    guard !clauses.isEmpty else { return }
    let indexes = try texts(
      "SELECT sql FROM sqlite_master WHERE tbl_name = ? AND sql IS NOT NULL AND type <> 'table'"
        + " ORDER BY rowid",
      table
    )
    let columns = try texts("SELECT name FROM pragma_table_info(?)", table).joined(separator: ", ")
    let made = definition.replacing("CREATE TABLE \(table) (", with: "CREATE TABLE altered (")
    try connection.execute(String(made.dropLast()) + clauses.joined() + ")")
    try connection.execute("INSERT INTO altered(\(columns)) SELECT \(columns) FROM \(table)")
    try connection.execute("DROP TABLE \(table)")
    try connection.execute("ALTER TABLE altered RENAME TO \(table)")
    try connection.executeScript(indexes)
  }

  private func texts(_ sql: String, _ argument: String) throws -> [String] {
    let statement = try connection.prepare(sql)
    statement.bind(argument, at: 1)
    return try statement.map { $0.text(at: 0) }
  }

  // MARK: Indexes

  func dropChildIndexes(from root: String) throws {
    let tables = Set(graph.reached(from: root))
    for edge in graph.edges where tables.contains(edge.source) {
      guard case .targetColumn(let column, _) = edge.link else { continue }
      try connection.execute("DROP INDEX IF EXISTS \(edge.target)_\(column)_INDEX")
    }
  }
}

/// A chain of entities: each object has children that belong to the next entity.
struct ChainModel: Sendable {
  let parameters: CascadeParameters

  /// The name of the entity at a level of the cascade; the selected objects are at level 0.
  static func entity(_ level: Int) -> String { "Node\(level)" }

  var model: Model {
    Model(entities: (0...parameters.depth).map(entity))
  }

  private func entity(_ level: Int) -> Entity {
    var attributes = [
      Attribute(name: "name", type: .string, preservesValueOnDeletion: true),
      Attribute(name: "number", type: .integer64, preservesValueOnDeletion: true),
    ]
    if parameters.blob > 0 && level == parameters.depth {
      attributes.append(Attribute(name: "data", type: .binary, allowsExternalStorage: true))
    }
    var relationships: [Relationship] = []
    if level > 0 {
      relationships.append(
        Relationship(
          name: "parent",
          destination: Self.entity(level - 1),
          inverse: "children",
          isOptional: !(parameters.isMandatory && level == 1)
        )
      )
    }
    if level < parameters.depth {
      relationships.append(
        Relationship(
          name: "children",
          destination: Self.entity(level + 1),
          inverse: "parent",
          isToMany: true,
          deleteRule: level == 0 ? parameters.rule.deleteRule : .cascade
        )
      )
    }
    return Entity(
      name: Self.entity(level),
      attributes: attributes,
      relationships: relationships
    )
  }
}

/// Creates the store of a chain by saving objects in an object context.
struct ChainStore {
  private static let objectsPerSave = 2000

  let parameters: CascadeParameters
  let seed: UInt64

  func make(_ store: PersistentStore) throws {
    let context = try ObjectContext(store: store)
    let blobs = SeededBlobs(seed: seed, size: max(1, parameters.blob))
    var (unsaved, unsavedBytes, leaves) = (0, 0, Int64(0))
    func add(level: Int, number: Int64, under parent: ManagedObject?) throws {
      let object = try context.insert(ChainModel.entity(level))
      try object.setValue(.integer(number), of: "number")
      try object.setValue(.text("node \(level)/\(number)"), of: "name")
      if let parent { try object.setTarget(parent, of: "parent") }
      unsaved += 1
      guard level < parameters.depth else {
        guard parameters.blob > 0 else { return }
        leaves += 1
        unsavedBytes += parameters.blob
        return try object.setValue(.blob(blobs.bytes(of: leaves)), of: "data")
      }
      for child in 0..<Int64(parameters.fanOut) {
        try add(
          level: level + 1,
          number: number * Int64(parameters.fanOut) + child,
          under: object
        )
      }
    }
    for root in 0..<Int64(parameters.roots) {
      try add(level: 0, number: root, under: nil)
      guard unsaved >= Self.objectsPerSave || unsavedBytes > 32 << 20 else { continue }
      try context.save()
      context.reset()
      (unsaved, unsavedBytes) = (0, 0)
    }
    try context.save()
    context.reset()
  }
}

import DataModel
import PersistentStore
import SQLite

/// The entities, indexes and sizes of the tables in a log, from a model or a store.
package struct LogSchema: Sendable {
  package struct Index: Hashable, Sendable {
    package let name: String
    package let columns: [String]
    /// Whether the model declares the index, so that the app's developers can remove it.
    package let isFetchIndex: Bool
    package var isUnique = false
  }

  package struct Table: Sendable {
    /// The root entity of the table.
    package var entity: String
    /// The names of attributes and relationships, by column.
    package var properties: [String: String] = [:]
    /// The destination entities of to-one relationships, by column.
    package var destinations: [String: String] = [:]
    /// The columns of binary data that is stored in the row.
    package var binaryColumns: [String] = []
    package var indexes: [Index] = []
    /// The number of objects; `nil` if only the model is known.
    package var rows: Int?
    /// The mean size of values in bytes by binary column, from a sample of the objects.
    package var meanBytes: [String: Int] = [:]
  }

  package private(set) var tables: [String: Table] = [:]
  /// The names of relationships, such as `Item.tags`, by column of a join table.
  package private(set) var joins: [String: String] = [:]

  package init(tables: [String: Table]) {
    self.tables = tables
  }

  /// Creates the schema of a model's store.
  package init(model: Model) {
    let layout = StoreLayout(model: model, keepsHistory: false)
    for table in layout.tables {
      var described = Table(entity: table.root)
      for column in table.columns {
        described.properties[column.name] = column.property
        switch column.content {
        case .foreignKey(let relationship):
          described.destinations[column.name] = relationship.destination
        case .attribute(let attribute)
        where attribute.type == .binary && !attribute.allowsExternalStorage:
          described.binaryColumns.append(column.name)
        default: continue
        }
      }
      described.indexes = layout.indexes(of: table).filter { $0.table == table.name }.map {
        Index(
          name: $0.name,
          columns: $0.columns.map(\.name),
          isFetchIndex: !$0.isUnique && !$0.name.hasSuffix("_INDEX")
        )
      }
      tables[table.name] = described
    }
    for join in layout.joinTables {
      for side in [join.master, join.slave] {
        joins["\(join.name).\(side.ownColumn)"] = "\(side.entity).\(side.relationship)"
      }
    }
  }

  /// Reads the tables of an app's own database, which has no model.
  ///
  /// - Throws: an error if the database cannot be read.
  package init(tablesOf connection: Connection) throws {
    let columns = try connection.prepare(
      """
      SELECT t.name, c.name, upper(c.type), c.pk FROM sqlite_schema AS t \
      JOIN pragma_table_info(t.name) AS c WHERE t.type = 'table' AND t.rootpage > 0 \
      AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY 1, c.cid
      """
    )
    var keys: [String: [(place: Int64, name: String)]] = [:]
    while try columns.step() {
      let (table, name) = (columns.text(at: 0), columns.text(at: 1))
      var described = tables[table] ?? Table(entity: table)
      described.properties[name] = name
      if columns.text(at: 2) == "BLOB" { described.binaryColumns.append(name) }
      tables[table] = described
      if columns.integer(at: 3) > 0 {
        keys[table, default: []].append((columns.integer(at: 3), name))
      }
    }
    try read(connection)
    for (table, columns) in keys {
      // Treat the primary key as an index, because SQLite finds and sorts its values by the rowid
      // or by an automatic index.
      let names = columns.sorted { $0.place < $1.place }.map(\.name)
      tables[table]?.indexes.append(
        Index(name: "PRIMARY KEY", columns: names, isFetchIndex: false, isUnique: true)
      )
    }
  }

  /// Reads sizes and the existing indexes from an open store.
  ///
  /// - Throws: an error if the store cannot be read.
  package mutating func read(_ connection: Connection) throws {
    var indexes: [String: [Index]] = [:]
    let list = try connection.prepare(
      """
      SELECT i.tbl_name, i.name, x.name, l."unique" FROM sqlite_schema AS i \
      JOIN pragma_index_list(i.tbl_name) AS l ON l.name = i.name \
      JOIN pragma_index_info(i.name) AS x WHERE i.type = 'index' ORDER BY 1, 2, x.seqno
      """
    )
    while try list.step() {
      let (table, name) = (list.text(at: 0), list.text(at: 1))
      let isFetchIndex =
        list.integer(at: 3) == 0 && !name.hasSuffix("_INDEX") && !name.hasPrefix("sqlite_")
      var found = indexes[table, default: []]
      let columns =
        (found.last?.name == name ? found.removeLast().columns : []) + [list.text(at: 2)]
      indexes[table] =
        found + [
          Index(
            name: name,
            columns: columns,
            isFetchIndex: isFetchIndex,
            isUnique: list.integer(at: 3) != 0
          )
        ]
    }
    for table in tables.keys.sorted() {
      tables[table]?.indexes = indexes[table] ?? []
      let quoted = table.quotedName
      // Skip a table that the model has but the store lacks.
      guard let rows = try? connection.integer("SELECT count(*) FROM \(quoted)") else { continue }
      tables[table]?.rows = Int(rows)
      for column in tables[table]?.binaryColumns ?? [] {
        let mean = try? connection.integer(
          "SELECT avg(length(\(column.quotedName))) FROM (SELECT \(column.quotedName) FROM "
            + "\(quoted) WHERE \(column.quotedName) IS NOT NULL LIMIT 200)"
        )
        if let mean { tables[table]?.meanBytes[column] = Int(mean) }
      }
    }
  }
}

/// Translates tables and columns into the names of entities and properties that the app's
/// developers know.
package struct Vocabulary: Sendable {
  package let schema: LogSchema?
  private let logged: LogNames

  package init(schema: LogSchema?, names: LogNames) {
    self.schema = schema
    logged = names
  }

  /// Returns the entity of a table, spelled as in the model or an annotation, or else as in the
  /// table's name.
  package func entity(of table: String) -> String {
    schema?.tables[table]?.entity ?? logged.entities[table] ?? Self.plain(table)
  }

  /// Returns the property of a column.
  package func property(_ column: String, of table: String) -> String {
    if column == "Z_PK" { return "objectID" }
    if column == "Z_ENT" { return "entity" }
    return schema?.tables[table]?.properties[column]
      ?? (Self.isFramework(column) ? Self.plain(column).lowercased() : column)
  }

  /// Returns the only to-one relationship between two tables, such as `Task.project`; `nil` if
  /// there is no such relationship or more than one.
  package func toOne(from table: String, to destination: String) -> String? {
    guard let source = schema?.tables[table], let target = schema?.tables[destination] else {
      return nil
    }
    let columns = source.destinations.filter { $0.value == target.entity }.map(\.key)
    guard columns.count == 1, let name = source.properties[columns[0]] else { return nil }
    return "\(source.entity).\(name)"
  }

  func keyPath(
    _ fault: StatementShape,
    purpose: LoggedStatement.Purpose,
    from table: String?
  ) -> String {
    if case .toManyFault(_, let relationship, _) = purpose {
      return self.name(relationship)
    }
    let found: String?
    if fault.kind == .toManyFault {
      let condition = fault.conditions.first { $0.operation == .equals }
      found = condition.flatMap { schema?.joins["\($0.table).\($0.column)"] }
    } else {
      found = table.flatMap { toOne(from: $0, to: fault.table) }
    }
    return found?.split(separator: ".").last.map(String.init) ?? ""
  }

  /// Returns the name of an entity or relationship from an annotation, by its index.
  package func name(_ place: Int) -> String { logged[place] }

  /// Removes the prefix `Z` from a Core Data name; an app's own names stay unchanged.
  private static func plain(_ name: String) -> String {
    isFramework(name) ? String(name.dropFirst()) : name
  }

  private static func isFramework(_ name: String) -> Bool {
    name.first == "Z" && !name.contains(where: \.isLowercase)
  }
}

extension Vocabulary {
  /// Describes a statement in Core Data's terms, such as `fetch of Task sorted by createdAt`.
  package func operation(
    _ shape: StatementShape,
    purpose: LoggedStatement.Purpose = .unknown,
    batchSize: Int = -1
  ) -> String {
    let entity = entity(of: shape.table)
    switch purpose {
    case .fault(let name, _): return "fault on \(self.name(name))"
    case .toManyFault(let name, let relationship, _):
      return "fault on \(self.name(name)).\(self.name(relationship))"
    case .prefetch(let relationship): return "prefetch of \(self.name(relationship)) (\(entity))"
    case .unknown: break
    }
    switch shape.kind {
    case .fault: return "fault on \(entity)"
    case .toManyFault: return relationshipFault(shape)
    case .batch:
      return "batch of \(entity)" + (batchSize > 0 ? ", \(batchSize) objects each" : "")
    // Without its annotation, a prefetch looks like a fetch of the app's own by object IDs.
    case .prefetch: return "fetch of \(entity) by a list of keys"
    case .fetch:
      return "fetch of \(entity)" + filters(shape) + sorting(shape) + limit(shape, batchSize)
    case .keyFetch:
      // A batched fetch reads the keys first.
      if batchSize > 0, !shape.hasLimit {
        return "fetch of \(entity)" + filters(shape) + sorting(shape) + ", batches of \(batchSize)"
      }
      return "fetch of \(entity) (keys only)" + filters(shape) + sorting(shape)
        + limit(shape, batchSize)
    case .count: return "count of \(entity)" + filters(shape)
    case .aggregate: return "values of \(entity)" + filters(shape) + sorting(shape)
    case .insert:
      return shape.table.hasPrefix("Z_") ? "link in \(shape.table)" : "insert of \(entity)"
    case .update: return "update of \(entity)"
    case .delete:
      return shape.table.hasPrefix("Z_") ? "unlink in \(shape.table)" : "delete of \(entity)"
    case .begin: return "start of a save"
    case .commit: return "end of a save"
    case .rollback: return "rollback"
    case .pragma: return "setting of SQLite"
    case .system: return "upkeep of the store (\(shape.table))"
    case .schema: return "change of the schema"
    case .other: return "other statement"
    }
  }

  private func relationshipFault(_ shape: StatementShape) -> String {
    let entity = entity(of: shape.table)
    guard let condition = shape.conditions.first(where: { $0.operation == .equals }) else {
      return "to-many fault on \(entity)"
    }
    if let name = schema?.joins["\(condition.table).\(condition.column)"] {
      return "fault on \(name)"
    }
    let inverse = property(condition.column, of: condition.table)
    return "to-many fault: \(entity) by \(inverse)"
  }

  private func limit(_ shape: StatementShape, _ limit: Int) -> String {
    guard shape.hasLimit else { return "" }
    return limit > 0 ? ", limit \(limit)" : ", with a limit"
  }

  private func filters(_ shape: StatementShape) -> String {
    var names: [String] = []
    for condition in shape.conditions {
      // Core Data adds its own conditions to exclude sub-entities and missing values.
      let isOwn = condition.column == "Z_ENT" || condition.operation == .null
      if isOwn, shape.conditions.contains(where: { $0.column != "Z_ENT" && $0.operation != .null })
      {
        continue
      }
      let name = property(condition.column, of: condition.table)
      let text = condition.operation == .search ? "text in \(name)" : name
      if !names.contains(text) { names.append(text) }
    }
    if names.isEmpty { return shape.hasPredicate ? " with a predicate" : "" }
    return " by " + names.joined(separator: ", ")
  }

  private func sorting(_ shape: StatementShape) -> String {
    guard !shape.sorts.isEmpty else { return "" }
    let names = shape.sorts.map {
      property($0.column, of: $0.table) + ($0.isDescending ? " (descending)" : "")
    }
    return " sorted by " + names.joined(separator: ", ")
  }
}

import Basics
import DataModel
import PersistentStore
import Runner
import SQLite

/// Deletes objects by statements for many rows at once, past every context.
///
/// No public log shows the statements of `NSBatchDeleteRequest` (coredata-format.md, section 13),
/// so that both shapes are assumed.
struct BatchDeletion {
  let session: CascadeSession
  let parameters: CascadeParameters

  private var connection: Connection { session.store.connection }

  func run(_ recorder: Recorder) throws {
    var rows = RowDeletion(
      store: session.store,
      history: BatchHistory(session.store),
      removesFiles: parameters.batchExternalFiles == .removed,
      raisesVersions: parameters.batchVersions == .raised
    )
    defer { recorder.count(rows.fileCounters) }
    switch parameters.batchShape {
    case .byLevel: try deleteByLevel(&rows)
    case .orphanCleanup: try deleteRootsThenOrphans(&rows)
    }
  }

  // MARK: By level

  private func deleteByLevel(_ rows: inout RowDeletion) throws {
    try connection.transaction {
      let keysToDelete = KeysToDelete(
        connection: connection,
        graph: session.graph,
        root: session.root.table
      )
      try keysToDelete.collect(from: session.keys, in: session.root.table)
      try keysToDelete.checkDenials()
      rows.history?.begin()
      try letGo(of: keysToDelete, &rows)
      for table in keysToDelete.tables.reversed() {
        _ = try rows.delete(from: table, where: keysToDelete.condition(in: table))
      }
    }
    try rows.didCommit()
  }

  /// Empties the references of surviving objects to deleted ones.
  private func letGo(of keysToDelete: KeysToDelete, _ rows: inout RowDeletion) throws {
    for rule in [DeleteRule.nullify, .cascade] {
      for edge in session.graph.edges(rule, from: keysToDelete.tables) {
        if case .join(let table, let own, _) = edge.link {
          _ = try rows.deletePairs(table, where: "\(own) IN (\(keysToDelete.sources(of: edge)))")
        } else if rule == .nullify, let condition = keysToDelete.survivors(of: edge) {
          _ = try rows.nullify(edge, where: condition)
        }
      }
    }
  }

  // MARK: Orphans

  /// Each request is a transaction of its own, as each `execute` of one is.
  private func deleteRootsThenOrphans(_ rows: inout RowDeletion) throws {
    let tables = session.graph.reached(from: session.root.table)
    try checkOrphansCanBeTold(in: tables)
    let array = try IntegerArray(connection: connection, name: "_Z_intarray0")
    array.values = session.keys
    try checkDenialsOfRoots()
    try request(&rows) {
      _ = try $0.delete(
        from: session.root.table,
        where: "Z_PK IN (SELECT * FROM temp._Z_intarray0)"
      )
    }
    let repeats = session.graph.isCyclic(tables)
    var found = 0
    repeat {
      found = 0
      for edge in session.graph.edges(.cascade, from: tables) {
        try request(&rows) { found += try $0.delete(from: edge.target, where: orphans(of: edge)) }
      }
    } while repeats && found > 0
    try request(&rows) { try letGoOfOrphans(tables, &$0) }
  }

  /// Asks first what a request for the roots alone would not be refused for.
  private func checkDenialsOfRoots() throws {
    for edge in session.graph.edges(.deny, from: [session.root.table]) {
      guard case .targetColumn(let column, _) = edge.link else { continue }
      let query =
        "SELECT 1 FROM \(edge.target) WHERE \(column) IN (SELECT * FROM temp._Z_intarray0) LIMIT 1"
      if try connection.integer(query) != nil {
        throw CascadeDeleteError.denied(relationship: edge.name)
      }
    }
  }

  private func checkOrphansCanBeTold(in tables: [String]) throws {
    for edge in session.graph.edges(.cascade, from: tables) {
      guard case .targetColumn = edge.link else {
        throw CascadeDeleteError.noOrphans(relationship: edge.name)
      }
    }
  }

  /// The condition that picks what leads by an edge to a source that is gone.
  private func orphans(of edge: CascadeGraph.Edge) -> String {
    guard case .targetColumn(let column, _) = edge.link else { return "false" }
    return "\(column) IS NOT NULL AND \(column) NOT IN (SELECT Z_PK FROM \(edge.source))"
  }

  private func letGoOfOrphans(_ tables: [String], _ rows: inout RowDeletion) throws {
    for edge in session.graph.edges(.nullify, from: tables) {
      if case .join(let table, let own, _) = edge.link {
        _ = try rows.deletePairs(table, where: "\(own) NOT IN (SELECT Z_PK FROM \(edge.source))")
      } else {
        _ = try rows.nullify(edge, where: orphans(of: edge))
      }
    }
  }

  private func request(
    _ rows: inout RowDeletion,
    _ body: (inout RowDeletion) throws -> Void
  ) throws {
    try connection.transaction {
      rows.history?.begin()
      try body(&rows)
    }
    try rows.didCommit()
  }
}

/// Deletes and changes many rows by one statement each, with the history and files they have.
struct RowDeletion {
  let store: PersistentStore
  /// Records what is done; `nil` where nothing is to be recorded.
  let history: BatchHistory?
  /// Whether the files of deleted objects are given up.
  let removesFiles: Bool
  let raisesVersions: Bool
  private var bytes = FileBytes()
  private var abandoned: [String] = []

  private var connection: Connection { store.connection }

  init(
    store: PersistentStore,
    history: BatchHistory? = nil,
    removesFiles: Bool = true,
    raisesVersions: Bool = false
  ) {
    self.store = store
    self.history = history
    self.removesFiles = removesFiles
    self.raisesVersions = raisesVersions
  }

  var fileCounters: FileBytes.Counters { bytes.counters }

  /// Deletes the rows of a table that a condition picks and returns how many there were.
  mutating func delete(from table: String, where condition: String) throws -> Int {
    try abandonFiles(of: table, where: condition)
    try history?.recordDeletions(from: table, where: condition)
    try connection.cached("DELETE FROM \(table) WHERE \(condition)").run()
    return connection.changes
  }

  /// Empties the column of an edge, and those beside it, in the rows that a condition picks.
  func nullify(_ edge: CascadeGraph.Edge, where condition: String) throws -> Int {
    guard case .targetColumn(let column, let others) = edge.link else { return 0 }
    try history?.recordUpdates(of: column, in: edge.target, where: condition)
    let sets = ([column] + others).map { "\($0) = NULL" } + (raisesVersions ? [Self.raise] : [])
    try connection.cached(
      "UPDATE \(edge.target) SET \(sets.joined(separator: ", ")) WHERE \(condition)"
    ).run()
    return connection.changes
  }

  private static let raise = "Z_OPT = Z_OPT + 1"

  func deletePairs(_ table: String, where condition: String) throws -> Int {
    try connection.cached("DELETE FROM \(table) WHERE \(condition)").run()
    return connection.changes
  }

  /// Notes the external files of the rows that a condition picks.
  mutating func abandonFiles(of table: String, where condition: String) throws {
    guard removesFiles,
      let columns = store.layout.tables.first(where: { $0.name == table })?.externalColumns
    else { return }
    for column in columns {
      let statement = try connection.cached(
        "SELECT \(column) FROM \(table) WHERE \(condition) AND substr(\(column), 1, 1) = x'02'"
      )
      while try statement.step() {
        if let name = ExternalStorage.fileName(in: statement.blob(at: 0)) { abandoned.append(name) }
      }
    }
  }

  /// Removes the files that no row leads to any more.
  mutating func didCommit() throws {
    for name in abandoned { try bytes.remove(store.file.externalDataFolder + "/" + name) }
    abandoned = []
  }
}

extension EntityTable {
  /// The columns whose data may be in external files.
  var externalColumns: [String] {
    columns.compactMap { column in
      guard case .attribute(let attribute) = column.content, attribute.allowsExternalStorage else {
        return nil
      }
      return column.name
    }
  }
}

/// Writes the persistent history of statements that change many rows at once.
///
/// That such requests are recorded is documented; the rows have the shape of those that saves
/// write (coredata-format.md, section 11).
final class BatchHistory {
  private let store: PersistentStore
  private var transaction: Int64 = 0
  private var isWritten = false

  private var connection: Connection { store.connection }
  private var layout: StoreLayout { store.layout }

  /// - Returns: `nil` where the store keeps no history.
  init?(_ store: PersistentStore) {
    guard store.layout.keepsHistory else { return nil }
    self.store = store
  }

  /// Begins the history of one request; its row is written with its first change.
  func begin() {
    isWritten = false
  }

  private func writeTransaction() throws {
    let bundle = try key(of: store.bundleIdentifier)
    let process = try key(of: store.processName)
    let insert = try connection.cached(
      "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZBUNDLEIDTS, ZPROCESSIDTS, ZTIMESTAMP)"
        + " VALUES (?, \(EntityNumbers.transaction), ?, ?, ?)"
    )
    insert.bind(transaction, at: 1)
    insert.bind(bundle, at: 2)
    insert.bind(process, at: 3)
    insert.bind(store.clock(), at: 4)
    try insert.run()
    _ = try reserve(1, of: EntityNumbers.transaction)
    isWritten = true
  }

  /// The highest key handed out before as many more.
  private func reserve(_ count: Int, of number: Int) throws -> Int64 {
    let last = try maximum(of: number)
    let update = try connection.cached("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?")
    update.bind(last + Int64(count), at: 1)
    update.bind(Int64(number), at: 2)
    try update.run()
    return last
  }

  private func maximum(of number: Int) throws -> Int64 {
    try connection.integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)") ?? 0
  }

  private func key(of name: String) throws -> Int64 {
    let select = try connection.cached("SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?")
    select.bind(name, at: 1)
    defer { select.reset() }
    if try select.step() { return select.integer(at: 0) }
    let key = try reserve(1, of: EntityNumbers.transactionString) + 1
    let insert = try connection.cached(
      "INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME)"
        + " VALUES (?, \(EntityNumbers.transactionString), ?)"
    )
    insert.bind(key, at: 1)
    insert.bind(name, at: 2)
    try insert.run()
    return key
  }

  /// Records the deletion of the rows that a condition picks, with their tombstones.
  func recordDeletions(from table: String, where condition: String) throws {
    let tombstones = (0..<layout.tombstoneCount).map { (name: "ZTOMBSTONE\($0)", index: $0) }
    let names = tombstones.map { ", \($0.name)" }.joined()
    let values = tombstones.map { ", " + tombstone($0.index, in: table) }.joined()
    try record(2, table, "ZCOLUMNS\(names)", "NULL\(values)", condition)
  }

  /// Records that a column of the rows that a condition picks is changed.
  func recordUpdates(of column: String, in table: String, where condition: String) throws {
    try record(1, table, "ZCOLUMNS", changedColumns(column, in: table), condition)
  }

  private func record(
    _ kind: Int,
    _ table: String,
    _ columns: String,
    _ values: String,
    _ condition: String
  ) throws {
    let last = try maximum(of: EntityNumbers.change)
    if !isWritten { transaction = try maximum(of: EntityNumbers.transaction) + 1 }
    let insert = try connection.cached(
      "INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, \(columns))"
        + " SELECT ? + row_number() OVER (ORDER BY Z_PK), \(EntityNumbers.change), \(kind), Z_ENT,"
        + " Z_PK, ?, \(values) FROM \(table) WHERE \(condition)"
    )
    insert.bind(last, at: 1)
    insert.bind(transaction, at: 2)
    try insert.run()
    let count = connection.changes
    guard count > 0 else { return }
    _ = try reserve(count, of: EntityNumbers.change)
    if !isWritten { try writeTransaction() }
  }

  /// The value of a preserved attribute by its place in the row's entity, as SQL.
  private func tombstone(_ index: Int, in table: String) -> String {
    let entities = layout.tables.first { $0.name == table }?.entities ?? []
    let cases = entities.compactMap { name -> String? in
      guard let entity = layout.model.entity(named: name), let number = layout.numbers[name] else {
        return nil
      }
      let preserved = SystemTables.preservedAttributes(of: entity, in: layout.model)
      guard preserved.indices.contains(index),
        let column = layout.column(of: preserved[index].name, in: name)
      else { return nil }
      return " WHEN \(number) THEN \(column.name)"
    }
    return cases.isEmpty ? "NULL" : "CASE Z_ENT\(cases.joined()) END"
  }

  // MARK: Bitmaps

  /// The bitmap for a change of a to-one's column, by the row's entity, as SQL.
  ///
  /// It says which properties have changed: the first is the highest bit; to-ones, attributes,
  /// to-manys, each by name (coredata-format.md, 11).
  private func changedColumns(_ column: String, in table: String) -> String {
    let entities = layout.tables.first { $0.name == table }?.entities ?? []
    let cases = entities.compactMap { name -> String? in
      guard let number = layout.numbers[name], let bitmap = bitmap(of: column, in: name) else {
        return nil
      }
      let digits = bitmap.hexadecimal
      return " WHEN \(number) THEN x'\(digits)'"
    }
    return cases.isEmpty ? "NULL" : "CASE Z_ENT\(cases.joined()) END"
  }

  private func bitmap(of column: String, in name: String) -> [UInt8]? {
    guard let entity = layout.model.entity(named: name) else { return nil }
    let lineage = layout.model.lineage(of: entity)
    let relationships = lineage.flatMap { declaring in
      declaring.relationships.filter { !$0.isTransient }.map { (declaring.name, $0) }
    }.sorted { $0.1.name.utf8.lexicographicallyPrecedes($1.1.name.utf8) }
    var changed: [Int] = []
    var count = 0
    for (declaring, relationship) in relationships where !relationship.isToMany {
      guard
        case .foreignKey(let key, let entityColumn, _)? =
          layout.storage(of: relationship.name, in: declaring)
      else { continue }
      // A to-one whose target's entity has sub-entities takes two positions.
      let width = entityColumn == nil ? 1 : 2
      if key == column { changed += (count..<count + width) }
      count += width
    }
    guard !changed.isEmpty else { return nil }
    let attributes = lineage.flatMap(\.attributes).filter { !$0.isTransient }
    count += attributes.count + relationships.filter { $0.1.isToMany }.count
    var bytes = [UInt8](repeating: 0, count: (count + 7) / 8)
    for position in changed { bytes[position / 8] |= 0x80 >> UInt8(position % 8) }
    return bytes
  }
}

import Basics
import DataModel
import PersistentStore
import Runner
import SQLite

/// Performs the steps with plain statements; changes are kept in memory until a save.
final class RowSteps: StepEngine {
  private let store: PersistentStore
  private let writer: any RowWriting
  private let graph: CascadeGraph
  /// The statements that insert rows, and insert and remove the pairs of join tables.
  private var pending: [(statement: String, values: [Value])] = []
  private var highest: [Int64: Int64] = [:]
  /// The changed columns with their new values, by table and key.
  private var changed: [String: [Int64: [String: Value]]] = [:]
  private var deletions: [(table: String, key: Int64)] = []
  private var bytes = FileBytes()
  private let batches: StepBatches
  // The properties from `fetches` to `storages` cache names and statements by step number, because
  // an app would create them only once.
  private var fetches: [Int: StatementFetch] = [:]
  private var insertions: [Int: Insertion] = [:]
  private var names: [Int: EntityNames] = [:]
  private var storages: [Int: [String: RelationshipStorage]] = [:]

  var connection: Connection? { writer.connection }
  var statistics: ObjectContext.Statistics { .init() }
  var fileCounters: FileBytes.Counters { bytes.counters + batches.fileCounters }
  var liveObjects: Int { 0 }
  var memoryBytes: Int { 0 }

  init(_ store: PersistentStore, _ writer: any RowWriting) {
    (self.store, self.writer) = (store, writer)
    graph = CascadeGraph(store.layout)
    batches = StepBatches(store, recordsHistory: false)
  }

  private var layout: StoreLayout { store.layout }

  // MARK: Reading rows

  private func statements(_ step: StepForm) throws -> StatementFetch {
    if let known = fetches[step.number] { return known }
    let fetch = try StatementFetch(step.fetch, step.subject, writer, store)
    fetches[step.number] = fetch
    return fetch
  }

  func fetch(_ step: StepForm, _ read: (inout TakenValues) throws -> Void) throws -> Int {
    let fetch = try statements(step)
    let found = try fetch.fetch()
    var taken = TakenValues(of: step.subject)
    for place in 0..<min(step.step.read ?? .max, found.count) {
      try found.read(place, isTouched: false, into: &taken)
      try read(&taken)
    }
    return found.count
  }

  func count(_ step: StepForm) throws -> Int {
    try statements(step).count()
  }

  func read(_ step: StepForm, _ keys: [Int64], _ read: (inout TakenValues) throws -> Void) throws {
    let fetch = try statements(step)
    let found = try fetch.results(of: keys)
    var taken = TakenValues(of: step.subject)
    for place in keys.indices {
      try found.read(place, isTouched: false, into: &taken)
      try read(&taken)
    }
  }

  func find(_ step: StepForm) throws -> [Int64] {
    try statements(step).keys()
  }

  // MARK: Changing rows

  /// The SQL and the columns for inserting a step's new objects.
  private struct Insertion {
    let statement: String
    let entity: Int64
    /// The number of the root entity (the topmost super-entity), whose highest key is updated.
    let root: Int64
    /// The to-one relationships that the row stores, and whether a second column stores the
    /// target's entity.
    let links: [(name: String, hasEntity: Bool)]
    /// The many-to-many relationships, whose pairs are stored in rows of their own.
    let joins: Set<String>
  }

  private func insertion(_ step: StepForm) throws -> Insertion {
    if let known = insertions[step.number] { return known }
    let names = try names(step)
    var columns = try step.values.names.map(names.column)
    var links: [(name: String, hasEntity: Bool)] = []
    var joins: Set<String> = []
    for name in step.step.links.keys.sorted() {
      switch storage(of: name, step) {
      case .foreignKey(let column, let number, _)?:
        columns += [column] + [number].compactMap(\.self)
        links.append((name, number != nil))
      case .join?: joins.insert(name)
      case .inverseForeignKey?, nil: continue
      }
    }
    let marks = columns.map { _ in ", ?" }.joined()
    let insertion = Insertion(
      statement: "INSERT INTO \(names.table)(Z_PK, Z_ENT, Z_OPT"
        + "\(columns.map { ", " + $0 }.joined())) VALUES(?, ?, 1\(marks))",
      entity: names.number,
      root: Int64(layout.table(of: step.entity.name).flatMap { layout.numbers[$0.root] } ?? 0),
      links: links,
      joins: joins
    )
    insertions[step.number] = insertion
    return insertion
  }

  func insert(_ step: StepForm, _ objects: [StepOperation.NewObject]) throws {
    let insertion = try insertion(step)
    for object in objects {
      var values: [Value] = [.integer(object.key), .integer(insertion.entity)]
      values += step.values.values(of: object.key)
      for (name, hasEntity) in insertion.links {
        guard let link = object.links.first(where: { $0.relationship == name }) else { continue }
        values += link.values.prefix(hasEntity ? 2 : 1)
      }
      pending.append((insertion.statement, values))
      highest[insertion.root] = object.key
      for link in object.links where insertion.joins.contains(link.relationship) {
        try lead(link, of: object.key, step, isNew: true)
      }
    }
  }

  func upsert(_ step: StepForm, _ records: StepOperation.Records) throws {
    let names = try names(step)
    var found: [Value: Int64] = [:]
    for some in records.identities.chunks(of: Self.mostIdentities) {
      let keys = try writer.keys(
        in: names.table,
        by: names.column(records.attribute),
        among: Array(some)
      )
      found.merge(keys) { $1 }
    }
    try update(step, records.present.filter { found[$0.identity] == $0.change.key }.map(\.change))
    try insert(step, records.new.filter { found[$0.identity] == nil }.map(\.object))
  }

  /// The maximum number of identifying values in one statement.
  private static let mostIdentities = 1_000

  func update(_ step: StepForm, _ changes: [StepOperation.ObjectChange]) throws {
    guard !step.step.isBatchRequest else { return try batches.update(step, changes) }
    let names = try names(step)
    for object in changes {
      for (name, value) in object.values {
        change(names.table, object.key, try names.column(name), value)
      }
      for (name, value) in step.values.blobValues(of: object) {
        change(names.table, object.key, try names.column(name), value)
      }
      for loss in object.losses { try take(loss, from: object.key, step) }
      for link in object.links { try lead(link, of: object.key, step, isNew: false) }
    }
  }

  /// Removes objects from a to-many relationship.
  private func take(_ loss: StepOperation.Loss, from key: Int64, _ step: StepForm) throws {
    let (own, relationship) = (try names(step).table, loss.relationship)
    guard let other = layout.table(of: relationship.destination)?.name else { return }
    if case .join(let table, let side)? = storage(of: relationship.name, step) {
      touch(own, key)
      for partner in loss.keys {
        touch(other, partner)
        pending.append(
          (
            "DELETE FROM \(table) WHERE \(side.ownColumn) = ? AND \(side.otherColumn) = ?",
            [.integer(key), .integer(partner)]
          )
        )
      }
    } else if let inverse = relationship.inverse,
      case .foreignKey(let column, let number, _)? = storage(
        of: inverse,
        step,
        in: relationship.destination
      )
    {
      for partner in loss.keys {
        for column in [column] + [number].compactMap(\.self) {
          change(other, partner, column, .null)
        }
      }
    }
  }

  private func lead(
    _ link: StepOperation.Link,
    of key: Int64,
    _ step: StepForm,
    isNew: Bool
  ) throws {
    let own = try names(step).table
    switch storage(of: link.relationship, step) {
    case .foreignKey(let column, let number, _)?:
      for (column, value) in zip([column] + [number].compactMap(\.self), link.values) {
        change(own, key, column, value)
      }
    case .join(let table, let side)?:
      guard let target = link.key,
        let other = layout.numbers.entity(Int(link.entity)).flatMap({ layout.table(of: $0.name) })
      else { return }
      pending.append(
        (
          "INSERT INTO \(table)(\(side.ownColumn), \(side.otherColumn)) VALUES(?, ?)",
          [.integer(key), .integer(target)]
        )
      )
      // A new pair counts as a change of both objects, so the next save increments their versions.
      if !isNew { touch(own, key) }
      if !link.isNew { touch(other.name, target) }
    case .inverseForeignKey?, nil: return
    }
  }

  private func names(_ step: StepForm) throws -> EntityNames {
    if let known = names[step.number] { return known }
    let found = try EntityNames(step.entity.name, in: layout)
    names[step.number] = found
    return found
  }

  /// The storage of a relationship of the step's entity, or of another `entity`.
  private func storage(
    of relationship: String,
    _ step: StepForm,
    in entity: String? = nil
  ) -> RelationshipStorage? {
    let name = entity.map { "\($0).\(relationship)" } ?? relationship
    if let known = storages[step.number]?[name] { return known }
    let found = layout.storage(of: relationship, in: entity ?? step.entity.name)
    storages[step.number, default: [:]][name] = found
    return found
  }

  private func change(_ table: String, _ key: Int64, _ column: String, _ value: Value) {
    changed[table, default: [:]][key, default: [:]][column] = value
  }

  /// Marks a row of which no column changes, so that the next save increments its version.
  private func touch(_ table: String, _ key: Int64) {
    changed[table, default: [:]][key, default: [:]].merge([:]) { $1 }
  }

  func delete(_ step: StepForm, _ keys: [Int64]) throws {
    guard !step.step.isBatchRequest else { return try batches.delete(step, keys) }
    guard let table = layout.table(of: step.entity.name)?.name else { return }
    deletions += keys.map { (table, $0) }
  }

  func save() throws {
    guard !(pending.isEmpty && changed.isEmpty && deletions.isEmpty) else { return }
    var files: [String] = []
    try writer.transaction {
      for (statement, values) in pending { _ = try writer.run(statement, values) }
      for (root, key) in highest.sorted(by: { $0.key < $1.key }) {
        _ = try writer.run(RowStatements.maximum, [.integer(key), .integer(root)])
      }
      files = try deleteRows()
      for (table, rows) in changed.sorted(by: { $0.key < $1.key }) {
        for (key, values) in rows.sorted(by: { $0.key < $1.key }) {
          let sets = values.sorted { $0.key < $1.key }
          _ = try writer.run(
            "UPDATE \(table) SET \(sets.map { "\($0.key) = ?, " }.joined())"
              + "Z_OPT = ifnull(Z_OPT, 0) + 1 WHERE Z_PK = ?",
            sets.map(\.value) + [.integer(key)]
          )
        }
      }
    }
    for file in files { try bytes.remove(store.file.externalDataFolder + "/" + file) }
    (pending, highest, changed, deletions) = ([], [:], [:], [])
  }

  /// Does nothing, because the engine keeps only unsaved changes, and they are always saved before
  /// a reset.
  func reset() {}

  // MARK: Delete rules

  /// Deletes rows and applies the delete rules; returns the names of external files that are no
  /// longer referenced.
  private func deleteRows() throws -> [String] {
    var (removed, order) = ([String: Set<Int64>](), [(table: String, key: Int64)]())
    var waiting = Array(deletions.reversed())
    while let (table, key) = waiting.popLast() {
      guard removed[table, default: []].insert(key).inserted else { continue }
      order.append((table, key))
      for edge in graph.edges(.cascade, from: [table]) {
        waiting += try targets(of: edge, key).map { (edge.target, $0) }
      }
    }
    var files: [String] = []
    for (table, key) in order {
      for edge in graph.edges(.deny, from: [table]) {
        let left = try targets(of: edge, key).contains {
          removed[edge.target]?.contains($0) != true
        }
        if left { throw edge.denial }
      }
      for edge in graph.edges(.nullify, from: [table]) + graph.edges(.cascade, from: [table]) {
        try letGo(of: edge, key, but: removed)
      }
      files += try externalFiles(table, key)
      _ = try writer.run("DELETE FROM \(table) WHERE Z_PK = ?", [.integer(key)])
      changed[table]?[key] = nil
    }
    return files
  }

  private func targets(of edge: CascadeGraph.Edge, _ key: Int64) throws -> [Int64] {
    let sql: String
    if let column = edge.ownColumn {
      sql = "SELECT \(column) FROM \(edge.source) WHERE Z_PK = ?"
    } else {
      switch edge.link {
      case .targetColumn(let column, _):
        sql = "SELECT Z_PK FROM \(edge.target) WHERE \(column) = ?"
      case .join(let table, let own, let other):
        sql = "SELECT \(other) FROM \(table) WHERE \(own) = ?"
      case .ownColumnOnly: return []
      }
    }
    var keys: [Value] = []
    _ = try writer.read(sql, [.integer(key)], into: &keys)
    return keys.compactMap(\.integer)
  }

  /// Removes the remaining objects' references to a deleted object.
  private func letGo(
    of edge: CascadeGraph.Edge,
    _ key: Int64,
    but removed: [String: Set<Int64>]
  ) throws {
    switch edge.link {
    case .join(let table, let own, _):
      _ = try writer.run("DELETE FROM \(table) WHERE \(own) = ?", [.integer(key)])
    case .targetColumn(let column, let others) where edge.rule == .nullify:
      var rows: [Value] = []
      let sql = "SELECT Z_PK FROM \(edge.target) WHERE \(column) = ?"
      _ = try writer.read(sql, [.integer(key)], into: &rows)
      for row in rows.compactMap(\.integer) where removed[edge.target]?.contains(row) != true {
        for name in [column] + others { change(edge.target, row, name, .null) }
      }
    case .targetColumn, .ownColumnOnly: return
    }
  }

  private func externalFiles(_ table: String, _ key: Int64) throws -> [String] {
    let columns = layout.tables.first { $0.name == table }?.externalColumns ?? []
    guard !columns.isEmpty else { return [] }
    var found: [Value] = []
    let sql = "SELECT \(columns.joined(separator: ", ")) FROM \(table) WHERE Z_PK = ?"
    _ = try writer.read(sql, [.integer(key)], into: &found)
    return found.compactMap { value in
      guard case .blob(let bytes) = value else { return nil }
      return ExternalStorage.fileName(in: bytes)
    }
  }
}

import DataModel
import PersistentStore
import Runner
import SQLite

protocol ImportEngine: AnyObject {
  func load(_ records: Range<Int>) throws
  /// Connects the objects of the given records to the objects that the records refer to, in a
  /// separate pass.
  func link(_ records: Range<Int>) throws
}

/// Imports as Core Data does: through a context, or with batch requests that bypass it.
final class ContextImport: ImportEngine {
  let context: ObjectContext
  private let content: ImportContent
  private let feed: Feed
  private let description: EntityDescription
  private let slots: [Int]
  private let insertion: String

  private var parameters: ImportParameters { content.parameters }

  init(_ store: PersistentStore, _ content: ImportContent) throws {
    context = try ObjectContext(store: store)
    self.content = content
    feed = Feed(content)
    let description = try context.description(of: content.entity)
    self.description = description
    slots = try content.payload.map { try description.slot(of: $0.name) }
    insertion = try ImportSQL(content, store.layout).insertion
  }

  func load(_ records: Range<Int>) throws {
    switch parameters.strategy {
    case .objectByObject: for record in records { try insert(record) }
    case .findOrCreate:
      for record in records {
        let isSame = Predicate.comparison(
          content.identifier,
          .equal,
          .text(feed.identifier(of: record))
        )
        try update(context.first(content.entity, where: isSame), record)
      }
    case .fetchChunk:
      let known = try objects(of: records)
      for record in records { try update(known[.text(feed.identifier(of: record))], record) }
    case .upsert, .batchInsert: return try request(records)
    }
    try context.save()
    context.reset()
  }

  private func objects(of records: Range<Int>) throws -> [Value: ManagedObject] {
    try context.objects(
      of: content.entity,
      by: content.identifier,
      among: records.map { .text(feed.identifier(of: $0)) }
    )
  }

  private func insert(_ record: Int) throws {
    let object = try context.insert(content.entity)
    try object.setValue(.text(feed.identifier(of: record)), of: content.identifier)
    try object.setValue(.integer(0), of: content.favorite)
    try set(object, record)
  }

  private func update(_ object: ManagedObject?, _ record: Int) throws {
    guard let object else { return try insert(record) }
    try set(object, record)
    if parameters.columns == .everything { try object.setValue(.integer(0), of: content.favorite) }
  }

  private func set(_ object: ManagedObject, _ record: Int) throws {
    for (slot, value) in zip(slots, feed.values(of: record)) {
      try object.setValue(value, at: slot)
    }
    try lead(object, record)
  }

  private func lead(_ object: ManagedObject, _ record: Int) throws {
    guard let key = feed.link(of: record) else { return }
    let group = context.object(try context.description(of: content.groupEntity), key: key)
    try object.setTarget(group, of: ImportContent.link)
  }

  /// Runs a batch-insert request: reserves keys, then runs one INSERT statement per row in the form
  /// seen in public logs.
  private func request(_ records: Range<Int>) throws {
    let connection = context.connection
    var key: Int64 = 0
    if parameters.batchKeys == .request {
      key = try connection.transaction("BEGIN EXCLUSIVE") { try reserve(records.count) }
    }
    try connection.transaction("BEGIN EXCLUSIVE") {
      let statement = try connection.cached(insertion)
      for record in records {
        if parameters.batchKeys == .row { key = try reserve(1) }
        let values =
          [.integer(key), .integer(Int64(description.number)), .integer(1)]
          + feed.values(of: record)
          + [.text(feed.identifier(of: record)), .integer(0)]
        for (index, value) in values.enumerated() { statement.bind(value, at: index + 1) }
        try statement.run()
        key += 1
      }
    }
  }

  private func reserve(_ count: Int) throws -> Int64 {
    try context.connection.reserveKeys(count, of: description.number, content.entity)
  }

  func link(_ records: Range<Int>) throws {
    let objects = try objects(of: records)
    for record in records {
      if let object = objects[.text(feed.identifier(of: record))] { try lead(object, record) }
    }
    try context.save()
    context.reset()
  }
}

/// Imports with SQL statements, in one transaction per chunk.
final class StatementImport: ImportEngine {
  private let writer: any RowWriting
  private let parameters: ImportParameters
  private let feed: Feed
  private let sql: ImportSQL

  init(_ writer: any RowWriting, _ layout: StoreLayout, _ content: ImportContent) throws {
    self.writer = writer
    parameters = content.parameters
    feed = Feed(content)
    sql = try ImportSQL(content, layout)
  }

  func load(_ records: Range<Int>) throws {
    try writer.transaction {
      let known = parameters.strategy == .fetchChunk ? try keys(of: records) : [:]
      for record in records {
        let identifier = feed.identifier(of: record)
        let key =
          switch parameters.strategy {
          case .findOrCreate: try key(of: identifier)
          case .fetchChunk: known[.text(identifier)]
          case .objectByObject, .upsert, .batchInsert: Int64?.none
          }
        if let key { try update(key, record) } else { try insert(record, identifier) }
      }
      _ = try writer.run(
        "UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT max(Z_PK) FROM \(sql.names.table)) "
          + "WHERE Z_ENT = ?",
        [.integer(sql.names.number)]
      )
    }
  }

  private func key(of identifier: String) throws -> Int64? {
    try writer.rows(
      "SELECT Z_PK FROM \(sql.names.table) WHERE \(sql.identifier) = ? LIMIT 1",
      [.text(identifier)]
    ).first?[0].integer
  }

  private func keys(of records: Range<Int>) throws -> [Value: Int64] {
    try writer.keys(
      in: sql.names.table,
      by: sql.identifier,
      among: records.map { .text(feed.identifier(of: $0)) }
    )
  }

  private func insert(_ record: Int, _ identifier: String) throws {
    _ = try writer.run(
      sql.insertion,
      [.null, .integer(sql.names.number), .integer(1)] + feed.values(of: record)
        + [.text(identifier), .integer(0)] + link(of: record)
    )
  }

  private func update(_ key: Int64, _ record: Int) throws {
    let favorite: [Value] = parameters.columns == .everything ? [.integer(0)] : []
    _ = try writer.run(
      sql.update,
      feed.values(of: record) + favorite + link(of: record) + [.integer(key)]
    )
  }

  private func link(of record: Int) -> [Value] {
    feed.link(of: record).map { [.integer($0)] } ?? []
  }

  /// Does nothing, because rows are inserted with their references.
  func link(_ records: Range<Int>) throws {}
}

struct ImportSQL {
  let names: EntityNames
  let identifier: String
  /// The statement that inserts a record.
  ///
  /// Its form is that of published batch inserts, with ON CONFLICT for an upsert, or OR IGNORE if a
  /// constraint keeps existing objects. If the statement bypasses the context, references are set
  /// in a second pass.
  let insertion: String
  let update: String

  init(_ content: ImportContent, _ layout: StoreLayout) throws {
    let parameters = content.parameters
    let names = try EntityNames(content.entity, in: layout)
    self.names = names
    identifier = try names.column(content.identifier)
    let favorite = try names.column(content.favorite)
    let payload = try content.payload.map { try names.column($0.name) }
    let link = parameters.links > 0 ? [try names.column(ImportContent.link)] : []
    let linked = parameters.isBatch ? [] : link
    let columns = ["Z_PK", "Z_ENT", "Z_OPT"] + payload + [identifier, favorite] + linked
    let changed = payload + (parameters.columns == .everything ? [favorite] : [])
    let keepsPresent = parameters.strategy == .batchInsert && parameters.index == .unique
    let conflict =
      " ON CONFLICT(\(identifier)) DO UPDATE SET Z_OPT = Z_OPT+1"
      + (changed + linked).map { " , \($0) = excluded.\($0)" }.joined()
    insertion =
      "INSERT\(keepsPresent ? " OR IGNORE" : "") INTO \(names.table)"
      + "(\(columns.joined(separator: ", "))) "
      + "VALUES(\(columns.map { _ in "?" }.joined(separator: ", ")))"
      + (parameters.strategy == .upsert ? conflict : "")
    update = try RowStatements(names, []).update(of: changed + link)
  }
}

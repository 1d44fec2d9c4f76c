import DataModel
import PersistentStore
import Runner
import SQLite

/// Makes objects of a feed's records, a chunk at a time.
protocol ImportEngine: AnyObject {
  /// Makes the objects of some records by the case's strategy, and saves them.
  func load(_ records: Range<Int>) throws
  /// Leads the objects of some records to those that they refer to, in a pass of its own.
  func link(_ records: Range<Int>) throws
}

/// The frameworks' ways: by a context, or by requests past it.
final class ContextImport: ImportEngine {
  let context: ObjectContext
  private let parameters: ImportParameters
  private let model: ImportModel
  private let feed: Feed
  private let description: EntityDescription
  private let slots: [Int]
  private let insertion: String

  init(_ store: PersistentStore, _ parameters: ImportParameters, _ model: ImportModel, _ feed: Feed)
    throws
  {
    context = try ObjectContext(store: store)
    self.parameters = parameters
    self.model = model
    self.feed = feed
    description = try context.description(of: model.entity)
    let description = description
    slots = try model.payload.map { try description.slot(of: $0.name) }
    insertion = try ImportSQL(model, store.layout).insertion(parameters)
  }

  func load(_ records: Range<Int>) throws {
    switch parameters.strategy {
    case .objectByObject: for record in records { try insert(record) }
    case .findOrCreate:
      for record in records {
        let identifier = Value.text(feed.identifier(of: record))
        let found = try context.fetch(
          FetchRequest(
            model.entity,
            predicate: .comparison(model.identifier, .equal, identifier),
            fetchLimit: 1
          )
        )
        try update(found.count > 0 ? found.object(at: 0) : nil, record)
      }
    case .fetchChunk:
      let known = try objects(of: records)
      for record in records { try update(known[feed.identifier(of: record)], record) }
    case .upsert, .batchInsert: return try request(records)
    }
    try context.save()
    context.reset()
  }

  /// The objects of some records by identifier, by one fetch.
  private func objects(of records: Range<Int>) throws -> [String: ManagedObject] {
    let found = try context.fetch(
      FetchRequest(
        model.entity,
        predicate: .isIn(model.identifier, records.map { .text(feed.identifier(of: $0)) })
      )
    )
    var objects: [String: ManagedObject] = [:]
    for index in 0..<found.count {
      let object = try found.object(at: index)
      if case .text(let identifier) = try object.value(of: model.identifier) {
        objects[identifier] = object
      }
    }
    return objects
  }

  private func insert(_ record: Int) throws {
    let object = try context.insert(model.entity)
    try object.setValue(.text(feed.identifier(of: record)), of: model.identifier)
    try object.setValue(.integer(0), of: model.favorite)
    try set(object, record)
  }

  private func update(_ object: ManagedObject?, _ record: Int) throws {
    guard let object else { return try insert(record) }
    try set(object, record)
    if parameters.columns == .everything { try object.setValue(.integer(0), of: model.favorite) }
  }

  private func set(_ object: ManagedObject, _ record: Int) throws {
    for (slot, value) in zip(slots, feed.values(of: record)) {
      try object.setValue(value, at: slot)
    }
    try lead(object, record)
  }

  private func lead(_ object: ManagedObject, _ record: Int) throws {
    guard let key = feed.link(of: record) else { return }
    let group = context.object(try context.description(of: model.groupEntity), key: key)
    try object.setTarget(group, of: ImportModel.link)
  }

  /// A request of a batch insert: keys as a save reserves them, then a published statement a row.
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
    try context.connection.reserveKeys(count, of: description.number, model.entity)
  }

  func link(_ records: Range<Int>) throws {
    let objects = try objects(of: records)
    for record in records {
      if let object = objects[feed.identifier(of: record)] { try lead(object, record) }
    }
    try context.save()
    context.reset()
  }
}

/// Plain statements, one transaction a chunk.
final class StatementImport: ImportEngine {
  private let writer: any RowWriting
  private let parameters: ImportParameters
  private let feed: Feed
  private let sql: ImportSQL
  private let insertion: String

  init(
    _ writer: any RowWriting,
    _ layout: StoreLayout,
    _ parameters: ImportParameters,
    _ model: ImportModel,
    _ feed: Feed
  ) throws {
    self.writer = writer
    self.parameters = parameters
    self.feed = feed
    sql = try ImportSQL(model, layout)
    insertion = sql.insertion(parameters)
  }

  func load(_ records: Range<Int>) throws {
    try writer.transaction {
      let known = parameters.strategy == .fetchChunk ? try keys(of: records) : [:]
      for record in records {
        let identifier = feed.identifier(of: record)
        let key =
          switch parameters.strategy {
          case .findOrCreate: try key(of: identifier)
          case .fetchChunk: known[identifier]
          case .objectByObject, .upsert, .batchInsert: Int64?.none
          }
        if let key { try update(key, record) } else { try insert(record, identifier) }
      }
      _ = try writer.run(
        "UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT max(Z_PK) FROM \(sql.table)) WHERE Z_ENT = ?",
        [.integer(sql.number)]
      )
    }
  }

  private func key(of identifier: String) throws -> Int64? {
    let rows = try writer.rows(
      "SELECT Z_PK FROM \(sql.table) WHERE \(sql.identifier) = ? LIMIT 1",
      [.text(identifier)]
    )
    if case .integer(let key)? = rows.first?.first { return key }
    return nil
  }

  private func keys(of records: Range<Int>) throws -> [String: Int64] {
    let marks = records.map { _ in "?" }.joined(separator: ", ")
    let rows = try writer.rows(
      "SELECT \(sql.identifier), Z_PK FROM \(sql.table) WHERE \(sql.identifier) IN (\(marks))",
      records.map { .text(feed.identifier(of: $0)) }
    )
    var keys: [String: Int64] = [:]
    for row in rows {
      if case .text(let identifier) = row[0], case .integer(let key) = row[1] {
        keys[identifier] = key
      }
    }
    return keys
  }

  private func insert(_ record: Int, _ identifier: String) throws {
    _ = try writer.run(
      insertion,
      [.null, .integer(sql.number), .integer(1)] + feed.values(of: record)
        + [.text(identifier), .integer(0)] + link(of: record)
    )
  }

  private func update(_ key: Int64, _ record: Int) throws {
    let favorite: [Value] = parameters.columns == .everything ? [.integer(0)] : []
    _ = try writer.run(
      sql.update(parameters),
      feed.values(of: record) + favorite + link(of: record) + [.integer(key)]
    )
  }

  private func link(of record: Int) -> [Value] {
    feed.link(of: record).map { [.integer($0)] } ?? []
  }

  /// Rows are written with their references.
  func link(_ records: Range<Int>) throws {}
}

/// The statements of an import on the layout of a store.
struct ImportSQL {
  let table: String
  let number: Int64
  let identifier: String
  private let payload: [String]
  private let favorite: String
  /// The column of the to-one; `nil` where there is none.
  private let link: String?

  init(_ model: ImportModel, _ layout: StoreLayout) throws {
    func column(_ name: String) throws -> String {
      guard let column = layout.column(of: name, in: model.entity) else {
        throw ObjectContextError.unknownProperty(entity: model.entity, property: name)
      }
      return column.name
    }
    guard let table = layout.table(of: model.entity), let number = layout.numbers[model.entity]
    else { throw ObjectContextError.unknownEntity(model.entity) }
    self.table = table.name
    self.number = Int64(number)
    identifier = try column(model.identifier)
    favorite = try column(model.favorite)
    payload = try model.payload.map { try column($0.name) }
    let storage = layout.storage(of: ImportModel.link, in: model.entity)
    if case .foreignKey(let column, _, _)? = storage { link = column } else { link = nil }
  }

  /// The statement that inserts a record, in the form that is published of batch inserts
  /// (ON CONFLICT for an upsert, OR IGNORE where a constraint keeps what is there).
  ///
  /// Past a context, references are left to a second pass.
  func insertion(_ parameters: ImportParameters) -> String {
    let links = parameters.isBatch ? [] : link.map { [$0] } ?? []
    let columns = ["Z_PK", "Z_ENT", "Z_OPT"] + payload + [identifier, favorite] + links
    let keepsPresent = parameters.strategy == .batchInsert && parameters.index == .unique
    var sql =
      "INSERT\(keepsPresent ? " OR IGNORE" : "") INTO \(table)(\(columns.joined(separator: ", "))) "
      + "VALUES(\(columns.map { _ in "?" }.joined(separator: ", ")))"
    if parameters.strategy == .upsert {
      let listed = payload + (parameters.columns == .everything ? [favorite] : []) + links
      sql += " ON CONFLICT(\(identifier)) DO UPDATE SET Z_OPT = Z_OPT+1"
      sql += listed.map { " , \($0) = excluded.\($0)" }.joined()
    }
    return sql
  }

  func update(_ parameters: ImportParameters) -> String {
    let listed =
      payload + (parameters.columns == .everything ? [favorite] : []) + (link.map { [$0] } ?? [])
    let sets = listed.map { "\($0) = ?, " }.joined()
    return "UPDATE \(table) SET \(sets)Z_OPT = Z_OPT + 1 WHERE Z_PK = ?"
  }
}

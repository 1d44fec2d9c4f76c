import DataModel
import PersistentStore
import SQLite

/// Moves objects between lists, and shows how many each list has.
final class BadgeCounts {
  let context: ObjectContext
  private let parameters: CountParameters
  private let model: CountModel
  private let sql: CountSQL
  /// How often each object was moved.
  private var moves: [Int64: Int] = [:]

  init(_ store: PersistentStore, _ parameters: CountParameters, _ model: CountModel) throws {
    self.parameters = parameters
    self.model = model
    context = try ObjectContext(store: store)
    sql = try CountSQL(model, store.layout)
    guard parameters.strategy == .derived else { return }
    for trigger in sql.triggers(parameters.derivation) { try store.connection.execute(trigger) }
  }

  // MARK: Moving

  /// Moves some objects to other lists and saves.
  func move(_ keys: [Int64]) throws {
    let found = try context.fetch(FetchRequest(model.entity, predicate: .keys(keys)))
    let lists = try context.description(of: model.listEntity)
    var touched: Set<Int64> = []
    for index in 0..<found.count {
      let object = try found.object(at: index)
      let count = moves[object.key] ?? 0
      moves[object.key] = count + 1
      let places = [count, count + 1].map { model.list(of: object.key, moves: $0) }
      touched.formUnion(places)
      try object.setTarget(context.object(lists, key: places[1]), of: CountModel.list)
      guard parameters.strategy == .maintained else { continue }
      for (place, step) in zip(places, [-1, 1] as [Int64]) {
        let list = context.object(lists, key: place)
        if case .integer(let number) = try list.value(of: CountModel.number) {
          try list.setValue(.integer(number + step), of: CountModel.number)
        }
      }
    }
    try context.save()
    if parameters.strategy == .derived {
      try context.merge(model.listEntity, updated: touched, deleted: [])
    }
  }

  // MARK: Showing

  /// The number of objects by list.
  func badges() throws -> [Int64: Int] {
    switch parameters.strategy {
    case .count: try counted()
    case .group: try grouped()
    case .fetch: try fetched()
    case .derived, .maintained: try kept()
    }
  }

  private func counted() throws -> [Int64: Int] {
    var badges: [Int64: Int] = [:]
    for list in 1...Int64(parameters.lists) {
      badges[list] = try context.count(
        FetchRequest(
          model.entity,
          predicate: .comparison(CountModel.list, .equal, .integer(list))
        )
      )
    }
    return badges
  }

  private func grouped() throws -> [Int64: Int] {
    var badges = empty
    let rows = try context.connection.cached(sql.grouping)
    defer { rows.reset() }
    while try rows.step() { badges[rows.integer(at: 0)] = Int(rows.integer(at: 1)) }
    return badges
  }

  private var empty: [Int64: Int] {
    Dictionary((1...Int64(parameters.lists)).map { ($0, 0) }) { $1 }
  }

  private func fetched() throws -> [Int64: Int] {
    var badges = empty
    let found = try context.fetch(FetchRequest(model.entity))
    let description = try context.description(of: model.entity)
    guard let toOne = description.toOne(CountModel.list) else { return badges }
    for index in 0..<found.count {
      if let list = try found.object(at: index).targetKey(of: toOne) {
        badges[list, default: 0] += 1
      }
    }
    return badges
  }

  private func kept() throws -> [Int64: Int] {
    var badges: [Int64: Int] = [:]
    let found = try context.fetch(FetchRequest(model.listEntity))
    for index in 0..<found.count {
      let list = try found.object(at: index)
      if case .integer(let number) = try list.value(of: CountModel.number) {
        badges[list.key] = Int(number)
      }
    }
    return badges
  }
}

/// The statements of counts by list.
struct CountSQL {
  private let items: String
  private let lists: String
  private let list: String
  private let number: String

  init(_ model: CountModel, _ layout: StoreLayout) throws {
    guard let items = layout.table(of: model.entity)?.name,
      let lists = layout.table(of: model.listEntity)?.name,
      case .foreignKey(let list, _, _)? = layout.storage(of: CountModel.list, in: model.entity)
    else { throw ObjectContextError.unknownEntity(model.entity) }
    self.items = items
    self.lists = lists
    self.list = list
    number = layout.column(of: CountModel.number, in: model.listEntity)?.name ?? ""
  }

  /// The statement of public logs, of the column of a to-one (assumed).
  var grouping: String {
    "SELECT t0.\(list), COUNT( t0.\(list)) AS __var0 FROM \(items) t0 GROUP BY  t0.\(list)"
  }

  /// The statement that is published of a derived count, for all lists.
  var derivation: String {
    "UPDATE \(lists) SET \(number) = (SELECT IFNULL(COUNT(\(list)), 0) FROM \(items) "
      + "WHERE \(list) = \(lists).Z_PK)"
  }

  /// Triggers of the connection that keep a derived count as the objects move.
  func triggers(_ derivation: CountParameters.Derivation) -> [String] {
    let rows =
      derivation == .statement
      ? "\(self.derivation);"
      : ["OLD", "NEW"].map { "\(self.derivation) WHERE Z_PK = \($0).\(list);" }
        .joined(separator: " ")
    return [
      "CREATE TEMP TRIGGER Z_DA_\(items)_items_UPDATE AFTER UPDATE OF \(list) ON main.\(items) "
        + "BEGIN \(rows) END"
    ]
  }
}

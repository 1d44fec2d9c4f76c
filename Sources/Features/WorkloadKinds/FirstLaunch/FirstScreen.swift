import DataModel
import PersistentStore
import Runner
import SQLite

/// The rows of an app's first screen: twenty objects of the entity with most of them.
struct FirstScreen: Hashable {
  static let rows = 20

  /// Numbers, dates and texts, as text, by the object's key.
  typealias Shown = [Int64: [String]]

  let entity: String
  let attributes: [String]

  /// `nil` where no entity has an object.
  init?(of store: PersistentStore) throws {
    let name = try store.connection.text(
      "SELECT Z_NAME FROM Z_PRIMARYKEY WHERE Z_SUPER = 0 AND Z_ENT < 16000 AND Z_MAX > 0 "
        + "ORDER BY Z_MAX DESC, Z_ENT LIMIT 1"
    )
    guard let entity = name.flatMap(store.model.entity(named:)) else { return nil }
    self.init(of: entity, in: store.model)
  }

  init(of entity: Entity, in model: Model) {
    self.entity = entity.name
    attributes = model.attributes(of: entity).filter { attribute in
      guard !attribute.isTransient else { return false }
      switch attribute.type {
      case .integer16, .integer32, .integer64, .boolean, .double, .float, .date, .string:
        return true
      default: return false
      }
    }.map(\.name)
  }

  /// The screen of the same objects in the model that a mapping leads to.
  func mapped(by mapping: MappingModel) -> FirstScreen? {
    mapping.mapping(from: entity)
      .flatMap { mapping.destination.entity(named: $0.destination) }
      .map { FirstScreen(of: $0, in: mapping.destination) }
  }

  /// Fetches the rows as a list does.
  func fetch(from store: PersistentStore, _ recorder: Recorder) throws -> Shown {
    let context = try ObjectContext(store: store)
    defer { recorder.count(context) }
    let found = try context.fetch(FetchRequest(entity, fetchLimit: Self.rows))
    var shown: Shown = [:]
    try found.each { object in
      shown[object.key] = try attributes.map { Self.text(try object.value(of: $0)) }
    }
    return shown
  }

  private static func text(_ value: Value) -> String {
    switch value {
    case .null: ""
    case .integer(let value): "\(Double(value))"
    case .real(let value): "\(value)"
    case .text(let value): value
    case .blob(let bytes): "\(bytes)"
    }
  }

  // MARK: Verification

  /// What is wrong with the rows that were shown of a store, read again by plain SQL.
  func findings(of shown: Shown, in store: StoreFile, _ layout: StoreLayout) throws -> [String] {
    guard let table = layout.table(of: entity)?.name.quotedName else {
      return ["the first screen's entity '\(entity)' has no table"]
    }
    let connection = try store.plainConnection()
    let numbers = layout.numberList(ofFamily: entity)
    let columns = attributes.compactMap { layout.column(of: $0, in: entity)?.name.quotedName }
    let all = try connection.integer("SELECT count(*) FROM \(table) WHERE Z_ENT IN (\(numbers))")
    guard shown.count == min(Self.rows, Int(all ?? 0)) else {
      return ["the first screen shows \(shown.count) of \(all ?? 0) objects of \(entity)"]
    }
    let list = (["Z_PK"] + columns).joined(separator: ", ")
    let rows = try connection.prepare(
      "SELECT \(list) FROM \(table) WHERE Z_PK = ? AND Z_ENT IN (\(numbers))"
    )
    for (key, texts) in shown.sorted(by: { $0.key < $1.key }) {
      rows.reset()
      rows.bind(key, at: 1)
      guard try rows.step() else {
        return ["the first screen shows \(entity) \(key), which is not there"]
      }
      let stored = (0..<columns.count).map { Self.text(rows, at: $0 + 1) }
      guard stored == texts else {
        return ["the first screen shows other values of \(entity) \(key) than the store holds"]
      }
    }
    return []
  }

  private static func text(_ row: Statement, at column: Int) -> String {
    switch row.storageClass(at: column) {
    case .null: ""
    case .integer, .real: "\(row.real(at: column))"
    case .text: row.text(at: column)
    case .blob: "\(row.blob(at: column))"
    }
  }
}

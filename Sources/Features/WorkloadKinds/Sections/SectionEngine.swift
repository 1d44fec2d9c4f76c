import DataModel
import PersistentStore
import SQLite

/// Makes a list in sections, and keeps it while objects move.
protocol SectionEngine: AnyObject {
  func show() throws -> SectionList
  /// Takes in that the objects of some keys were changed by another context.
  ///
  /// - Returns: The list as it is then.
  func update(_ keys: [Int64]) throws -> SectionList
}

/// One statement groups, one fetch reads the first screen.
final class GroupedSections: SectionEngine {
  private let context: ObjectContext
  private let parameters: SectionParameters
  private let model: SectionModel
  private let statement: String
  /// Kept by the screen.
  private var shown: [ManagedObject] = []

  init(_ context: ObjectContext, _ parameters: SectionParameters, _ model: SectionModel) throws {
    self.context = context
    self.parameters = parameters
    self.model = model
    statement = try SectionSQL(model, context.layout).grouping
  }

  func show() throws -> SectionList {
    shown = []
    return try list()
  }

  private func list() throws -> SectionList {
    var list = SectionList()
    list.sections = try sections(statement, on: context.connection, model)
    let found = try context.fetch(
      FetchRequest(model.entity, sortDescriptors: model.order, fetchLimit: parameters.screen)
    )
    shown = try (0..<found.count).map { try found.object(at: $0) }
    for object in shown { _ = try object.value(of: model.date) }
    list.screen = shown.map(\.key)
    return list
  }

  func update(_ keys: [Int64]) throws -> SectionList {
    try context.merge(model.entity, updated: keys, deleted: [])
    return try list()
  }
}

/// The sections by a GROUP BY, in their order.
private func sections(
  _ statement: String,
  on connection: Connection,
  _ model: SectionModel
) throws -> [SectionList.Section] {
  let rows = try connection.cached(statement)
  defer { rows.reset() }
  var sections: [(value: Value, section: SectionList.Section)] = []
  while try rows.step() {
    let value = rows.value(at: 0)
    let name = model.section(of: .null, value)
    sections.append((value, SectionList.Section(name: name, count: Int(rows.integer(at: 1)))))
  }
  // The statement of the logs has no ORDER BY.
  return sections.sorted { SectionModel.precedes($0.value, $1.value) }.map(\.section)
}

/// All objects are fetched in order, then grouped.
final class MemorySections: SectionEngine {
  private let context: ObjectContext
  private let parameters: SectionParameters
  private let model: SectionModel
  /// Kept by the list.
  private var objects: [ManagedObject] = []

  init(_ context: ObjectContext, _ parameters: SectionParameters, _ model: SectionModel) {
    self.context = context
    self.parameters = parameters
    self.model = model
  }

  func show() throws -> SectionList {
    objects = []
    return try list()
  }

  private func list() throws -> SectionList {
    let found = try context.fetch(FetchRequest(model.entity, sortDescriptors: model.order))
    objects = try (0..<found.count).map { try found.object(at: $0) }
    var list = SectionList()
    for object in objects { list.add(try object.section(model)) }
    list.screen = objects.prefix(parameters.screen).map(\.key)
    return list
  }

  func update(_ keys: [Int64]) throws -> SectionList {
    try context.merge(model.entity, updated: keys, deleted: [])
    return try list()
  }
}

/// As a fetched-results controller does it: all keys in order, the sections, and batches of what is
/// shown.
///
/// On a save it finds the new places of the objects that were changed, one by one.
final class ControlledSections: SectionEngine {
  private let context: ObjectContext
  private let parameters: SectionParameters
  private let model: SectionModel
  private let statement: String
  private let description: EntityDescription
  /// The objects in order, faults until they are shown or compared.
  private var objects: [ManagedObject] = []
  private var sections: [SectionList.Section] = []
  /// The places that changes were told of, so far.
  private(set) var changes = 0

  init(_ context: ObjectContext, _ parameters: SectionParameters, _ model: SectionModel) throws {
    self.context = context
    self.parameters = parameters
    self.model = model
    statement = try SectionSQL(model, context.layout).grouping
    description = try context.description(of: model.entity)
  }

  func show() throws -> SectionList {
    objects = []
    let found = try context.fetch(
      FetchRequest(
        model.entity,
        sortDescriptors: model.order,
        includesPropertyValues: false
      )
    )
    objects = try (0..<found.count).map { try found.object(at: $0) }
    if parameters.isComputed {
      var list = SectionList()
      for start in stride(from: 0, to: objects.count, by: parameters.screen) {
        try load(start..<min(start + parameters.screen, objects.count))
      }
      for object in objects { list.add(try object.section(model)) }
      sections = list.sections
    } else {
      sections = try WorkloadKinds.sections(statement, on: context.connection, model)
    }
    return try list()
  }

  /// Loads the rows of a batch.
  private func load(_ places: Range<Int>) throws {
    let keys = objects[places].filter(\.isFault).map(\.key)
    guard !keys.isEmpty else { return }
    let batch = try context.objects(model.entity, keys: keys, fetchBatchSize: keys.count)
    _ = try batch.object(at: 0)
  }

  private func list() throws -> SectionList {
    let places = 0..<min(parameters.screen, objects.count)
    try load(places)
    for object in objects[places] { _ = try object.value(of: model.date) }
    return SectionList(sections: sections, screen: objects[places].map(\.key))
  }

  func update(_ keys: [Int64]) throws -> SectionList {
    let changed = Set(keys)
    try context.merge(model.entity, updated: keys, deleted: [])
    var moving: [ManagedObject] = []
    for place in objects.indices.reversed() where changed.contains(objects[place].key) {
      let section = section(at: place)
      sections[section].count -= 1
      if sections[section].count == 0 { sections.remove(at: section) }
      moving.append(objects.remove(at: place))
    }
    for object in moving.sorted(by: { $0.key < $1.key }) { try insert(object) }
    changes += moving.count
    return try list()
  }

  private func section(at place: Int) -> Int {
    var end = 0
    for (index, section) in sections.enumerated() {
      end += section.count
      if place < end { return index }
    }
    return sections.count - 1
  }

  /// Puts an object where it belongs: by comparisons with objects that are there, whose faults fire.
  private func insert(_ object: ManagedObject) throws {
    var (low, high) = (0, objects.count)
    while low < high {
      let middle = (low + high) / 2
      if try objects[middle].precedes(object, model) { low = middle + 1 } else { high = middle }
    }
    let name = try object.section(model)
    let before = low > 0 ? try objects[low - 1].section(model) : nil
    let after = low < objects.count ? try objects[low].section(model) : nil
    if before == name {
      sections[section(at: low - 1)].count += 1
    } else if after == name {
      sections[section(at: low)].count += 1
    } else {
      let place = low == 0 ? 0 : section(at: low - 1) + 1
      sections.insert(SectionList.Section(name: name, count: 1), at: place)
    }
    objects.insert(object, at: low)
  }
}

extension ManagedObject {
  fileprivate func section(_ model: SectionModel) throws -> String {
    let section = try model.section.map { try value(of: $0) } ?? .null
    return model.section(of: try value(of: model.date), section)
  }

  /// Whether the object comes before another one in the order of the list.
  fileprivate func precedes(_ other: ManagedObject, _ model: SectionModel) throws -> Bool {
    for attribute in model.order.map(\.property) {
      let (own, others) = (try value(of: attribute), try other.value(of: attribute))
      if own != others { return SectionModel.precedes(own, others) }
    }
    return false
  }
}

extension SectionModel {
  /// Whether one value of an attribute of the order comes before another.
  static func precedes(_ first: Value, _ second: Value) -> Bool {
    switch (first, second) {
    case (.text(let left), .text(let right)):
      left.utf8.lexicographicallyPrecedes(right.utf8)
    case (.integer(let left), .integer(let right)): left < right
    case (.real(let left), .real(let right)): left < right
    default: false
    }
  }
}

/// Plain statements: a GROUP BY of an attribute or of a computed day, or all rows.
final class StatementSections: SectionEngine {
  private let writer: any RowWriting
  private let parameters: SectionParameters
  private let model: SectionModel
  private let sql: SectionSQL

  init(
    _ writer: any RowWriting,
    _ parameters: SectionParameters,
    _ model: SectionModel,
    _ layout: StoreLayout
  ) throws {
    self.writer = writer
    self.parameters = parameters
    self.model = model
    sql = try SectionSQL(model, layout)
  }

  func show() throws -> SectionList {
    var list = SectionList()
    func key(_ row: [Value]) -> Int64 { if case .integer(let key) = row[0] { key } else { 0 } }
    if parameters.strategy == .sql {
      list.sections = try writer.rows(sql.plainGrouping, []).map { row in
        var count = 0
        if case .integer(let number) = row[1] { count = Int(number) }
        return SectionList.Section(name: model.section(of: .null, row[0]), count: count)
      }
      list.screen = try writer.rows(sql.rows + " LIMIT \(parameters.screen)", []).map(key)
    } else {
      for row in try writer.rows(sql.rows, []) {
        list.add(model.section(of: .null, row[1]))
        if list.screen.count < parameters.screen { list.screen.append(key(row)) }
      }
    }
    return list
  }

  func update(_ keys: [Int64]) throws -> SectionList { try show() }
}

/// The statements of a list in sections.
struct SectionSQL {
  private let table: String
  private let section: String?
  private let date: String

  init(_ model: SectionModel, _ layout: StoreLayout) throws {
    guard let table = layout.table(of: model.entity)?.name,
      let date = layout.column(of: model.date, in: model.entity)?.name
    else { throw ObjectContextError.unknownEntity(model.entity) }
    self.table = table
    self.date = date
    section = model.section.flatMap { layout.column(of: $0, in: model.entity)?.name }
  }

  /// The statement of public logs, which groups by an attribute.
  var grouping: String {
    let column = section ?? date
    return
      "SELECT t0.\(column), COUNT( t0.\(column)) AS __var0 FROM \(table) t0 GROUP BY  t0.\(column)"
  }

  private var expression: String { section ?? "CAST(\(date) / 86400 AS INTEGER)" }

  var plainGrouping: String {
    "SELECT \(expression), count(*) FROM \(table) GROUP BY 1 ORDER BY 1"
  }

  /// All rows in order: key, section, and everything.
  var rows: String {
    let order = [section, date].compactMap { $0 }.joined(separator: ", ")
    return "SELECT Z_PK, \(expression), * FROM \(table) ORDER BY \(order)"
  }
}

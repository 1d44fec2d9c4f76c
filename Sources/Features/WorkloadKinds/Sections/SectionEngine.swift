import DataModel
import PersistentStore
import SQLite

/// Shows a list in sections, and updates it while objects move.
protocol SectionEngine: AnyObject {
  func show() throws -> SectionList
  /// Updates the list after another context has changed the objects with the given keys.
  ///
  /// - Returns: The updated list.
  func update(_ keys: [Int64]) throws -> SectionList
}

/// Groups with one statement and fetches the first screen, or fetches all objects in order and
/// groups them in memory.
final class FetchedSections: SectionEngine {
  private let context: ObjectContext
  private let content: SectionContent
  private let statement: String
  /// The objects that are kept in memory: the objects on the screen, or all objects of the list.
  private var objects: [ManagedObject] = []

  init(_ context: ObjectContext, _ content: SectionContent) throws {
    self.context = context
    self.content = content
    statement = try SectionSQL(content, context.layout).grouping
  }

  func show() throws -> SectionList {
    objects = []
    return try list()
  }

  func update(_ keys: [Int64]) throws -> SectionList {
    try context.merge(content.entity, updated: keys, deleted: [])
    return try list()
  }

  private func list() throws -> SectionList {
    let groups = content.parameters.strategy == .sql
    let screen = content.parameters.screen
    var list = SectionList()
    if groups { list.sections = try sections(statement, on: context.connection, content) }
    let found = try context.fetch(
      FetchRequest(
        content.entity,
        sortDescriptors: content.order,
        fetchLimit: groups ? screen : 0
      )
    )
    objects = try found.all()
    for object in objects {
      if groups {
        _ = try object.value(of: content.date)
      } else {
        list.add(try object.section(content))
      }
    }
    list.screen = objects.prefix(screen).map(\.key)
    return list
  }
}

/// The sections found by a GROUP BY statement, in the order of the list.
private func sections(
  _ statement: String,
  on connection: Connection,
  _ content: SectionContent
) throws -> [SectionList.Section] {
  let rows = try connection.cached(statement)
  defer { rows.reset() }
  let sections = try rows.map { row in
    let value = row.value(at: 0)
    let name = content.section(of: .null, value)
    return (value: value, section: SectionList.Section(name: name, count: Int(row.integer(at: 1))))
  }
  // Sort the sections here, because the statement in public logs has no ORDER BY.
  return sections.sorted { SectionContent.precedes($0.value, $1.value) }.map(\.section)
}

/// Makes the list as a fetched-results controller does: fetches all keys in order, then the
/// sections, and the rows on the screen in batches.
///
/// After a save, it finds the new position of each changed object.
final class ControlledSections: SectionEngine {
  private let context: ObjectContext
  private let content: SectionContent
  private let statement: String
  private let description: EntityDescription
  /// The objects in order; they are faults until they are shown or compared.
  private var objects: [ManagedObject] = []
  private var sections: [SectionList.Section] = []
  /// The number of changed positions that were reported to the list.
  private(set) var changes = 0

  init(_ context: ObjectContext, _ content: SectionContent) throws {
    self.context = context
    self.content = content
    statement = try SectionSQL(content, context.layout).grouping
    description = try context.description(of: content.entity)
  }

  func show() throws -> SectionList {
    objects = []
    let found = try context.fetch(
      FetchRequest(
        content.entity,
        sortDescriptors: content.order,
        includesPropertyValues: false
      )
    )
    objects = try found.all()
    if content.parameters.isComputed {
      var list = SectionList()
      for places in objects.indices.chunks(of: content.parameters.screen) { try load(places) }
      for object in objects { list.add(try object.section(content)) }
      sections = list.sections
    } else {
      sections = try WorkloadKinds.sections(statement, on: context.connection, content)
    }
    return try list()
  }

  private func load(_ places: Range<Int>) throws {
    let keys = objects[places].filter(\.isFault).map(\.key)
    guard !keys.isEmpty else { return }
    _ = try context.load(content.entity, keys)
  }

  private func list() throws -> SectionList {
    let places = 0..<min(content.parameters.screen, objects.count)
    try load(places)
    for object in objects[places] { _ = try object.value(of: content.date) }
    return SectionList(sections: sections, screen: objects[places].map(\.key))
  }

  func update(_ keys: [Int64]) throws -> SectionList {
    let changed = Set(keys)
    try context.merge(content.entity, updated: keys, deleted: [])
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

  /// Inserts an object at its position, found by a binary search that fires the faults of the
  /// objects it compares.
  private func insert(_ object: ManagedObject) throws {
    var (low, high) = (0, objects.count)
    while low < high {
      let middle = (low + high) / 2
      if try objects[middle].precedes(object, content) { low = middle + 1 } else { high = middle }
    }
    let name = try object.section(content)
    let before = low > 0 ? try objects[low - 1].section(content) : nil
    let after = low < objects.count ? try objects[low].section(content) : nil
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
  fileprivate func section(_ content: SectionContent) throws -> String {
    let section = try content.section.map { try value(of: $0) } ?? .null
    return content.section(of: try value(of: content.date), section)
  }

  fileprivate func precedes(_ other: ManagedObject, _ content: SectionContent) throws -> Bool {
    for attribute in content.order.map(\.property) {
      let (own, others) = (try value(of: attribute), try other.value(of: attribute))
      if own != others { return SectionContent.precedes(own, others) }
    }
    return false
  }
}

extension SectionContent {
  /// Whether a value precedes another value of the same attribute in the order of the list.
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

/// Makes the list with plain statements: groups by an attribute or a computed day, or reads all
/// rows.
final class StatementSections: SectionEngine {
  private let writer: any RowWriting
  private let content: SectionContent
  private let sql: SectionSQL

  init(
    _ writer: any RowWriting,
    _ content: SectionContent,
    _ layout: StoreLayout
  ) throws {
    self.writer = writer
    self.content = content
    sql = try SectionSQL(content, layout)
  }

  func show() throws -> SectionList {
    var list = SectionList()
    func key(_ row: [Value]) -> Int64 { row[0].integer ?? 0 }
    if content.parameters.strategy == .sql {
      list.sections = try writer.rows(sql.plainGrouping, []).map { row in
        SectionList.Section(
          name: content.section(of: .null, row[0]),
          count: Int(row[1].integer ?? 0)
        )
      }
      list.screen = try writer.rows(sql.rows + " LIMIT \(content.parameters.screen)", []).map(key)
    } else {
      for row in try writer.rows(sql.rows, []) {
        list.add(content.section(of: .null, row[1]))
        if list.screen.count < content.parameters.screen { list.screen.append(key(row)) }
      }
    }
    return list
  }

  func update(_ keys: [Int64]) throws -> SectionList { try show() }
}

struct SectionSQL {
  private let names: EntityNames
  private let section: String?
  private let date: String

  init(_ content: SectionContent, _ layout: StoreLayout) throws {
    let names = try EntityNames(content.entity, in: layout)
    self.names = names
    date = try names.column(content.date)
    section = try content.section.map { try names.column($0) }
  }

  /// The statement that groups by an attribute, as seen in public logs.
  var grouping: String { names.counts(by: section ?? date) }

  private var expression: String { section ?? "CAST(\(date) / 86400 AS INTEGER)" }

  var plainGrouping: String {
    "SELECT \(expression), count(*) FROM \(names.table) GROUP BY 1 ORDER BY 1"
  }

  var rows: String {
    let order = [section, date].compactMap { $0 }.joined(separator: ", ")
    return "SELECT Z_PK, \(expression), * FROM \(names.table) ORDER BY \(order)"
  }
}

import Basics
import DataModel
import PersistentStore
import SQLite

/// Reads a table of objects once and collects the statistics of all its columns.
final class TableScan {
  /// The maximum number of result columns of one statement; SQLite allows 2,000.
  private static let mostExpressions = 1900
  /// The number of rows between progress reports.
  private static let reportingInterval = 10_000

  let table: EntityTable
  private(set) var plans: [ColumnPlan] = []
  private var keys: [KeyCounter] = []
  private(set) var keySurveys: [(entity: Int, key: EntitySurvey.Key)] = []
  /// The number of objects of each entity of the table, in the order of the entities; the last
  /// element counts objects of unknown entities.
  private(set) var counts: [Int64]
  /// The number of objects with a value above the size limit, which are counted but not read.
  private(set) var oversized: Int64 = 0
  /// The error that stopped the scan; `nil` if the table was read completely.
  private(set) var failure: SQLiteError?

  private let reader: StoreReader
  private let places: [Int64: Int]
  private var keyEntities: [Int] = []
  private let isAbstract: [Bool]
  private var versions = RuleCounter()
  private var numbers = RuleCounter()
  private let families: [[Bool]]

  init(_ table: EntityTable, layout: StoreLayout, reader: StoreReader, folder: ExternalFolder) {
    self.table = table
    self.reader = reader
    counts = Array(repeating: 0, count: table.entities.count + 1)
    places = Dictionary(
      keepingFirst: table.entities.enumerated().map { (Int64(layout.numbers[$1] ?? 0), $0) }
    )
    isAbstract = table.entities.map { layout.model.entity(named: $0)?.isAbstract ?? true }
    families = table.entities.map { name in
      let family = layout.model.entity(named: name).map { layout.model.family(of: $0) } ?? []
      let names = Set(family.map(\.name))
      return table.entities.map(names.contains)
    }
    plan(layout, folder)
  }

  private func plan(_ layout: StoreLayout, _ folder: ExternalFolder) {
    var position = 3
    for column in table.columns where reader.schema.has(column.name, in: table.name) {
      guard position < Self.mostExpressions,
        let owner = table.entities.firstIndex(of: column.entity)
      else { continue }
      let plan = ColumnPlan(column, owners: families[owner], folder: folder)
      plan.position = position
      position += plan.expressions.count
      plans.append(plan)
    }
    planKeys(layout)
  }

  private func planKeys(_ layout: StoreLayout) {
    let candidates = table.entities.enumerated().flatMap { place, name in
      (layout.model.entity(named: name)?.candidateKeys ?? []).map { (place, $0) }
    }
    for (place, candidate) in candidates {
      let positions = candidate.properties.map { property in
        plans.first { $0.column.property == property && $0.column.entity == table.entities[place] }
          .map(\.valuePosition)
      }
      guard !positions.contains(nil), !positions.isEmpty else { continue }
      var key = KeyCounter(
        candidate.properties,
        isConstraint: candidate.isConstraint,
        capacity: KeyCounter.limit / candidates.count
      )
      key.positions = positions.compactMap { $0 }
      keys.append(key)
      keyEntities.append(place)
    }
  }

  func run(progress: (Int64) -> Void) {
    var next: Int64? = .min
    while let start = next {
      do {
        next = nil
        try read(from: start, progress)
      } catch let error as SQLiteError where error.isTooBig {
        next = afterOversizedRow()
      } catch {
        failure = error as? SQLiteError
      }
    }
    for (index, entity) in keyEntities.enumerated() {
      if let survey = keys[index].survey() { keySurveys.append((entity, survey)) }
    }
  }

  var brokenRules: [AuditFinding] {
    numbers.findings(in: "\(table.name).Z_ENT") + versions.findings(in: "\(table.name).Z_OPT")
      + plans.flatMap { $0.broken.findings(in: "\(table.name).\($0.column.name)") }
  }

  private var lastKey: Int64 = .min
  private var rows: Int64 = 0

  private func read(from start: Int64, _ progress: (Int64) -> Void) throws {
    let list = (["Z_PK", "Z_ENT", "Z_OPT"].map(\.quotedColumn) + plans.flatMap(\.expressions))
      .joined(separator: ", ")
    let row = try reader.connection.prepare(
      "SELECT \(list) FROM \(table.name.quotedName) AS t NOT INDEXED "
        + "WHERE t.\"Z_PK\" >= ?1 ORDER BY t.\"Z_PK\""
    )
    row.bind(start, at: 1)
    while try row.step() {
      lastKey = row.integer(at: 0)
      rows += 1
      if rows % Int64(Self.reportingInterval) == 0 { progress(rows) }
      if row.typeCode(at: 2) != 1 || row.integer(at: 2) < 1 { versions.add(.wrongVersion, lastKey) }
      let place = places[row.integer(at: 1)]
      if place.map({ isAbstract[$0] }) ?? true { numbers.add(.wrongEntityNumber, lastKey) }
      guard let place else {
        counts[counts.count - 1] += 1
        continue
      }
      counts[place] += 1
      for plan in plans {
        if plan.owners[place] {
          plan.add(row, key: lastKey)
        } else {
          plan.addForeign(row, key: lastKey)
        }
      }
      for index in keys.indices where families[keyEntities[index]][place] { keys[index].add(row) }
    }
  }

  /// Counts a row that was too large to read, and returns the key at which to continue; `nil` at
  /// the end of the table.
  private func afterOversizedRow() -> Int64? {
    let after = lastKey == .max ? .max : lastKey + (rows == 0 && oversized == 0 ? 0 : 1)
    do {
      let row = try reader.connection.prepare(
        "SELECT t.\"Z_PK\", t.\"Z_ENT\" FROM \(table.name.quotedName) AS t NOT INDEXED "
          + "WHERE t.\"Z_PK\" >= ?1 ORDER BY t.\"Z_PK\" LIMIT 1"
      )
      row.bind(after, at: 1)
      guard try row.step() else { return nil }
      oversized += 1
      lastKey = row.integer(at: 0)
      counts[places[row.integer(at: 1)] ?? counts.count - 1] += 1
      return lastKey == .max ? nil : lastKey + 1
    } catch {
      failure = error as? SQLiteError
      return nil
    }
  }
}

extension Entity {
  /// The sets of attributes that are keys by a unique constraint, or that appear to be keys by
  /// their type or name.
  fileprivate var candidateKeys: [(properties: [String], isConstraint: Bool)] {
    let constraints = uniquenessConstraints.map { ($0, true) }
    let alone = Set(uniquenessConstraints.filter { $0.count == 1 }.map { $0[0] })
    let likely = attributes.filter { !alone.contains($0.name) && $0.looksLikeKey }
    return constraints + likely.map { ([$0.name], false) }
  }
}

extension Attribute {
  private var hasKeyName: Bool {
    let lowered = name.lowercased()
    if ["id", "uuid", "guid", "identifier"].contains(lowered) { return true }
    return ["ID", "UUID", "Identifier", "GUID"].contains { name.hasSuffix($0) }
  }

  fileprivate var looksLikeKey: Bool {
    guard !isTransient else { return false }
    switch type {
    case .uuid: return true
    case .string, .integer64, .integer32: return hasKeyName
    default: return false
    }
  }
}

import Basics
import DataModel

/// The purposes of an object context's statements, looked up by their SQL.
///
/// A context registers the statements of a plan once per entity, instead of reporting each
/// execution.
struct StatementPurposes {
  enum Purpose: Equatable {
    case fetch(entity: String)
    case fault(entity: String)
    case toManyFault(entity: String, relationship: String)
    case count
    case system
    case pragma
    case change
    case plain
  }

  private var exact: [String: Purpose] = [:]
  private var starts: [(text: String, entity: String)] = []
  private var known: Set<String> = []

  /// Registers the statements of an entity's plan and of its to-many relationships; `target`
  /// returns the plan of a destination.
  mutating func learn(
    _ plan: SelectPlan,
    target: (_ entity: String) throws -> SelectPlan
  ) rethrows {
    let entity = plan.description.name
    guard known.insert(entity).inserted else { return }
    exact[plan.selectFault] = .fault(entity: entity)
    let condition = plan.entityCondition.map { " WHERE " + $0 } ?? ""
    for select in [plan.selectRows, plan.selectKeys] {
      starts.append((select + " FROM \(plan.description.table.name) t0" + condition, entity))
    }
    starts.append(
      (plan.selectRows + " FROM \(plan.description.table.name) t0 WHERE t0.Z_PK IN", entity)
    )
    starts.sort { ($1.text.utf8.count, $0.text) < ($0.text.utf8.count, $1.text) }
    for toMany in plan.description.toManys {
      let destination = try target(toMany.relationship.destination)
      let sql = ToManySQL(toMany: toMany, plan: destination)
      for text in [sql.keys, sql.rows] where exact[text] == nil {
        exact[text] = .toManyFault(entity: entity, relationship: toMany.name)
      }
      exact[sql.prefetch] = .fetch(entity: destination.description.name)
    }
  }

  mutating func purpose(of sql: String) -> Purpose {
    if let purpose = exact[sql] { return purpose }
    let purpose = read(sql)
    // Limit the cache: statements with literal values could fill up memory.
    if exact.count < 10_000 { exact[sql] = purpose }
    return purpose
  }

  private func read(_ sql: String) -> Purpose {
    let verb = sql.prefix { $0 != " " }.uppercased()
    if verb == "PRAGMA" { return .pragma }
    guard verb == "SELECT" else { return .change }
    if sql.hasPrefix("SELECT COUNT(*) FROM Z") { return .count }
    // Remove the joins for key paths: the registered beginning of a fetch contains the table's name
    // and the condition on its entity without joins between them.
    let plain =
      sql.contains(" t0 JOIN ") || sql.contains(" t0 LEFT OUTER JOIN ")
      ? sql.replacing(#/ t0(?: (?:LEFT OUTER )?JOIN \S+ \S+ ON \S+ = \S+)+/#, with: " t0") : sql
    if let start = starts.first(where: { plain.hasPrefix($0.text) }) {
      return .fetch(entity: start.entity)
    }
    let system = ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE", "sqlite_master", "SQLITE_MASTER"]
    return system.contains { sql.contains(" FROM " + $0) } ? .system : .plain
  }
}

struct BoundValues {
  private(set) var texts: [String] = []
  var key: Int64? { texts.first.flatMap(Int64.init) }

  init(sql: String, expanded: String) {
    let (sql, expanded) = (Array(sql.utf8), Array(expanded.utf8))
    var (place, other) = (0, 0)
    var quote: UInt8?
    while place < sql.count, other < expanded.count {
      let byte = sql[place]
      if let open = quote {
        if byte == open { quote = nil }
      } else if [34, 39, 96].contains(byte) {
        quote = byte
      } else if byte == 63 {
        place += 1
        while place < sql.count, (48...57).contains(sql[place]) { place += 1 }
        texts.append(Self.literal(expanded, &other))
        continue
      }
      place += 1
      other += 1
    }
  }

  private static func literal(_ bytes: [UInt8], _ place: inout Int) -> String {
    let start = place
    if bytes[place] == 39 { return "\"\(String(decoding: quoted(bytes, &place), as: UTF8.self))\"" }
    if bytes[place] == 120, place + 1 < bytes.count, bytes[place + 1] == 39 {
      place += 1
      return "<\(quoted(bytes, &place).count / 2) bytes>"
    }
    while place < bytes.count, isPart(bytes[place], after: place > start ? bytes[place - 1] : nil) {
      place += 1
    }
    let text = String(decoding: bytes[start..<place], as: UTF8.self)
    return text == "NULL" ? "nil" : text
  }

  private static func isPart(_ byte: UInt8, after last: UInt8?) -> Bool {
    switch byte {
    case 48...57, 65...90, 97...122, 46: true
    case 43, 45: last == nil || last == 101
    default: false
    }
  }

  private static func quoted(_ bytes: [UInt8], _ place: inout Int) -> [UInt8] {
    var value: [UInt8] = []
    place += 1
    while place < bytes.count {
      if bytes[place] == 39 {
        guard place + 1 < bytes.count, bytes[place + 1] == 39 else { break }
        place += 1
      }
      value.append(bytes[place])
      place += 1
    }
    place += 1
    return value
  }
}

import Basics
import DataModel
import PersistentStore
import SQLLog
import SQLite

// MARK: Values other than keys

extension Rehearsal {
  mutating func value(
    _ place: Int,
    _ step: ReplayScript.Step,
    _ statement: ReplayStatement,
    object: (table: String, key: Int64)?
  ) throws -> Value {
    let connection = connections[step.connection].connection
    let role = statement.roles[place]
    if case .blob(let bytes)? = step.values[place] {
      return try blob(of: role, bytes: bytes, connection)
    }
    guard case .value(let value)? = step.values[place] else {
      isGuessed = true
      return try unknown(role, step, statement, object, connection)
    }
    guard isMapped else { return asStored(value, role) }
    switch role {
    case .compared(_, "Z_OPT", _), .set(_, "Z_OPT"), .set("Z_PRIMARYKEY", _),
      .compared("Z_PRIMARYKEY", "Z_MAX", _):
      return try counter(role, value, step, statement, object, connection)
    case .compared(_, "Z_ENT", _): return value
    case .compared(let table, let column, let sign):
      // Use a value of the store, because the log may print a date in words.
      return try values.image(
        of: value,
        table,
        column,
        sign: sign,
        rows: step.rows,
        isAlone: statement.shape.conditions.count { $0.column != "Z_ENT" && $0.operation != .null }
          == 1,
        on: connection
      )
    case .searched(let table, let column):
      guard case .text(let text) = value else { return value }
      return .text(
        try values.searched(text, table, column, rows: step.rows, on: connection)
      )
    case .inserted(let table, "Z_PK"):
      guard case .integer(let key) = value else { return value }
      let image = try keys.fresh(of: table, on: connection)
      keys.set(image, for: key, of: table)
      return .integer(image)
    case .inserted(let table, let column), .set(let table, let column):
      guard case .integer(let key) = value, let target = schema.keyTable(table, column) else {
        return try unique(asStored(value, role), table, column, connection)
      }
      if let known = keys.known(key, of: target) { return .integer(known) }
      let image = try keys.ranked(key, of: target, on: connection)
      keys.set(image, for: key, of: target)
      return .integer(image)
    case .limit, .offset, .other: return value
    }
  }

  /// The value in its column's type, because logs may print a date in words.
  func asStored(_ value: Value, _ role: ReplayStatement.Role) -> Value {
    guard case .text(let text) = value, text.utf8.count >= 19 else { return value }
    switch role {
    case .compared(let table, let column, _), .inserted(let table, let column),
      .set(let table, let column):
      guard schema.dateColumns[table]?.contains(column) == true else { return value }
      let iso = text.prefix(10) + "T" + text.dropFirst(11).prefix(8) + "Z"
      return ReferenceDate.seconds(iso8601: String(iso)).map { .real(Double($0)) } ?? value
    default: return value
    }
  }

  /// The value, replaced by a different value if its column is unique and already contains it.
  func unique(
    _ value: Value,
    _ table: String,
    _ column: String,
    _ connection: Connection
  ) throws -> Value {
    guard schema.uniqueColumns[table]?.contains(column) == true, value != .null else {
      return value
    }
    var candidate = value
    for number in 1...100 {
      let row = try connection.cached(
        "SELECT 1 FROM \(table.quotedName) WHERE \(column.quotedName) = ?"
      )
      row.bind(candidate, at: 1)
      let isTaken = try row.step()
      row.reset()
      guard isTaken else { return candidate }
      switch value {
      case .text(let text): candidate = .text("\(text)-\(number)")
      case .integer(let value): candidate = .integer(value &+ Int64(number) &* 1_000_003)
      case .real(let value): candidate = .real(value + Double(number) * 1_000_003)
      case .blob(let bytes): candidate = .blob(bytes.dropLast() + [UInt8(number)])
      case .null: return value
      }
    }
    return candidate
  }

  /// The version of a row, or the last key of an entity, read from the store.
  func counter(
    _ role: ReplayStatement.Role,
    _ logged: Value?,
    _ step: ReplayScript.Step,
    _ statement: ReplayStatement,
    _ object: (table: String, key: Int64)?,
    _ connection: Connection
  ) throws -> Value {
    switch role {
    case .compared(_, "Z_OPT", _), .set(_, "Z_OPT"):
      guard let object else { return logged ?? .integer(1) }
      let row = try connection.cached(
        "SELECT Z_OPT FROM \(object.table.quotedName) WHERE Z_PK = ?"
      )
      defer { row.reset() }
      row.bind(object.key, at: 1)
      let version = try row.step() ? row.integer(at: 0) : 1
      if case .set = role { return .integer(version + 1) }
      return .integer(version)
    default:
      let entity = entity(of: step, statement)
      let row = try connection.cached("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?")
      defer { row.reset() }
      row.bind(entity, at: 1)
      let last = try row.step() ? row.integer(at: 0) : 0
      guard case .set = role else { return .integer(last) }
      return .integer(last + reserved(step, statement))
    }
  }

  /// The number of the entity whose last key a statement reads or changes, from the log or from the
  /// connection's next insertion.
  func entity(of step: ReplayScript.Step, _ statement: ReplayStatement) -> Value {
    for (role, value) in zip(statement.roles, step.values) {
      if case .compared("Z_PRIMARYKEY", "Z_ENT", _) = role, case .value(let number)? = value {
        return number
      }
    }
    let table = nextInserts(after: step).first ?? ""
    return .integer(Int64(schema.entityNumbers[table] ?? 1))
  }

  func reserved(_ step: ReplayScript.Step, _ statement: ReplayStatement) -> Int64 {
    var (new, old): (Int64?, Int64?)
    for (role, value) in zip(statement.roles, step.values) {
      guard case .value(.integer(let number))? = value else { continue }
      if case .set("Z_PRIMARYKEY", "Z_MAX") = role { new = number }
      if case .compared("Z_PRIMARYKEY", "Z_MAX", _) = role { old = number }
    }
    if let new, let old { return max(0, new - old) }
    let inserts = nextInserts(after: step)
    return Int64(max(1, inserts.count { $0 == inserts.first }))
  }

  /// The tables of the rows that the connection inserts next, up to its second COMMIT.
  ///
  /// The first COMMIT may end the transaction that reserves keys.
  func nextInserts(after step: ReplayScript.Step) -> [String] {
    var tables: [String] = []
    var commits = 0
    var place = script.place(ofLine: step.line) + 1
    while place < script.steps.count, commits < 2, tables.count < 10_000 {
      defer { place += 1 }
      guard script.steps[place].connection == step.connection else { continue }
      let shape = script.statements[script.steps[place].statement].shape
      if shape.kind == .commit { commits += 1 }
      if shape.kind == .insert, schema.entityNumbers[shape.table] != nil {
        tables.append(shape.table)
      }
    }
    return tables
  }

  // MARK: Values missing from the log

  mutating func unknown(
    _ role: ReplayStatement.Role,
    _ step: ReplayScript.Step,
    _ statement: ReplayStatement,
    _ object: (table: String, key: Int64)?,
    _ connection: Connection
  ) throws -> Value {
    switch role {
    case .compared("Z_PRIMARYKEY", "Z_ENT", _): return entity(of: step, statement)
    case .compared(_, "Z_OPT", _), .set(_, "Z_OPT"), .set("Z_PRIMARYKEY", _),
      .compared("Z_PRIMARYKEY", "Z_MAX", _):
      return try counter(role, nil, step, statement, object, connection)
    case .inserted(let table, "Z_PK"): return .integer(try keys.fresh(of: table, on: connection))
    case .inserted(let table, "Z_ENT"), .compared(let table, "Z_ENT", _):
      return .integer(Int64(schema.entityNumbers[table] ?? 1))
    case .inserted(_, "Z_OPT"): return .integer(1)
    case .compared(let table, let column, _), .searched(let table, let column):
      return try sample(table, column, connection)
    case .inserted(let table, let column), .set(let table, let column):
      return try unique(try sample(table, column, connection), table, column, connection)
    case .limit: return .integer(Int64(max(step.rows, 1)))
    case .offset: return .integer(0)
    case .other: return .integer(0)
    }
  }

  /// A column's value in a random row; NULL if the table is empty.
  mutating func sample(
    _ table: String,
    _ column: String,
    _ connection: Connection
  ) throws -> Value {
    guard let last = try connection.integer("SELECT max(rowid) FROM \(table.quotedName)"), last > 0
    else { return .null }
    let row = try connection.cached(
      "SELECT \(column.quotedName) FROM \(table.quotedName) WHERE rowid >= ? ORDER BY rowid LIMIT 1"
    )
    defer { row.reset() }
    row.bind(Int64(numbers.next() % UInt64(last)), at: 1)
    return try row.step() ? row.value(at: 0) : .null
  }

  /// Binary data of the given length or, if the log shows no length, of the length in a random row.
  mutating func blob(
    of role: ReplayStatement.Role,
    bytes: Int,
    _ connection: Connection
  ) throws -> Value {
    if bytes >= 0 {
      var generator = SplitMix64(state: UInt64(bytes) &+ 1)
      return .blob(
        (0..<min(bytes, 64 << 20)).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
      )
    }
    isGuessed = true
    switch role {
    case .compared(let table, let column, _), .inserted(let table, let column),
      .set(let table, let column):
      return try sample(table, column, connection)
    default: return .null
    }
  }
}

import Basics
import DataModel
import PersistentStore
import SQLLog
import SQLite

// MARK: Arrays of keys

extension Rehearsal {
  mutating func arrayKeys(
    _ array: ReplayStatement.KeyArray,
    _ step: ReplayScript.Step,
    _ statement: ReplayStatement,
    isFurther: Bool
  ) throws -> [Int64]? {
    if array.column == "Z_PK", !isMapped, !step.keys.isEmpty {
      // Use the keys that the log shows; later batches continue after the last of these keys.
      deliver(step.keys, of: array.table, on: step.connection)
      return step.keys
    }
    guard array.column == "Z_PK" else {
      // For the prefetch of a to-many relationship, use the keys of the objects that own it.
      let table = schema.keyTable(array.table, array.column)
      let lane = lanes[step.connection]
      let source =
        lane.results.last { $0.table == table && !$0.keys.isEmpty }
        ?? table.flatMap { lane.keyFetches[$0] }
      if source == nil { isGuessed = true }
      return source.map { Array(Set($0.keys)).sorted() } ?? []
    }
    if case .prefetch(let name) = step.purpose {
      let relationship = script.names[name]
      if let keys = linked(to: array.table, relationship, step, limit: statement.limit) {
        return keys
      }
    }
    if statement.limit < 0, let keys = linked(to: array.table, nil, step, limit: -1) { return keys }
    if let keys = nextBatch(of: array.table, step, statement.limit, isFurther: isFurther) {
      return keys
    }
    if isFurther { return nil }
    if let keys = linked(to: array.table, nil, step, limit: statement.limit) { return keys }
    isGuessed = true
    let wanted = statement.limit > 0 ? statement.limit : max(step.rows, 1)
    return try firstKeys(of: array.table, wanted, on: connections[step.connection].connection)
  }

  func firstKeys(of table: String, _ count: Int, on connection: Connection) throws -> [Int64] {
    try connection.prepare(
      "SELECT Z_PK FROM \(table.quotedName) ORDER BY Z_PK LIMIT \(count)"
    ).map { $0.integer(at: 0) }
  }

  /// The next batch of keys from a table's last key fetch.
  mutating func nextBatch(
    of table: String,
    _ step: ReplayScript.Step,
    _ limit: Int,
    isFurther: Bool
  ) -> [Int64]? {
    let lane = step.connection
    guard var result = lanes[lane].keyFetches[table] else { return nil }
    let size = limit > 0 ? limit : max(step.rows, 1)
    if result.delivered >= result.keys.count {
      guard !isFurther, !result.keys.isEmpty else { return nil }
      // All keys in the list have been used, so start over, as an app does when it reads the list
      // from the beginning again.
      isGuessed = true
      result.delivered = 0
    }
    let end = min(result.keys.count, result.delivered + size)
    let keys = Array(result.keys[result.delivered..<end])
    lanes[lane].keyFetches[table]?.delivered = end
    return keys
  }

  mutating func deliver(_ keys: [Int64], of table: String, on lane: Int) {
    guard let last = keys.last,
      let position = lanes[lane].keyFetches[table]?.keys.lastIndex(of: last)
    else { return }
    lanes[lane].keyFetches[table]?.delivered = position + 1
  }

  /// The keys in a column for a relationship to the given table, from the latest result with such a
  /// column.
  ///
  /// If there are more than `limit` keys, keys that were read before are left out.
  ///
  /// - Returns: The keys; `nil` if no result has such a column.
  mutating func linked(
    to table: String,
    _ relationship: String?,
    _ step: ReplayScript.Step,
    limit: Int
  ) -> [Int64]? {
    let results = lanes[step.connection].results
    for result in results.reversed() {
      let columns = (schema.links[result.table] ?? [:]).filter { name, link in
        link.table == table && result.links[name] != nil
          && (relationship == nil || link.relationship == relationship)
      }
      guard let column = columns.keys.sorted().first, let found = result.links[column] else {
        continue
      }
      var keys = Set(found)
      if limit > 0, keys.count > limit, !isMapped {
        for earlier in results.reversed() where earlier.table == table && keys.count > limit {
          for key in earlier.keys where keys.count > limit { keys.remove(key) }
        }
        if keys.count != limit { isGuessed = true }
      }
      return keys.sorted()
    }
    return nil
  }
}

// MARK: Keys among the parameters

extension Rehearsal {
  mutating func resolveValues(
    _ step: ReplayScript.Step,
    _ statement: ReplayStatement,
    isFurther: Bool
  ) throws -> [Value]? {
    var resolved = [Value](repeating: .null, count: statement.roles.count)
    var rest: [Int] = []
    // Resolve keys first, because counters and versions are looked up by key.
    for (place, role) in statement.roles.enumerated() {
      guard case .compared(let table, let column, "=") = role,
        let target = schema.keyTable(table, column)
      else {
        rest.append(place)
        continue
      }
      guard
        let key = try key(of: target, place, step, statement, isFurther: isFurther)
      else { return nil }
      resolved[place] = key
    }
    let object = object(of: statement, resolved)
    for place in rest {
      resolved[place] = try value(place, step, statement, object: object)
    }
    return resolved
  }

  /// The table and key of the object that a statement changes or reads.
  func object(of statement: ReplayStatement, _ values: [Value]) -> (table: String, key: Int64)? {
    for (role, value) in zip(statement.roles, values) {
      if case .compared(let table, "Z_PK", "=") = role, case .integer(let key) = value {
        return (table, key)
      }
    }
    return nil
  }

  mutating func key(
    of table: String,
    _ place: Int,
    _ step: ReplayScript.Step,
    _ statement: ReplayStatement,
    isFurther: Bool
  ) throws -> Value? {
    var logged: Int64?
    if !isFurther {
      switch step.values[place] {
      case .value(.integer(let key))?: logged = key
      case .value(.null)?: return .null
      default:
        if statement.shape.isRead, let (_, key) = KeyMapper.purposeKey(step, statement, schema) {
          logged = key
        }
      }
    }
    if let logged {
      guard isMapped else { return .integer(logged) }
      if let known = keys.known(logged, of: table) { return .integer(known) }
      let connection = connections[step.connection].connection
      let image =
        try candidate(of: table, step, isUnused: true)
        ?? owner(of: table, logged, step, statement)
        ?? keys.ranked(logged, of: table, on: connection)
      keys.set(image, for: logged, of: table)
      lanes[step.connection].drawn[step.statement, default: []].insert(image)
      return .integer(image)
    }
    if let next = candidate(of: table, step, isUnused: false) {
      if !isFurther { isGuessed = true }
      lanes[step.connection].drawn[step.statement, default: []].insert(next)
      return .integer(next)
    }
    guard !isFurther else { return nil }
    isGuessed = true
    let connection = connections[step.connection].connection
    let any = Int64(truncatingIfNeeded: numbers.next() >> 33)
    return .integer(try keys.ranked(any, of: table, on: connection))
  }

  /// The next key from earlier results that the statement has not used yet.
  mutating func candidate(
    of table: String,
    _ step: ReplayScript.Step,
    isUnused: Bool
  ) -> Int64? {
    let lane = step.connection
    let drawn = lanes[lane].drawn[step.statement] ?? []
    let keys = keys
    func isFree(_ key: Int64) -> Bool {
      !drawn.contains(key) && (!isUnused || !keys.isUsed(key, of: table))
    }
    let shape = script.statements[step.statement].shape
    if !shape.isRead {
      // For a write, take a key from all objects that were read, because an app has read the
      // objects that it changes.
      let place = Place(statement: step.statement, result: -1, column: table)
      return lanes[lane].next(in: lanes[lane].seen[table] ?? [], place, isFree)
    }
    let fetched = lanes[lane].keyFetches[table].map { [$0] } ?? []
    for result in lanes[lane].results.reversed() + fetched {
      var columns: [(name: String, keys: [Int64])] = []
      // Objects that were fetched with all their columns cause no faults, but their relationships
      // do.
      if result.table == table, result.hasKeysOnly || !isFault(step) {
        columns.append(("Z_PK", result.keys))
      }
      for (column, link) in schema.links[result.table] ?? [:] where link.table == table {
        if let linked = result.links[column] { columns.append((column, linked)) }
      }
      for column in columns.sorted(by: { $0.name < $1.name }) {
        let place = Place(statement: step.statement, result: result.number, column: column.name)
        if let key = lanes[lane].next(in: column.keys, place, isFree) { return key }
      }
    }
    return nil
  }

  func isFault(_ step: ReplayScript.Step) -> Bool {
    if case .fault = step.purpose { return true }
    return script.statements[step.statement].shape.kind == .fault
  }

  /// The key whose number of related rows is closest to the number in the log.
  ///
  /// The search starts at the store's key with the same rank as the logged key, and covers 50 keys.
  func owner(
    of table: String,
    _ logged: Int64,
    _ step: ReplayScript.Step,
    _ statement: ReplayStatement
  ) throws -> Int64? {
    guard step.rows >= 0, statement.shape.kind == .toManyFault, let column = statement.ownerColumn
    else { return nil }
    let connection = connections[step.connection].connection
    let start = try keys.ranked(logged, of: table, on: connection)
    let near = try connection.prepare(
      "SELECT o.Z_PK, (SELECT count(*) FROM \(column.table.quotedName) m "
        + "WHERE m.\(column.column.quotedName) = o.Z_PK) FROM \(table.quotedName) o "
        + "WHERE o.Z_PK >= ? ORDER BY o.Z_PK LIMIT 50"
    )
    near.bind(start, at: 1)
    var best: (key: Int64, cost: Int)?
    while try near.step() {
      let (key, count) = (near.integer(at: 0), Int(near.integer(at: 1)))
      guard !keys.isUsed(key, of: table) else { continue }
      let cost = abs(count - step.rows)
      if cost < best?.cost ?? .max { best = (key, cost) }
    }
    return best?.key
  }
}

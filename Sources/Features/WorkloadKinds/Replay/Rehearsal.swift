import Basics
import DataModel
import PersistentStore
import SQLLog
import SQLite

/// Runs the statements of a log once, untimed, on a copy of a store.
///
/// The rehearsal records the values of each statement, so that a replay needs no lookups. It
/// chooses values that the log does not show: keys from results of earlier statements, other values
/// from rows of the store.
struct Rehearsal {
  /// The source of the statements' values.
  enum Values: String, CaseIterable, Sendable {
    /// Uses the log's values if the store has the log's keys, otherwise mapped values.
    case auto
    /// Uses the log's values, because the log was recorded on this store.
    case logged
    /// Uses values of the store that correspond to the log's values.
    case mapped
  }

  struct Result {
    var table: String
    var keys: [Int64] = []
    /// The keys in each foreign-key column, in the order of the rows.
    var links: [String: [Int64]] = [:]
    var isKeyFetch = false
    /// Whether only keys were read, so that each object may cause a fault.
    var hasKeysOnly = false
    /// The result's index among all results of its connection.
    var number = 0
    /// The number of the result's keys that batches have already read.
    var delivered = 0
  }

  struct Place: Hashable {
    var statement: Int
    /// The result's index; -1 for the list of all keys of a table that the connection has read.
    var result: Int
    var column: String
  }

  struct Lane {
    var results: [Result] = []
    /// The last result of a key fetch per table, from which batches and faults take their keys.
    var keyFetches: [String: Result] = [:]
    /// The keys that each statement has already used.
    var drawn: [Int: Set<Int64>] = [:]
    /// For each table, the keys of the objects that were read, in the order in which they were
    /// read.
    var seen: [String: [Int64]] = [:]
    private var places: [Place: Int] = [:]
    private var count = 0

    static let most = 48
    /// The number of most recent results that are kept even if they are small.
    static let latest = 16
    static let mostSeen = 2_000_000

    mutating func add(_ result: Result) {
      var result = result
      result.number = count
      count += 1
      if result.isKeyFetch { keyFetches[result.table] = result } else { results.append(result) }
      if seen[result.table]?.count ?? 0 < Self.mostSeen {
        seen[result.table, default: []].append(contentsOf: result.keys)
      }
      guard results.count > Self.most else { return }
      // Remove the smallest results first: faults return few rows each, and many faults would
      // otherwise displace the fetch that precedes them.
      let smallest = results.indices.dropLast(Self.latest).min {
        results[$0].keys.count < results[$1].keys.count
      }
      results.remove(at: smallest ?? 0)
    }

    /// Returns the next of the given keys for which `isFree` is true; `nil` if no such key is left.
    ///
    /// Skipped keys are never returned later.
    mutating func next(in keys: [Int64], _ place: Place, _ isFree: (Int64) -> Bool) -> Int64? {
      var position = places[place] ?? 0
      while position < keys.count, !isFree(keys[position]) { position += 1 }
      places[place] = position
      return position < keys.count ? keys[position] : nil
    }
  }

  let script: ReplayScript
  let schema: ReplaySchema
  let connections: [ReplayConnection]
  /// The ratio of the store's number of objects to the log's; 1 if the log was recorded on the
  /// store.
  let scale: Double
  let isMapped: Bool
  let keys: KeyMapper
  let values: ValueMapper
  private let bursts: ReplayBursts
  var lanes: [Lane]
  private var replay: ResolvedReplay
  var numbers = SplitMix64(state: 1)
  /// Whether the current step has a value that the log does not show.
  var isGuessed = false

  /// The time in seconds after which a statement is interrupted.
  private static let timeLimit = 120.0

  init(
    _ script: ReplayScript,
    schema: ReplaySchema,
    connections: [ReplayConnection],
    values mode: Values,
    scale: Double
  ) throws {
    (self.script, self.schema, self.connections, self.scale) = (script, schema, connections, scale)
    keys = KeyMapper(script, schema: schema)
    values = ValueMapper(script, schema: schema, scale: scale)
    bursts = ReplayBursts(script)
    lanes = Array(repeating: Lane(), count: connections.count)
    replay = ResolvedReplay(statements: script.statements)
    isMapped =
      switch mode {
      case .logged: false
      case .mapped: true
      case .auto: try scale != 1 || !Self.hasKeys(keys, schema, connections[0].connection)
      }
    replay.isMapped = isMapped
    replay.divergence.omitted = script.omissions.values.reduce(0) { $0 + $1.count }
    replay.omissions = script.omissions
  }

  /// Whether the store has at least 95 % of the keys that the log names.
  ///
  /// It checks up to about 200 keys per table.
  private static func hasKeys(
    _ mapper: KeyMapper,
    _ schema: ReplaySchema,
    _ connection: Connection
  ) throws -> Bool {
    var (found, asked) = (0, 0)
    for table in schema.columns.keys.sorted() {
      let keys = mapper.loggedKeys(of: table)
      let step = max(1, keys.count / 200)
      for place in Swift.stride(from: 0, to: keys.count, by: step) {
        asked += 1
        let row = try connection.cached("SELECT 1 FROM \(table.quotedName) WHERE Z_PK = ?")
        row.bind(keys[place], at: 1)
        if try row.step() { found += 1 }
        row.reset()
      }
    }
    return Double(found) >= 0.95 * Double(asked)
  }

  mutating func perform() throws -> ResolvedReplay {
    for connection in connections { limitTime(of: connection.connection) }
    defer { for connection in connections { connection.connection.interrupt(every: 0, when: nil) } }
    for place in script.steps.indices {
      let role = bursts.roles[place]
      if case .dependent(let source, let number) = role, isLeftOut(source, number) { continue }
      // Skip the faults of a nested loop: they are replayed after each to-many fault of the outer
      // loop.
      if case .member = role, isMapped { continue }
      try perform(place)
      if case .dependent(let source, let number) = role,
        number + 1 == bursts.dependents[source]?.count
      {
        try performMore(source)
      }
    }
    replay.finish(scale: scale)
    return replay
  }

  private final class Watch { var start: UInt64 = MonotonicClock.now() }
  private let watch = Watch()

  private func limitTime(of connection: Connection) {
    let watch = watch
    connection.interrupt(every: 100_000) {
      Double(MonotonicClock.now() &- watch.start) / 1e9 > Self.timeLimit
    }
  }

  // MARK: Bursts whose length depends on a result

  /// For each fetch that starts a burst, its rows on this store divided by its rows in the log.
  ///
  /// A burst is the statements that an app's loop over the fetched rows runs.
  private var ratios: [Int: Double] = [:]

  private func isLeftOut(_ source: Int, _ number: Int) -> Bool {
    guard isMapped, let ratio = ratios[source], ratio < 0.95, let all = bursts.dependents[source]
    else { return false }
    return Double(number) >= (Double(all.count) * ratio).rounded(.up)
  }

  /// Repeats a burst for the additional rows of its fetch until no keys are left.
  private mutating func performMore(_ source: Int) throws {
    guard isMapped, let ratio = ratios[source], ratio > 1.05, let all = bursts.dependents[source]
    else { return }
    let further = min(Int((Double(all.count) * (ratio - 1)).rounded()), ReplayScript.mostSteps)
    var misses = 0
    for number in 0..<further {
      if try perform(all[number % all.count], isFurther: true) {
        misses = 0
      } else {
        misses += 1
      }
      if misses >= all.count || replay.steps.count >= ReplayScript.mostSteps { return }
    }
  }

  // MARK: Resolving and running one step

  /// Resolves and runs a step; returns `false` if no key was left for the step.
  @discardableResult
  private mutating func perform(_ place: Int, isFurther: Bool = false) throws -> Bool {
    let step = script.steps[place]
    let statement = script.statements[step.statement]
    let connection = connections[step.connection].connection
    // Leave out a COMMIT or ROLLBACK without BEGIN, because a log may start in the middle of a
    // transaction.
    if statement.shape.kind == .commit || statement.shape.kind == .rollback,
      !connection.isInTransaction
    {
      replay.omit("\(statement.sql.prefix(8)) without BEGIN", line: step.line)
      return true
    }
    isGuessed = false
    let resolved: ResolvedStep?
    do {
      resolved = try resolve(step, statement, isFurther: isFurther)
    } catch let error as SQLiteError {
      replay.refuse(error, line: step.line)
      return true
    }
    guard let resolved else { return false }
    let columns = Columns(schema.links[statement.shape.table] ?? [:])
    do {
      watch.start = MonotonicClock.now()
      let rows = try connections[step.connection].run(resolved, statement) { row in
        columns.read(row)
      }
      if bursts.sources.contains(place), step.rows > 0 {
        ratios[place] = Double(rows) / Double(step.rows)
      }
      replay.add(resolved, statement, rows: rows, isFurther: isFurther, isGuessed, scale: scale)
    } catch let error as SQLiteError {
      replay.refuse(error, line: step.line)
      return true
    }
    if statement.shape.isRead, !columns.keys.isEmpty || !columns.linked.isEmpty {
      lanes[step.connection].add(
        Result(
          table: statement.shape.table,
          keys: columns.keys,
          links: columns.linked,
          isKeyFetch: statement.shape.kind == .keyFetch,
          hasKeysOnly: statement.shape.kind == .keyFetch || statement.shape.kind == .toManyFault
        )
      )
    }
    if isMapped, case .dependent = bursts.roles[place],
      let member = bursts.members[step.statement]
    {
      for _ in columns.keys where replay.steps.count < ReplayScript.mostSteps {
        guard try perform(member, isFurther: true) else { break }
      }
    }
    return true
  }

  private final class Columns {
    private let links: [String: ReplaySchema.Link]
    private(set) var keys: [Int64] = []
    private(set) var linked: [String: [Int64]] = [:]
    private var key: Int?
    private var places: [(place: Int, name: String)] = []
    private var isRead = false

    init(_ links: [String: ReplaySchema.Link]) { self.links = links }

    func read(_ row: Statement) {
      if !isRead {
        isRead = true
        for place in 0..<row.columnCount {
          let name = row.columnName(at: place)
          if name == "Z_PK", key == nil { key = place }
          if links[name] != nil { places.append((place, name)) }
        }
      }
      if let key { keys.append(row.integer(at: key)) }
      for (place, name) in places where !row.isNull(at: place) {
        linked[name, default: []].append(row.integer(at: place))
      }
    }
  }

  private mutating func resolve(
    _ step: ReplayScript.Step,
    _ statement: ReplayStatement,
    isFurther: Bool
  ) throws -> ResolvedStep? {
    var arrays: [[Int64]] = []
    for array in statement.arrays {
      guard let keys = try arrayKeys(array, step, statement, isFurther: isFurther) else {
        return nil
      }
      arrays.append(keys)
    }
    guard let values = try resolveValues(step, statement, isFurther: isFurther) else { return nil }
    return ResolvedStep(
      statement: step.statement,
      connection: step.connection,
      line: step.line,
      values: values,
      arrays: arrays,
      loggedRows: step.rows,
      writesOneObject: statement.writesOneObject
    )
  }
}

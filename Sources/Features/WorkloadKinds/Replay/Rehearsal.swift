import Basics
import DataModel
import PersistentStore
import SQLLog
import SQLite

/// Runs the statements of a log on a copy of a store once, untimed.
///
/// It notes the values and keys that each of them has there, so that a replay runs the same steps
/// without looking anything up. What the log does not show is drawn: keys from the results of earlier
/// statements, the rest from rows of the store. Look-ups are of no account, since nothing is measured.
struct Rehearsal {
  /// Whose values statements have.
  enum Values: String, CaseIterable, Sendable {
    /// Those of the log where the store has its keys, or else mapped ones.
    case auto
    /// Those of the log: the store is the one that the log was made on.
    case logged
    /// Those of the store that stand for the log's.
    case mapped
  }

  /// What a read has given.
  struct Result {
    var table: String
    var keys: [Int64] = []
    /// The keys that columns lead to, in the order of the rows.
    var links: [String: [Int64]] = [:]
    var isKeyFetch = false
    /// Whether its objects are not read, so that each may fire a fault.
    var hasKeysOnly = false
    /// Its number among the connection's results.
    var number = 0
    /// Keys that batches have taken.
    var delivered = 0
  }

  /// Where a statement goes on in a result's keys.
  struct Place: Hashable {
    var statement: Int
    /// -1 for the keys of a table that any statement has read.
    var result: Int
    var column: String
  }

  /// What is known of one connection.
  struct Lane {
    var results: [Result] = []
    /// The last fetch of keys by table, which its batches and faults read from.
    var keyFetches: [String: Result] = [:]
    /// Keys that a statement has had already.
    var drawn: [Int: Set<Int64>] = [:]
    /// The keys of objects that were read, by table, in order.
    var seen: [String: [Int64]] = [:]
    private var places: [Place: Int] = [:]
    private var count = 0

    static let most = 48
    /// Results that stay, however small.
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
      // Faults give few rows each: they must not push out the fetch before them.
      let smallest = results.indices.dropLast(Self.latest).min {
        results[$0].keys.count < results[$1].keys.count
      }
      results.remove(at: smallest ?? 0)
    }

    /// The next key that is free; what is not free stays so, and is not looked at again.
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
  /// How many times the log's objects the store has; 1 where it is the log's own.
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

  /// Seconds after which a statement is given up.
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

  /// Whether the store has nearly all keys that the log names.
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

  /// The steps with their values, and how far they differ from the log.
  mutating func perform() throws -> ResolvedReplay {
    for connection in connections { limitTime(of: connection.connection) }
    defer { for connection in connections { connection.connection.interrupt(every: 0, when: nil) } }
    for place in script.steps.indices {
      let role = bursts.roles[place]
      if case .dependent(let source, let number) = role, isLeftOut(source, number) { continue }
      // A loop within the loop is replayed with each to-many fault.
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

  // MARK: Bursts that follow the size of a result

  /// The rows that a burst's fetch has here, over those that it has in the log.
  private var ratios: [Int: Double] = [:]

  private func isLeftOut(_ source: Int, _ number: Int) -> Bool {
    guard isMapped, let ratio = ratios[source], ratio < 0.95, let all = bursts.dependents[source]
    else { return false }
    return Double(number) >= (Double(all.count) * ratio).rounded(.up)
  }

  /// Repeats a burst for the further rows of its fetch, until no further key is there.
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

  // MARK: One step

  /// Resolves and runs a step; returns whether there were keys for it.
  @discardableResult
  private mutating func perform(_ place: Int, isFurther: Bool = false) throws -> Bool {
    let step = script.steps[place]
    let statement = script.statements[step.statement]
    let connection = connections[step.connection].connection
    // Logs may start or end within a transaction.
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

  /// The columns of a result that hold keys.
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

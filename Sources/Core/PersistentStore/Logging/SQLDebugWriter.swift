import Basics
import DataModel
import SQLite
import Synchronization

/// Writes the work of object contexts in the format of Core Data's SQL log, as
/// `-com.apple.CoreData.SQLDebug` prints it (sqldebug.md).
///
/// The writer observes statements through SQLite; contexts only add the names of plans, counts and
/// prefetches. No public log shows the following forms, so they are invented:
/// - bound reals, NULL and blobs (`728000000.5`, `nil`, `<12 bytes>`);
/// - the lines for objects other than the first at level 3;
/// - the key of a prefetch along a key path: the name of the relationship that is being loaded;
/// - the digits of object IDs;
/// - the lines of a plan after level 4's `EXPLAIN QUERY PLAN`.
package final class SQLDebugWriter: StatementObserver, Sendable {
  /// The options of a log.
  package struct Options: Codable, Hashable, Sendable {
    /// The path of the log file; lines are appended to an existing file.
    package var path: String
    /// The level of SQLDebug: 1 for statements and times, 2 also for bound values and results, 3
    /// for objects, 4 for query plans.
    package var level: Int
    /// A line to write before the first statement, like an app's own output.
    package var title: String

    package init(path: String, level: Int = 2, title: String = "") {
      self.path = path
      self.level = level
      self.title = title
    }
  }

  package let options: Options
  private let state: Mutex<State>

  /// Opens the log file.
  ///
  /// - Throws: ``Refusal`` if the file cannot be written.
  package init(_ options: Options) throws {
    self.options = options
    let file = System.open(options.path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC)
    guard file >= 0 else { throw Refusal.cannotWrite(options.path) }
    state = Mutex(State(level: options.level, file: file))
  }

  deinit {
    state.withLock { state in
      state.flush()
      close(state.file)
    }
  }

  /// Writes the title and the path of a store, and starts logging.
  package func begin(_ store: StoreFile) {
    state.withLock { state in
      if !options.title.isEmpty { state.lines += options.title + "\n" }
      state.isOn = true
      state.connects(store.path)
    }
  }

  /// Writes the pending lines and stops logging.
  ///
  /// - Throws: ``Refusal`` if a write failed.
  package func end() throws {
    try state.withLock { state in
      for connection in state.sessions.keys.sorted() { state.endFetch(connection) }
      state.isOn = false
      state.flush()
      if let failure = state.failure {
        throw Refusal.cannotWrite(options.path, code: failure)
      }
    }
  }

  // MARK: Events from contexts

  func learn(_ plan: SelectPlan, in context: ObjectContext) throws {
    let connection = context.connection
    let isOn = state.withLock { state in
      defer { state.isOn = false }
      return state.isOn
    }
    // A store that a migration is still creating has no UUID yet, so keep the previous identifier.
    let identifier = try? connection.text("SELECT Z_UUID FROM Z_METADATA")
    // Get the plans of the destinations before locking the state, because creating a plan calls
    // `learn` recursively.
    let targets = try plan.description.toManys.map {
      try context.plan(for: context.description(of: $0.relationship.destination))
    }
    state.withLock { state in
      state.identifier = identifier ?? state.identifier
      state.entities = context.layout.numbers.entities.map(\.name)
      state.purposes.learn(plan) { name in
        targets.first { $0.description.name == name } ?? plan
      }
      state.isOn = isOn
    }
  }

  func prefetches(_ relationship: String, on connection: Connection) {
    state.withLock { $0.sessions[connection.identity, default: Session()].prefetch = relationship }
  }

  func counts(_ request: FetchRequest, on connection: Connection) {
    state.withLock { $0.sessions[connection.identity, default: Session()].count = request }
  }

  /// Reads SQLite's query plan for a fetch if the level is 4; call before the fetch runs.
  func explain(_ sql: String, on connection: Connection) {
    guard options.level >= 4 else { return }
    let isOn = state.withLock { state in
      defer { state.isOn = false }
      return state.isOn
    }
    let isKnown = state.withLock { $0.plans[sql] != nil || $0.plans.count >= State.mostPlans }
    let lines = isKnown ? nil : try? Self.plan(of: sql, on: connection)
    state.withLock { state in
      if let lines { state.plans[sql] = lines }
      state.isOn = isOn
    }
  }

  private static func plan(of sql: String, on connection: Connection) throws -> [String] {
    let statement = try connection.prepare("EXPLAIN QUERY PLAN " + sql)
    var lines: [String] = []
    while try statement.step() {
      let numbers = (0..<3).map { String(statement.integer(at: $0)) }
      lines.append((numbers + [statement.text(at: 3)]).joined(separator: " "))
    }
    return lines
  }

  // MARK: Events from SQLite

  package func opened(_ path: String) {
    state.withLock { state in
      if state.isOn { state.connects(path) }
    }
  }

  package func starts(_ statement: TracedStatement) {
    state.withLock { $0.starts(statement, at: MonotonicClock.now()) }
  }

  package func givesRow(_ statement: TracedStatement) {
    state.withLock { $0.givesRow(statement) }
  }

  package func ends(_ statement: TracedStatement) {
    let now = MonotonicClock.now()
    state.withLock { $0.ends(statement, at: now) }
  }
}

extension SQLDebugWriter {
  private struct Running {
    let sql: String
    let purpose: StatementPurposes.Purpose
    let start: UInt64
    let prefetch: String?
    let count: FetchRequest?
    let key: Int64?
    var rows = 0
    var keys: [Int64] = []
    var value: Int64 = 0
  }

  private struct Session {
    var running: [Int: Running] = [:]
    var fetch: (sql: String, start: UInt64, end: UInt64, rows: Int)?
    var prefetch: String?
    var count: FetchRequest?
  }

  private struct State {
    let level: Int
    let file: Int32
    var isOn = false
    var lines = ""
    var failure: Int32?
    var purposes = StatementPurposes()
    var identifier = "00000000-0000-0000-0000-000000000000"
    var entities: [String] = []
    var sessions: [Int: Session] = [:]
    var plans: [String: [String]] = [:]
    static let mostPlans = 10_000
    private var addresses: [String: Int] = [:]

    init(level: Int, file: Int32) {
      (self.level, self.file) = (level, file)
    }

    mutating func connects(_ path: String) {
      annotate("Connecting to sqlite database file at \"\(path)\"")
    }

    mutating func starts(_ statement: TracedStatement, at start: UInt64) {
      guard isOn else { return }
      // Skip `_Z_intarray`, the virtual table of keys, which Core Data creates with C functions
      // instead of SQL.
      let sql = statement.sql
      guard !sql.hasPrefix("CREATE VIRTUAL TABLE temp._Z_intarray") else { return }
      let connection = statement.connection
      let (prefetch, count) = (sessions[connection]?.prefetch, sessions[connection]?.count)
      if prefetch == nil { endFetch(connection) }
      var session = sessions[connection, default: Session()]
      (session.prefetch, session.count) = (nil, nil)
      let needsValues = sql.contains("?")
      let values = BoundValues(sql: sql, expanded: needsValues ? statement.expandedSQL ?? "" : "")
      if sql.contains("_Z_intarray0") {
        annotate("Bound intarray _Z_intarray0")
        annotate("Bound intarray values.")
      }
      print("sql: \(sql)")
      if level >= 2 {
        for (index, value) in values.texts.enumerated() {
          print("details: SQLite bind[\(index)] = \(value)")
        }
      }
      session.running[statement.id] = Running(
        sql: sql,
        purpose: purposes.purpose(of: sql),
        start: start,
        prefetch: prefetch,
        count: count,
        key: values.key
      )
      sessions[connection] = session
    }

    mutating func givesRow(_ statement: TracedStatement) {
      guard isOn, var running = sessions[statement.connection]?.running[statement.id] else {
        return
      }
      running.rows += 1
      running.value = statement.integer(at: 0) ?? 0
      if level >= 3, let key = statement.integer(at: 1) { running.keys.append(key) }
      sessions[statement.connection]?.running[statement.id] = running
    }

    mutating func ends(_ statement: TracedStatement, at end: UInt64) {
      let connection = statement.connection
      guard let running = sessions[connection]?.running.removeValue(forKey: statement.id), isOn
      else { return }
      let time = Self.seconds(end &- running.start)
      switch running.purpose {
      case .change, .system: return
      case .pragma: annotate("sql execution time: \(time)")
      case .count:
        endCount(running, time)
        explain(running.sql)
      case .fetch(let entity):
        returned(running, entity, time)
        guard let prefetch = running.prefetch else {
          sessions[connection]?.fetch = (running.sql, running.start, end, running.rows)
          return
        }
        total(time, running.rows)
        explain(running.sql)
        annotate("Prefetching with key '\(prefetch)'.  Got \(running.rows) rows.")
        sessions[connection]?.fetch?.end = end
      case .fault(let entity):
        returned(running, entity, time)
        total(time, running.rows)
        explain(running.sql)
        guard running.rows > 0 else { return }
        // Use the row's entity number: an entity and its sub-entities may have the same statement.
        let number = Int(running.value) - 1
        let name = entities.indices.contains(number) ? entities[number] : entity
        annotate("fault fulfilled from database for : \(object(name, running.key))")
      case .toManyFault(let entity, let relationship):
        returned(running, entity, time)
        total(time, running.rows)
        explain(running.sql)
        annotate(
          "to-many relationship fault \"\(relationship)\" for objectID "
            + "\(object(entity, running.key)) fulfilled from database.  Got \(running.rows) rows"
        )
      case .plain:
        annotate("sql connection fetch time: \(time)")
        total(time, running.rows)
      }
    }

    mutating func endFetch(_ connection: Int) {
      guard let fetch = sessions[connection]?.fetch else { return }
      sessions[connection]?.fetch = nil
      guard isOn else { return }
      total(Self.seconds(fetch.end &- fetch.start), fetch.rows)
      explain(fetch.sql)
    }

    private mutating func explain(_ sql: String) {
      guard level >= 4, let plan = plans[sql] else { return }
      print("details: SQLite: EXPLAIN QUERY PLAN \(sql)")
      for line in plan { lines += line + "\n" }
    }

    private mutating func endCount(_ running: Running, _ time: String) {
      if level >= 2, let request = running.count {
        let predicate = request.predicate?.format() ?? "(null)"
        annotate(
          "count request <NSFetchRequest: \(address("request"))> (entity: \(request.entity); "
            + "predicate: (\(predicate)); sortDescriptors: ((null)); type: NSCountResultType;) "
            + "returned \(running.value)"
        )
      }
      annotate("total count request execution time: \(time) for count of \(running.value).")
    }

    private mutating func returned(_ running: Running, _ entity: String, _ time: String) {
      annotate("sql connection fetch time: \(time)")
      guard level >= 2 else { return }
      var text =
        "fetch using NSSQLiteStatement <\(address(running.sql))> on entity '\(entity)' with sql "
        + "text '\(running.sql) ' returned \(running.rows) rows"
      if level >= 3 {
        let objects = running.keys.map { key in
          "\n    \"<\(entity): \(address("\(entity) \(key)"))> (entity: \(entity); "
            + "id: \(object(entity, key)) ; data: <fault>)\""
        }
        text += " with values: (" + objects.joined(separator: ",") + "\n)"
      }
      annotate(text)
    }

    private mutating func total(_ time: String, _ rows: Int) {
      annotate("total fetch execution time: \(time) for \(rows) rows.")
    }

    /// The text of an object ID, such as `0xd000000000100002 <x-coredata://…/Country/p4>`; the
    /// first number contains the key.
    private func object(_ entity: String, _ key: Int64?) -> String {
      let key = key ?? 0
      let bits = (UInt64(bitPattern: key) << 18 | 2).digits(15, radix: 16)
      return "0xd\(bits) <x-coredata://\(identifier)/\(entity)/p\(key)>"
    }

    private mutating func address(_ name: String) -> String {
      let number = addresses[name] ?? addresses.count
      addresses[name] = number
      return "0x" + String(0x6000_0000_0000 + number * 64, radix: 16)
    }

    /// Formats a duration in seconds with four decimal places, as in all public logs.
    private static func seconds(_ nanoseconds: UInt64) -> String {
      Figures.fixed(Double(nanoseconds) / 1e9, decimals: 4) + "s"
    }

    private mutating func annotate(_ message: String) { print("annotation: \(message)") }

    private mutating func print(_ message: String) {
      lines += "CoreData: \(message)\n"
      if lines.utf8.count > 1 << 20 { flush() }
    }

    mutating func flush() {
      let bytes = Array(lines.utf8)
      lines = ""
      let isWritten = bytes.withUnsafeBytes { System.writeAll(file, $0) }
      if !isWritten, failure == nil { failure = errno }
    }
  }
}

extension Predicate {
  /// Returns the predicate in the form that `NSPredicate` prints, with `object` (such as `$x.`)
  /// before each property.
  fileprivate func format(of object: String = "") -> String {
    switch self {
    case .comparison(let property, let op, let value):
      "\(object)\(property) \(op.format) \(value.format)"
    case .isNull(let property): "\(object)\(property) == nil"
    case .beginsWith(let property, let prefix):
      "\(object)\(property) BEGINSWITH \(Value.text(prefix).format)"
    case .text(let property, let match):
      "\(object)\(property) \(match.name) \(Value.text(match.text).format)"
    case .has(let relationship, let key):
      "SUBQUERY(\(object)\(relationship), $x, $x == \(key)).@count > 0"
    case .any(let relationship, let inner):
      "SUBQUERY(\(object)\(relationship), $x, \(inner.format(of: "$x."))).@count > 0"
    case .count(let relationship, let op, let number):
      "\(object)\(relationship).@count \(op.format) \(number)"
    case .isIn(let property, let list):
      "\(object)\(property) IN {" + list.map(\.format).joined(separator: ", ") + "}"
    case .keys(let keys): "SELF IN {" + keys.map(String.init).joined(separator: ", ") + "}"
    case .not(.and(let parts)) where parts.count > 1:
      "NOT (\(Predicate.and(parts).format(of: object)))"
    case .not(let inner): "NOT \(inner.format(of: object))"
    case .and([]): "TRUEPREDICATE"
    case .or([]): "FALSEPREDICATE"
    case .and(let inner): inner.map { $0.format(of: object) }.joined(separator: " AND ")
    case .or(let inner): "(" + inner.map { $0.format(of: object) }.joined(separator: " OR ") + ")"
    }
  }
}

extension Predicate.Operator {
  fileprivate var format: String {
    switch self {
    case .equal: "=="
    case .notEqual: "!="
    case .less, .lessOrEqual, .greater, .greaterOrEqual: rawValue
    }
  }
}

extension Value {
  fileprivate var format: String {
    switch self {
    case .null: "nil"
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    case .text(let value): "\"\(value)\""
    case .blob(let bytes): "<\(bytes.count) bytes>"
    }
  }
}

extension Connection {
  func fetching(_ sql: String) throws -> Statement {
    let statement = try cached(sql)
    if let observer, let writer = observer as? SQLDebugWriter { writer.explain(sql, on: self) }
    return statement
  }
}

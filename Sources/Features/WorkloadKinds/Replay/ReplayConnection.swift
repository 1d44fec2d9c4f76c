import DataModel
import PersistentStore
import SQLLog
import SQLite

/// A connection that runs the statements of a log, which are not trusted.
///
/// An SQLite authorizer permits only reading and writing rows of the store's tables, transactions,
/// pragmas that read, and listed functions. Lengths of statements and values and the depth of
/// expressions are limited.
final class ReplayConnection {
  let connection: Connection
  let layout: StoreLayout?
  private var statements: [Int: Statement] = [:]
  private var arrays: [String: IntegerArray] = [:]
  private let guardian = Guardian()

  /// Turns the authorizer off while the connection runs its own statements.
  private final class Guardian {
    var isOff = false
  }

  /// The permitted functions, in lower case; they have no side effects, and their cost is
  /// proportional to the size of their arguments.
  private static let functions = sqlFunctions.union(
    FrameworkFunctions.names.map { $0.lowercased() }
  )

  private static let sqlFunctions: Set<String> = [
    "abs", "avg", "coalesce", "count", "date", "datetime", "glob", "group_concat", "ifnull", "iif",
    "instr", "julianday", "length", "like", "lower", "ltrim", "max", "min", "nullif", "round",
    "rtrim", "strftime", "substr", "substring", "sum", "time", "total", "trim", "typeof", "unicode",
    "upper",
  ]

  private static let longestStatement: Int32 = 1 << 20
  private static let longestValue: Int32 = 256 << 20
  private static let deepestExpression: Int32 = 200

  /// Opens a store; the first connection reads the metadata, as an app does.
  ///
  /// With `isPlain`, opens an app's own database with its own settings; its triggers and views do
  /// not run.
  init(
    _ store: StoreFile,
    mode: Connection.Mode,
    settings: ConnectionSettings,
    isFirst: Bool,
    isPlain: Bool = false
  ) throws {
    if isPlain {
      connection = try Connection(path: store.path, mode: mode, settings: nil)
      layout = nil
    } else if isFirst {
      let options = PersistentStore.Options(settings: settings)
      let opened = try PersistentStore.open(store, mode: mode, options: options)
      (connection, layout) = (opened.connection, opened.layout)
    } else {
      connection = try Connection(path: store.path, mode: mode, settings: settings)
      try StoreTriggers(connection).allow(on: connection)
      layout = nil
    }
    try FrameworkFunctions.register(on: connection)
    connection.limit(.statementBytes, to: Self.longestStatement)
    connection.limit(.valueBytes, to: Self.longestValue)
    connection.limit(.expressionDepth, to: Self.deepestExpression)
    connection.authorize { [guardian] in guardian.isOff || Self.allows($0) }
  }

  private static func allows(_ access: Connection.Access) -> Bool {
    switch access {
    case .select, .transaction: true
    case .read: true
    case .insert(let table), .update(let table), .delete(let table):
      !table.lowercased().hasPrefix("sqlite_")
    case .function(let name):
      functions.contains(name.lowercased())
    case .pragma(let name, let hasValue):
      ReplayScript.readingPragmas.contains(name.lowercased())
        && (!hasValue || name.lowercased().hasSuffix("_info") || name.lowercased() == "index_list")
    case .other: false
    }
  }

  /// Sets the keys that the next statement reads from an array (a virtual table of keys).
  func bind(_ keys: [Int64], to name: String) throws {
    if let array = arrays[name] {
      array.values = keys
      return
    }
    guardian.isOff = true
    defer { guardian.isOff = false }
    let array = try IntegerArray(connection: connection, name: name)
    arrays[name] = array
    array.values = keys
  }

  /// Runs a step; returns the number of rows that it read or changed.
  ///
  /// Every column of a row is read, as an object context does. A statement is prepared once, except
  /// pragmas, which are prepared each time.
  @discardableResult
  func run(
    _ step: ResolvedStep,
    _ statement: ReplayStatement,
    row: ((Statement) -> Void)? = nil
  ) throws -> Int {
    for (array, keys) in zip(statement.arrays, step.arrays) { try bind(keys, to: array.name) }
    let prepared = try prepared(step.statement, statement)
    for (place, value) in step.values.enumerated() { prepared.bind(value, at: place + 1) }
    var rows = 0
    defer { prepared.reset() }
    while try prepared.step() {
      rows += 1
      if let row { row(prepared) } else { Self.read(prepared) }
      if statement.readsOneRow { break }
    }
    return statement.isChange ? connection.changes : rows
  }

  private func prepared(_ place: Int, _ statement: ReplayStatement) throws -> Statement {
    if let known = statements[place] { return known }
    let prepared = try connection.prepare(statement.sql)
    if statement.shape.kind != .pragma { statements[place] = prepared }
    return prepared
  }

  private static func read(_ statement: Statement) {
    for column in 0..<statement.columnCount {
      // Long strings and blobs continue on overflow pages, which SQLite reads only if the value
      // itself is read.
      let code = statement.typeCode(at: column)
      if code == 3 || code == 4 { statement.withBytes(at: column) { _ in } }
    }
  }
}

/// A step of a log, with the parameter values bound for one particular store.
struct ResolvedStep: Hashable, Sendable {
  var statement: Int
  var connection: Int
  var line: Int
  var values: [Value]
  /// The keys in each array (virtual table of keys) that the statement reads.
  var arrays: [[Int64]]
  var loggedRows: Int
  /// Whether the step updates or deletes a single object by its key.
  var writesOneObject: Bool
}

extension ReplayStatement {
  /// Whether the statement updates or deletes a single object by its key; the object must exist.
  var writesOneObject: Bool {
    (shape.kind == .update || shape.kind == .delete) && fixes("Z_PK")
  }
}

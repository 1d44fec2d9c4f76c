import DataModel
import PersistentStore
import SQLLog
import SQLite

/// A connection that runs statements of a log, which are text from outside.
///
/// SQLite asks for each of them what it does before it is run: only reading and writing rows of the
/// store's tables, transactions, pragmas that read, and listed functions are allowed. Sizes of texts
/// and expressions are limited.
final class ReplayConnection {
  let connection: Connection
  let layout: StoreLayout?
  private var statements: [Int: Statement] = [:]
  private var arrays: [String: IntegerArray] = [:]
  private let guardian = Guardian()

  /// Lets the connection itself do what its statements may not.
  private final class Guardian {
    var isOff = false
  }

  /// Functions without side effects, whose cost is in proportion to their arguments; SQLite asks by
  /// names in small letters.
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

  /// Opens a store as an app does, which reads its metadata, or as one more connection to it; an app's
  /// own database as it is, whose triggers and views do not run.
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

  /// Makes an array of keys hold some for the next statement.
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

  /// Runs a step; returns the rows that it read or changed.
  ///
  /// Each column of a row is read, as a context reads it. A statement is prepared once, a pragma
  /// each time.
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
      // Texts and blobs may go on in other pages, which reading them reads.
      let code = statement.typeCode(at: column)
      if code == 3 || code == 4 { statement.withBytes(at: column) { _ in } }
    }
  }
}

/// A step of a log with the values that it has on one store.
struct ResolvedStep: Hashable, Sendable {
  var statement: Int
  var connection: Int
  var line: Int
  var values: [Value]
  /// The keys of each array that the statement reads.
  var arrays: [[Int64]]
  /// Rows that the log reports; -1 where it reports none.
  var loggedRows: Int
  /// Whether it changes the object of one key.
  var writesOneObject: Bool
}

extension ReplayStatement {
  /// Whether it changes the object of one key, which has to be there.
  var writesOneObject: Bool {
    (shape.kind == .update || shape.kind == .delete) && fixes("Z_PK")
  }
}

import Basics

/// The structure of a statement, parsed from its fingerprint, the text without values.
package struct StatementShape: Equatable, Sendable {
  package enum Kind: String, Sendable {
    /// Reads one object by its key, as firing a fault does.
    case fault
    /// Reads the keys of one object's to-many relationship.
    case toManyFault
    /// Reads objects by a list of keys, with a batch size.
    case batch
    /// Reads objects by a list of keys, without a batch size, as prefetching of relationships does.
    case prefetch
    case fetch
    /// Fetches only keys, as the first statement of a batched fetch does.
    case keyFetch
    case count
    /// Reads sums, groups or other dictionary results.
    case aggregate
    case insert, update, delete
    case begin, commit, rollback
    case pragma
    /// Accesses Core Data's own tables: metadata, primary keys, history, model cache.
    case system
    case schema
    case other
  }

  /// A comparison in a predicate.
  package struct Condition: Hashable, Sendable {
    package enum Operation: Hashable, Sendable {
      case equals, range, list, keys, null
      /// A text search: CONTAINS, or LIKE with a pattern.
      case search
    }

    package var table: String
    package var column: String
    package var operation: Operation
    /// Whether the comparison is negated or one of several that OR connects, so that an index on it
    /// alone, or after another column, does not serve the predicate.
    package var isAlternative = false
  }

  /// A column of a sort order.
  package struct Sort: Hashable, Sendable {
    package var table: String
    package var column: String
    package var isDescending: Bool
    /// Core Data's collation, such as `NSCollateFinderlike`; `nil` for SQLite's own.
    package var collation: String?
  }

  package var kind = Kind.other
  /// The main table; empty if there is none.
  package var table = ""
  /// The joined tables.
  package var joins: [String] = []
  /// The columns of the main table that are read or written.
  package var columns: [String] = []
  package var conditions: [Condition] = []
  package var sorts: [Sort] = []
  package var hasLimit = false
  /// Whether the statement has a predicate, even one that could not be parsed.
  package var hasPredicate = false
  /// Whether the predicate has comparisons that are not among the conditions, such as `<>`.
  package var hasOtherComparison = false
  package var parameters = 0
  /// Whether the tables are an app's own rather than Core Data's.
  package private(set) var isPlain = false
  /// Whether the statement is a SELECT that reads no objects, such as a query of Core Data's own
  /// tables.
  var isOtherQuery = false

  package var isRead: Bool {
    switch kind {
    case .fault, .toManyFault, .batch, .prefetch, .fetch, .keyFetch, .count, .aggregate: true
    default: false
    }
  }

  package var isWrite: Bool { kind == .insert || kind == .update || kind == .delete }

  /// Whether the statement changes any number of objects, as a batch request does, instead of one
  /// object by its key.
  package var isBatchRequest: Bool {
    !isPlain && (kind == .update || kind == .delete) && !table.hasPrefix("Z_")
      && !conditions.contains { $0.column == "Z_PK" }
  }

  /// The columns of an index that would speed up the statement.
  ///
  /// Columns compared for equality come first, then one range column, then the sort columns if the
  /// index can still provide their order.
  package var indexColumns: [(name: String, isDescending: Bool)] {
    func columns(_ operations: [Condition.Operation]) -> [String] {
      conditions.filter {
        $0.table == table && operations.contains($0.operation) && $0.column != "Z_ENT"
          && !$0.isAlternative
      }.map(\.column)
    }
    var found: [(name: String, isDescending: Bool)] = []
    func add(_ name: String, _ isDescending: Bool = false) {
      if !found.contains(where: { $0.name == name }) { found.append((name, isDescending)) }
    }
    for column in columns([.equals, .list]) { add(column) }
    // Use at most one range column: an index cannot sort by the columns after it.
    let range = columns([.range]).first
    if let range { add(range) }
    if range == nil || sorts.first?.column == range {
      for sort in sorts where sort.table == table { add(sort.column, sort.isDescending) }
    }
    return found
  }

  static func isSystem(_ table: String) -> Bool {
    ["Z_METADATA", "Z_PRIMARYKEY", "Z_MODELCACHE", "SQLITE_MASTER", "SQLITE_SCHEMA"]
      .contains(table.uppercased())
      || FrameworkName.isOwnTable(table)
  }

  /// Whether a word can be an unqualified column name.
  func isColumn(_ word: String) -> Bool {
    guard isPlain else { return word.first == "Z" }
    return word.utf8.first.map { Fingerprint.isWord($0) && !LineHead.isDigit($0) } ?? false
      && !Self.reserved.contains(word)
  }

  /// SQL keywords that can appear where a column or an alias could.
  private static let reserved: Set<String> = [
    "AND", "OR", "NOT", "NULL", "IN", "IS", "LIKE", "GLOB", "BETWEEN", "EXISTS", "SELECT", "FROM",
    "WHERE", "ORDER", "BY", "GROUP", "LIMIT", "OFFSET", "AS", "ASC", "DESC", "ON", "JOIN", "LEFT",
    "INNER", "OUTER", "CROSS", "SET", "VALUES", "DISTINCT", "COLLATE", "HAVING", "UNION", "COUNT",
  ]

  func alias(_ tokens: [String], behind table: Int) -> String? {
    guard table + 1 < tokens.count else { return nil }
    guard isPlain else { return tokens[table + 1].first == "t" ? tokens[table + 1] : nil }
    let place = tokens[table + 1] == "AS" ? table + 2 : table + 1
    return place < tokens.count && isColumn(tokens[place]) ? tokens[place] : nil
  }

  package init(fingerprint: String, isPlain: Bool = false) {
    self.isPlain = isPlain
    var tokens = Self.tokens(of: fingerprint)
    if isPlain, tokens.first == "WITH" { tokens = Self.withoutTables(tokens) }
    parameters = tokens.count { $0 == "?" || $0 == "?…" }
    guard let verb = tokens.first?.uppercased() else { return }
    switch verb {
    case "SELECT":
      var reader = SelectReader(tokens)
      reader.read(into: &self)
    case "INSERT", "REPLACE": readInsert(tokens)
    case "UPDATE": readUpdate(tokens)
    case "DELETE":
      kind = .delete
      if let from = tokens.firstIndex(of: "FROM") { setTable(tokens, at: from + 1) }
      readPredicate(tokens)
    // An app's savepoints are nested in a transaction; only the transaction counts as a save.
    case "SAVEPOINT" where isPlain, "RELEASE" where isPlain: kind = .other
    case "ROLLBACK" where isPlain && tokens.contains("TO"): kind = .other
    case "BEGIN", "SAVEPOINT": kind = .begin
    case "COMMIT", "END", "RELEASE": kind = .commit
    case "ROLLBACK": kind = .rollback
    case "PRAGMA": kind = .pragma
    case "CREATE", "DROP", "ALTER", "REINDEX", "ANALYZE", "VACUUM": kind = .schema
    default: kind = .other
    }
    if isPlain ? Self.isOwn(table) : Self.isSystem(table) { kind = .system }
    isOtherQuery = verb == "SELECT" && !isRead
  }

  /// Whether a table is SQLite's own or the table in which GRDB records migrations.
  private static func isOwn(_ table: String) -> Bool {
    table.lowercased().hasPrefix("sqlite_") || table == "grdb_migrations"
  }

  /// Returns the tokens of the statement that follows a WITH clause.
  private static func withoutTables(_ tokens: [String]) -> [String] {
    var depth = 0
    for (place, token) in tokens.enumerated() {
      if token == "(" { depth += 1 }
      if token == ")" { depth -= 1 }
      if depth == 0, ["SELECT", "INSERT", "UPDATE", "DELETE"].contains(token) {
        return Array(tokens[place...])
      }
    }
    return tokens
  }

  private mutating func setTable(_ tokens: [String], at index: Int) {
    guard index < tokens.count else { return }
    table = tokens[index].replacing("\"", with: "")
  }

  private mutating func readInsert(_ tokens: [String]) {
    kind = .insert
    guard let into = tokens.firstIndex(of: "INTO") else { return }
    setTable(tokens, at: into + 1)
    guard let open = tokens.firstIndex(of: "("), let close = tokens.firstIndex(of: ")"),
      open < close
    else { return }
    columns = tokens[open..<close].filter { isColumn($0) }
  }

  private mutating func readUpdate(_ tokens: [String]) {
    kind = .update
    guard let set = tokens.firstIndex(of: "SET"), set > 0 else { return }
    setTable(tokens, at: set - 1)
    let end = tokens.firstIndex(of: "WHERE") ?? tokens.count
    for index in set..<max(end, set) where index + 1 < end && tokens[index + 1] == "=" {
      columns.append(tokens[index])
    }
    readPredicate(tokens)
  }

  private mutating func readPredicate(_ tokens: [String]) {
    guard let start = tokens.firstIndex(of: "WHERE") else { return }
    hasPredicate = true
    for index in start..<tokens.count where index + 1 < tokens.count && tokens[index + 1] == "=" {
      guard isColumn(tokens[index]) else { continue }
      conditions.append(Condition(table: table, column: tokens[index], operation: .equals))
    }
  }

  /// Splits a fingerprint into words and symbols; `t0.ZNAME` is one token.
  static func tokens(of text: String) -> [String] {
    var tokens: [String] = []
    var word: [UInt8] = []
    func end() {
      if !word.isEmpty { tokens.append(String(decoding: word, as: UTF8.self)) }
      word = []
    }
    for byte in text.utf8 {
      switch byte {
      case 32: end()
      case _ where Fingerprint.isWord(byte) || byte == 46 || byte == 34: word.append(byte)
      case UInt8(ascii: "?"):
        end()
        tokens.append("?")
      default:
        end()
        // An operator of two characters, such as `<=`, is one token.
        if let last = tokens.last, ["<", ">", "!"].contains(last), byte == 61 || byte == 62 {
          tokens[tokens.count - 1] = last + String(UnicodeScalar(byte))
        } else {
          tokens.append(String(UnicodeScalar(byte)))
        }
      }
    }
    end()
    return tokens
  }
}

/// The distinct statements of a log, each with its fingerprint and its structure.
///
/// To bound memory, all fingerprints beyond ``most`` share one entry, which counts their calls.
package final class StatementTable {
  package struct Entry: Sendable {
    package let fingerprint: String
    package let shape: StatementShape
  }

  /// The index of a statement's entry, and the properties of its literal text.
  struct Reference {
    var entry: Int
    var limit: Int
    var literals: Int
    var literalHash: UInt64
    var isOpen: Bool
  }

  static let most = 20_000
  private static let mostTexts = 1 << 16

  /// The properties of a statement that determine how the lines after it are read.
  ///
  /// The traits are stored separately from the shape, so that reading a line does not retain the
  /// shape's strings.
  struct Traits {
    let kind: StatementShape.Kind
    let isRead: Bool
    let isOtherQuery: Bool
    let hasParameters: Bool

    init(_ shape: StatementShape) {
      (kind, isRead) = (shape.kind, shape.isRead)
      (isOtherQuery, hasParameters) = (shape.isOtherQuery, shape.parameters > 0)
    }
  }

  package private(set) var entries: [Entry] = []
  @exclusivity(unchecked) private var traits: [Traits] = []
  /// Whether the tables are an app's own rather than Core Data's.
  package internal(set) var isPlain = false {
    didSet { if isPlain != oldValue { reader = Fingerprint(isPlain: isPlain) } }
  }
  /// The number of statements whose fingerprints are beyond ``most``.
  package private(set) var overflow = 0
  private var byFingerprint: [UInt64: Int] = [:]
  @exclusivity(unchecked) private var byText: [UInt64: Reference] = [:]
  private var reader = Fingerprint()

  package init() {}

  package subscript(_ entry: Int) -> Entry { entries[entry] }

  func traits(of entry: Int) -> Traits { traits[entry] }

  func reference(to sql: UnsafeRawBufferPointer) -> Reference {
    let key = sql.hash64
    if let known = byText[key] { return known }
    reader.read(sql)
    let hash = reader.bytes.withUnsafeBytes { $0.hash64 }
    let entry = byFingerprint[hash] ?? add(hash)
    let reference = Reference(
      entry: entry,
      limit: reader.limit,
      literals: reader.literals,
      literalHash: reader.literalHash,
      isOpen: reader.isOpen
    )
    if byText.count >= Self.mostTexts { byText.removeAll(keepingCapacity: true) }
    byText[key] = reference
    return reference
  }

  private func add(_ hash: UInt64) -> Int {
    guard entries.count < Self.most else {
      overflow += 1
      if byFingerprint[0] == nil {
        byFingerprint[0] = entries.count
        let text = "(further statements)"
        append(text, StatementShape(fingerprint: text))
      }
      return byFingerprint[0] ?? 0
    }
    let text = String(decoding: reader.bytes, as: UTF8.self)
    byFingerprint[hash] = entries.count
    append(text, StatementShape(fingerprint: text, isPlain: isPlain))
    return entries.count - 1
  }

  private func append(_ fingerprint: String, _ shape: StatementShape) {
    entries.append(Entry(fingerprint: fingerprint, shape: shape))
    traits.append(Traits(shape))
  }
}

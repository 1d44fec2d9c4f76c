/// A logged statement that is ready to run again on a store.
package struct ReplayStatement: Sendable {
  /// The meaning of a parameter.
  package enum Role: Hashable, Sendable {
    /// A value that a table's column is compared with; `sign` is the operator with the column on
    /// its left side.
    case compared(table: String, column: String, sign: String)
    /// A string that is searched for in a column.
    case searched(table: String, column: String)
    case inserted(table: String, column: String)
    case set(table: String, column: String)
    case limit, offset
    case other
  }

  /// An array of keys that the statement reads.
  package struct KeyArray: Hashable, Sendable {
    package var name: String
    package var table: String
    package var column: String
  }

  package let sql: String
  package let shape: StatementShape
  /// The role of each parameter.
  package let roles: [Role]
  package let arrays: [KeyArray]
  /// The constant after the last LIMIT; -1 if there is none.
  package let limit: Int

  /// Whether at most one row is read, as for faults and counts, rather than all rows.
  package var readsOneRow: Bool {
    switch shape.kind {
    case .fault, .count, .pragma: true
    case .system: shape.table == "Z_PRIMARYKEY"
    default: false
    }
  }

  /// Whether the statement changes one of Core Data's own tables.
  package var isSystemWrite: Bool { shape.kind == .system && !sql.hasPrefix("SELECT") }

  package init(_ sql: String, isPlain: Bool = false) {
    self.sql = sql
    var reader = Fingerprint(isPlain: isPlain)
    var text = sql
    text.withUTF8 { reader.read(UnsafeRawBufferPointer($0)) }
    let fingerprint = String(decoding: reader.bytes, as: UTF8.self)
    shape = StatementShape(fingerprint: fingerprint, isPlain: isPlain)
    limit = reader.limit
    let tokens = StatementShape.tokens(of: isPlain ? Self.named(&text) : sql)
    let reading = RoleReader(tokens, shape)
    roles = reading.roles()
    arrays = reading.arrays()
  }

  /// Returns a statement on an app's own tables with normalized names and keywords.
  private static func named(_ sql: inout String) -> String {
    var reader = Fingerprint(isPlain: true, joinsLists: false)
    sql.withUTF8 { reader.read(UnsafeRawBufferPointer($0)) }
    return String(decoding: reader.bytes, as: UTF8.self)
  }

  /// Whether a column is compared for equality with one value.
  package func fixes(_ column: String) -> Bool {
    roles.contains {
      if case .compared(_, column, "=") = $0 { true } else { false }
    }
  }
}

private struct RoleReader {
  let tokens: [String]
  let shape: StatementShape
  private var aliases: [String: String] = [:]

  init(_ tokens: [String], _ shape: StatementShape) {
    self.tokens = tokens
    self.shape = shape
    for (place, token) in tokens.enumerated() where token == "FROM" || token == "JOIN" {
      guard place + 1 < tokens.count, tokens[place + 1] != "(" else { continue }
      let table = Self.plain(tokens[place + 1])
      aliases[table] = table
      if let alias = shape.alias(tokens, behind: place + 1) { aliases[alias] = table }
    }
  }

  private static func plain(_ name: String) -> String { name.replacing("\"", with: "") }

  private func token(_ place: Int) -> String { tokens.indices.contains(place) ? tokens[place] : "" }

  private func column(_ place: Int) -> (table: String, column: String)? {
    let parts = token(place).split(separator: ".", omittingEmptySubsequences: false)
    if parts.count == 2 {
      return aliases[String(parts[0])].map { ($0, Self.plain(String(parts[1]))) }
    }
    let name = Self.plain(token(place))
    guard parts.count == 1, shape.isColumn(name), !shape.table.isEmpty else { return nil }
    return (shape.table, name)
  }

  func roles() -> [ReplayStatement.Role] {
    if tokens.first?.uppercased() == "INSERT" || tokens.first?.uppercased() == "REPLACE" {
      return insertRoles()
    }
    let start = tokens.firstIndex(of: "WHERE") ?? tokens.count
    return tokens.indices.filter { tokens[$0] == "?" }.map { place in
      if tokens.first == "UPDATE", place < start { return setRole(place) }
      return comparedRole(place)
    }
  }

  private func insertRoles() -> [ReplayStatement.Role] {
    var columns: [String] = []
    var place = (tokens.firstIndex(of: "(") ?? tokens.count) + 1
    while place < tokens.count, tokens[place] != ")" {
      if tokens[place] != "," { columns.append(Self.plain(tokens[place])) }
      place += 1
    }
    var (depth, index) = (0, 0)
    var roles: [ReplayStatement.Role] = []
    let isAfterConflict = tokens.firstIndex(of: "CONFLICT") ?? tokens.count
    for place in max(place + 1, 0)..<max(place + 1, tokens.count) {
      switch tokens[place] {
      case "(":
        depth += 1
        // Each row of a VALUES list starts with the first column.
        if depth == 1 { index = 0 }
      case ")": depth -= 1
      case "," where depth == 1: index += 1
      case "?":
        let isValue = depth == 1 && index < columns.count && place < isAfterConflict
        roles.append(
          isValue ? .inserted(table: shape.table, column: columns[index]) : comparedRole(place)
        )
      default: continue
      }
    }
    return roles
  }

  private func setRole(_ place: Int) -> ReplayStatement.Role {
    guard token(place - 1) == "=", let (table, column) = column(place - 2) else { return .other }
    return .set(table: table, column: column)
  }

  private static let mirrored = [
    "=": "=", "<": ">", ">": "<", "<=": ">=", ">=": "<=", "<>": "<>", "!=": "<>",
  ]

  private func comparedRole(_ place: Int) -> ReplayStatement.Role {
    let (before, after) = (token(place - 1), token(place + 1))
    if before == "LIMIT" { return .limit }
    if before == "OFFSET" { return .offset }
    if before == ",", token(place - 4) == "NSCoreDataStringSearch", let found = column(place - 2) {
      return .searched(table: found.table, column: found.column)
    }
    if ["LIKE", "GLOB"].contains(before), let found = column(place - 2) {
      return .searched(table: found.table, column: found.column)
    }
    let signs = ["=", "<", ">", "<=", ">=", "<>", "!="]
    if signs.contains(before), let found = column(place - 2) {
      let sign = before == "!=" ? "<>" : before
      return .compared(table: found.table, column: found.column, sign: sign)
    }
    if ["IS"].contains(before), let found = column(place - 2) {
      return .compared(table: found.table, column: found.column, sign: "=")
    }
    if let sign = Self.mirrored[after], let found = column(place + 2) {
      return .compared(table: found.table, column: found.column, sign: sign)
    }
    if before == "BETWEEN", let found = column(place - 2) {
      return .compared(table: found.table, column: found.column, sign: ">=")
    }
    if before == "AND", token(place - 3) == "BETWEEN", let found = column(place - 4) {
      return .compared(table: found.table, column: found.column, sign: "<=")
    }
    return listRole(place)
  }

  /// Returns the role of a parameter in a list such as `ZCOLUMN IN (?, ?)`.
  private func listRole(_ place: Int) -> ReplayStatement.Role {
    var open = place - 1
    while open >= 0, ["?", ","].contains(tokens[open]) { open -= 1 }
    guard token(open) == "(", token(open - 1) == "IN", let found = column(open - 2) else {
      return .other
    }
    return .compared(table: found.table, column: found.column, sign: "=")
  }

  /// Returns the key arrays, such as the array in `t0.ZITEM IN (SELECT * FROM _Z_intarray0)`.
  func arrays() -> [ReplayStatement.KeyArray] {
    tokens.indices.compactMap { place in
      guard tokens[place].hasPrefix("_Z_intarray") else { return nil }
      let isList =
        token(place - 1) == "FROM" && token(place - 3) == "SELECT" && token(place - 4) == "("
        && token(place - 5) == "IN"
      let found = isList ? column(place - 6) : nil
      return ReplayStatement.KeyArray(
        name: tokens[place],
        table: found?.table ?? shape.table,
        column: found?.column ?? "Z_PK"
      )
    }
  }
}

/// Reads a SELECT statement of the forms that Core Data issues.
struct SelectReader {
  private let tokens: [String]
  private var tables: [String: String] = [:]
  private var main = ""
  /// The statement's shape before the SELECT is parsed.
  private var shape = StatementShape(fingerprint: "")

  init(_ tokens: [String]) {
    self.tokens = tokens
  }

  mutating func read(into shape: inout StatementShape) {
    shape.kind = .other
    self.shape = shape
    let from = place(of: "FROM", after: 0) ?? tokens.count
    let clause = place(of: "WHERE", after: from)
    let order = place(of: "ORDER", after: from)
    let group = place(of: "GROUP", after: from)
    let limit = place(of: "LIMIT", after: from)
    let offset = place(of: "OFFSET", after: from)
    let ends = [clause, group, order, limit, offset].compactMap(\.self).sorted()
    readTables(from + 1, ends.first ?? tokens.count, into: &shape)
    shape.hasPredicate = clause != nil
    shape.hasLimit = limit != nil
    if let clause {
      let end = ends.first { $0 > clause } ?? tokens.count
      shape.conditions = conditions(clause + 1, end)
      shape.hasOtherComparison = (clause..<end - 1).contains {
        ["<>", "!=", "NOT"].contains(tokens[$0 + 1]) && column(tokens[$0]) != nil
      }
    }
    if let order {
      let end = ends.first { $0 > order } ?? tokens.count
      shape.sorts = sorts(order + 2, end)
    }
    var list = Array(tokens[min(1, from)..<from])
    if shape.isPlain, list.first == "DISTINCT" { list.removeFirst() }
    shape.columns = list.compactMap { column($0) }.filter { $0.table == shape.table }.map(\.column)
    shape.kind = kind(of: shape, list, isGrouped: group != nil)
  }

  private func place(of keyword: String, after start: Int) -> Int? {
    var depth = 0
    for index in start..<tokens.count {
      switch tokens[index] {
      case "(": depth += 1
      case ")": depth -= 1
      case keyword where depth == 0: return index
      default: continue
      }
    }
    return nil
  }

  private mutating func readTables(_ start: Int, _ end: Int, into shape: inout StatementShape) {
    var index = start
    var names: [String] = []
    while index < end {
      let isTable = index == start || tokens[index - 1] == "JOIN" || tokens[index - 1] == ","
      if isTable, tokens[index] != "(" {
        let name = tokens[index].replacing("\"", with: "")
        names.append(name)
        let alias = index + 1 < end ? shape.alias(tokens, behind: index) : nil
        tables[alias ?? name] = name
      }
      index += 1
    }
    main = shape.isPlain ? names.first ?? "" : tables["t0"] ?? names.first ?? ""
    shape.table = main
    shape.joins = names.filter { $0 != main }
  }

  private func column(_ token: String) -> (table: String, column: String)? {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    if parts.count == 2, let table = tables[String(parts[0])] { return (table, String(parts[1])) }
    guard parts.count == 1, shape.isColumn(token), tables.count == 1 else { return nil }
    return (main, token)
  }

  private func conditions(_ start: Int, _ end: Int) -> [StatementShape.Condition] {
    var found: [StatementShape.Condition] = []
    var places: [Int] = []
    let subqueries = subqueries(start, end)
    for index in start..<end where !subqueries.contains(where: { $0.contains(index) }) {
      guard let (table, name) = column(tokens[index]) else { continue }
      let before = index > start ? tokens[index - 1] : ""
      let after = index + 1 < end ? tokens[index + 1] : ""
      let next = index + 2 < end ? tokens[index + 2] : ""
      let isSearch = index > start + 1 && tokens[index - 2] == "NSCoreDataStringSearch"
      let operation: StatementShape.Condition.Operation? =
        switch (before, after) {
        case _ where isSearch: .search
        case (_, "LIKE"), (_, "GLOB"): .search
        // A join condition compares two columns, so it is not part of the predicate.
        case (_, "=") where column(next) != nil, ("=", _) where found.last?.column == name: nil
        case (_, "="), ("=", _): .equals
        case (_, "IN"):
          next == "(" && index + 3 < end && tokens[index + 3] == "SELECT" ? .keys : .list
        case (_, "IS"): .null
        case (_, "<"), (_, ">"), (_, "<="), (_, ">="), ("<", _), (">", _), ("<=", _), (">=", _),
          (_, "BETWEEN"):
          .range
        default: nil
        }
      if let operation {
        found.append(.init(table: table, column: name, operation: operation))
        places.append(index)
      }
    }
    for (range, isNegated) in alternatives(start, end) {
      let members = places.indices.filter { range.contains(places[$0]) }
      // If OR joins comparisons of only one column, one index can serve all of them.
      guard isNegated || Set(members.map { found[$0].column }).count > 1 else { continue }
      for member in members { found[member].isAlternative = true }
    }
    return found
  }

  /// Returns the token ranges that contain an OR or that NOT negates.
  private func alternatives(_ start: Int, _ end: Int) -> [(range: Range<Int>, isNegated: Bool)] {
    var found: [(range: Range<Int>, isNegated: Bool)] = []
    var open = [(start: start, hasOr: false)]
    for index in start..<end {
      switch tokens[index] {
      case "(": open.append((index, false))
      case ")" where open.count > 1:
        let group = open.removeLast()
        let isNegated = group.start > start && tokens[group.start - 1] == "NOT"
        if group.hasOr || isNegated { found.append((group.start..<index, isNegated)) }
      case "OR": open[open.count - 1].hasOr = true
      case "NOT" where index + 1 < end && column(tokens[index + 1]) != nil:
        found.append((index..<index + 2, true))
      default: continue
      }
    }
    if open[0].hasOr { found.append((start..<end, false)) }
    return found
  }

  private func subqueries(_ start: Int, _ end: Int) -> [Range<Int>] {
    var found: [Range<Int>] = []
    for index in start..<end where tokens[index] == "(" && index + 1 < end {
      guard tokens[index + 1] == "SELECT" else { continue }
      var (depth, last) = (1, index + 1)
      while last < end, depth > 0 {
        if tokens[last] == "(" { depth += 1 }
        if tokens[last] == ")" { depth -= 1 }
        last += 1
      }
      found.append(index..<last)
    }
    return found
  }

  private func sorts(_ start: Int, _ end: Int) -> [StatementShape.Sort] {
    var found: [StatementShape.Sort] = []
    for index in start..<max(start, end) {
      if tokens[index] == "COLLATE" || tokens[index - 1] == "COLLATE" {
        // Do not record SQLite's own collations, because an index can use them.
        let isOwn = ["COLLATE", "BINARY", "NOCASE", "RTRIM"].contains(tokens[index].uppercased())
        if !isOwn, !found.isEmpty { found[found.count - 1].collation = tokens[index] }
      } else if let (table, name) = column(tokens[index]) {
        found.append(.init(table: table, column: name, isDescending: false))
      } else if tokens[index] == "DESC", !found.isEmpty {
        found[found.count - 1].isDescending = true
      }
    }
    return found
  }

  private func kind(
    of shape: StatementShape,
    _ list: [String],
    isGrouped: Bool
  ) -> StatementShape.Kind {
    let isCount = list.first == "COUNT"
    if isCount, !isGrouped { return .count }
    if isGrouped || list.contains("(") { return .aggregate }
    if shape.isPlain { return shape.table.isEmpty ? .aggregate : .fetch }
    guard shape.columns.contains("Z_PK") else { return .aggregate }
    let hasKeysOnly = shape.columns.allSatisfy { $0 == "Z_PK" || $0 == "Z_ENT" }
    // A NULL test adds nothing to a comparison of the same column.
    let conditions = shape.conditions.filter { $0.operation != .null }
    if conditions.contains(where: { $0.operation == .keys }) {
      return shape.hasLimit ? .batch : .prefetch
    }
    if conditions.count == 1, conditions[0].operation == .equals, !isCount,
      !shape.hasOtherComparison
    {
      if conditions[0].column == "Z_PK", conditions[0].table == shape.table, !hasKeysOnly,
        shape.joins.isEmpty, !shape.hasLimit
      {
        return .fault
      }
      let isJoin = shape.joins.first.map { $0.hasPrefix("Z_") } ?? false
      if hasKeysOnly, isJoin || (shape.joins.isEmpty && shape.sorts.isEmpty && !shape.hasLimit) {
        return .toManyFault
      }
    }
    return hasKeysOnly ? .keyFetch : .fetch
  }
}

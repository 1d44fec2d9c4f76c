import SwiftModels

/// Finds sorts, predicates and searches without an index, unused indexes, and binary data that is
/// read with each row, in the totals of the whole log.
struct IndexRules {
  static let fewestRows = 1_000
  /// The minimum mean time per call and the minimum total time of a slow statement, in
  /// microseconds.
  static let slowCall = 1_000
  static let slowTotal = 20_000
  static let sortedRows = 100
  /// The minimum number of searches (about one per typed letter) and the minimum fetch limit for a
  /// table of unknown size to be assumed large.
  static let fewestSearches = 3
  static let longResult = 20
  static let fewestWrites = 200
  static let fewestFetches = 20
  static let fewestBlobs = 50
  static let largeBlob = 4_096

  let statements: StatementTable
  let digest: LogDigest
  let vocabulary: Vocabulary

  func findings() -> [Finding] {
    var findings: [Finding] = []
    for (entry, figures) in digest.statements.enumerated() where figures.calls > 0 {
      let shape = statements[entry].shape
      guard shape.isRead else { continue }
      findings += [
        sort(shape, figures), search(shape, figures), predicate(shape, figures),
        wrongIndex(shape, figures), blobs(shape, figures),
      ].compactMap(\.self)
    }
    return findings + unusedIndexes()
  }

  private func evidence(_ figures: CallFigures) -> Evidence {
    Evidence(
      lines: figures.firstLine == figures.lastLine
        ? [figures.firstLine] : [figures.firstLine, figures.lastLine],
      calls: figures.calls,
      time: figures.time,
      timed: figures.times.count
    )
  }

  /// Returns the number of objects in a table of the store; if unknown, the largest number of rows
  /// that the log shows for the table.
  private func rows(of table: String) -> Int? {
    if let rows = vocabulary.schema?.tables[table]?.rows { return rows }
    var most: Int?
    for (entry, figures) in digest.statements.enumerated() where figures.calls > 0 {
      let shape = statements[entry].shape
      guard shape.table == table, shape.joins.isEmpty else { continue }
      let seen =
        shape.kind == .count ? figures.counted : figures.rows.count > 0 ? figures.rows.largest : -1
      if seen >= 0 { most = max(most ?? 0, seen) }
    }
    return most
  }

  private func isSlow(_ figures: CallFigures) -> Bool {
    figures.times.count > 0
      && (figures.times.mean >= Double(Self.slowCall) || figures.time >= Self.slowTotal)
  }

  private func size(of table: String) -> String {
    guard let rows = rows(of: table) else { return "" }
    let isExact = vocabulary.schema?.tables[table]?.rows != nil
    return isExact ? ", \(rows) objects" : ", at least \(rows) objects"
  }

  private func sort(_ shape: StatementShape, _ figures: CallFigures) -> Finding? {
    guard let sort = shape.sorts.first(where: { $0.collation != nil }), let name = sort.collation
    else { return nil }
    let largest = figures.rows.count > 0 ? figures.rows.largest : -1
    let isUnknown = largest < 0 && figures.times.count == 0
    guard largest >= Self.sortedRows || figures.time >= Self.slowTotal || isUnknown else {
      return nil
    }
    var finding = evidence(figures).finding(
      .unindexedSort,
      "\(vocabulary.operation(shape)): no index has the order \(name)"
        + size(of: shape.table),
      isUnknown ? .low : .high,
      doubt: isUnknown ? "the log shows neither times nor rows" : ""
    ).about(subject(of: sort, in: shape))
    finding.sort = sort
    return finding
  }

  /// Returns the index that serves a sort: columns compared for equality, then the sort columns.
  private func subject(
    of sort: StatementShape.Sort,
    in shape: StatementShape
  ) -> Finding.Subject {
    var sorted = shape
    sorted.conditions.removeAll { $0.operation == .range }
    sorted.sorts = Array(shape.sorts.prefix { $0.table == shape.table })
    // An index on one table cannot sort by another table's column.
    guard sorted.sorts.contains(sort) else { return .app }
    return .index(table: shape.table, columns: sorted.indexColumns.map { $0.name })
  }

  private func search(_ shape: StatementShape, _ figures: CallFigures) -> Finding? {
    guard let condition = shape.conditions.first(where: { $0.operation == .search }) else {
      return nil
    }
    let rows = rows(of: condition.table)
    let isLarge = (rows ?? 0) >= Self.fewestRows
    let isUnknown = rows == nil && figures.times.count == 0
    // If the results reach a fetch limit, the table is larger than the log shows.
    let isTyped =
      figures.calls >= Self.fewestSearches && figures.limit >= Self.longResult
      && figures.rows.largest >= figures.limit
      && vocabulary.schema?.tables[condition.table]?.rows == nil
    guard isLarge || isSlow(figures) || isUnknown || isTyped else { return nil }
    let property = vocabulary.property(condition.column, of: condition.table)
    return evidence(figures).finding(
      .textSearch,
      "\(vocabulary.operation(shape)): each search reads \(property) of every object"
        + size(of: condition.table),
      isLarge && isSlow(figures) ? .high : isLarge || isSlow(figures) ? .medium : .low,
      doubt: isLarge
        ? "the time is short so far" : "the log does not show how large the table is"
    )
  }

  private func subject(_ shape: StatementShape) -> Finding.Subject {
    .index(table: shape.table, columns: shape.indexColumns.map { $0.name })
  }

  private func indexable(_ shape: StatementShape) -> [StatementShape.Condition] {
    shape.conditions.filter {
      $0.table == shape.table && [.equals, .range, .list, .keys].contains($0.operation)
        && !$0.isAlternative
    }
  }

  /// Returns the index for a predicate: columns compared for equality first, then ranges.
  private func index(for conditions: [StatementShape.Condition], of table: String)
    -> SwiftIndexText?
  {
    guard let properties = vocabulary.schema?.tables[table]?.properties else { return nil }
    let ordered =
      conditions.filter { $0.operation != .range } + conditions.filter { $0.operation == .range }
    var names: [String] = []
    for condition in ordered {
      guard let name = properties[condition.column] else { return nil }
      if !names.contains(name) { names.append(name) }
    }
    return SwiftIndexText(entity: vocabulary.entity(of: table), properties: names)
  }

  private func predicate(_ shape: StatementShape, _ figures: CallFigures) -> Finding? {
    guard var finding = predicateFinding(shape, figures) else { return nil }
    finding.wantedIndex = index(
      for: indexable(shape).filter { $0.column != "Z_ENT" },
      of: shape.table
    )
    return finding
  }

  private func predicateFinding(_ shape: StatementShape, _ figures: CallFigures) -> Finding? {
    let conditions = indexable(shape).filter { $0.column != "Z_ENT" }
    guard !conditions.isEmpty, !conditions.contains(where: { $0.column == "Z_PK" }) else {
      return nil
    }
    let names = conditions.map { vocabulary.property($0.column, of: $0.table) }
    let list = Array(Set(names)).sorted().joined(separator: ", ")
    let summary = "\(vocabulary.operation(shape)): no index on \(list)\(size(of: shape.table))"
    if case .scan(let table)? = figures.plan, table == "t0" || table == shape.table {
      return evidence(figures).finding(.unindexedPredicate, summary, .high).about(subject(shape))
    }
    guard let table = vocabulary.schema?.tables[shape.table] else { return nil }
    let columns = Set(conditions.map(\.column))
    let isServed = table.indexes.contains { $0.columns.first.map(columns.contains) ?? false }
    guard !isServed else { return nil }
    let rows = rows(of: shape.table)
    let isLarge = (rows ?? 0) >= Self.fewestRows
    guard isLarge || isSlow(figures) else { return nil }
    let isSure = table.rows != nil && isLarge
    return evidence(figures).finding(
      .unindexedPredicate,
      summary,
      isSure ? .high : .medium,
      doubt: isSure ? "" : "the table's size and real indexes are known only with --store"
    ).about(subject(shape))
  }

  private func wrongIndex(_ shape: StatementShape, _ figures: CallFigures) -> Finding? {
    guard case .index(_, let name)? = figures.plan, name.hasSuffix("_Z_ENT_INDEX") else {
      return nil
    }
    let conditions = indexable(shape).filter {
      $0.column != "Z_ENT" && $0.column != "Z_PK" && $0.operation != .range
    }
    guard let condition = conditions.first else { return nil }
    return evidence(figures).finding(
      .wrongIndex,
      "\(vocabulary.operation(shape)): SQLite uses the index on the entity, not an index on "
        + vocabulary.property(condition.column, of: condition.table),
      .medium,
      doubt: "the format of query plan lines in the log is assumed"
    ).about(subject(shape))
  }

  private func blobs(_ shape: StatementShape, _ figures: CallFigures) -> Finding? {
    guard let table = vocabulary.schema?.tables[shape.table],
      [.fetch, .batch, .prefetch].contains(shape.kind), figures.rows.sum >= Self.fewestBlobs
    else { return nil }
    let columns = table.binaryColumns.filter { shape.columns.contains($0) }
    guard let column = columns.max(by: { table.meanBytes[$0] ?? 0 < table.meanBytes[$1] ?? 0 })
    else { return nil }
    let mean = table.meanBytes[column]
    guard mean ?? Self.largeBlob >= Self.largeBlob else { return nil }
    let size = mean.map { ", \($0) bytes each on average" } ?? ""
    return evidence(figures).finding(
      .blobsWithRows,
      "\(vocabulary.operation(shape)) reads \(vocabulary.property(column, of: shape.table)) of "
        + "\(figures.rows.sum) rows\(size)",
      mean == nil ? .low : .high,
      doubt: mean == nil ? "the size of the values is known only with --store" : ""
    ).about(.column(table: shape.table, column: column))
  }

  private func unusedIndexes() -> [Finding] {
    guard let schema = vocabulary.schema else { return [] }
    var used: [String: Set<String>] = [:]
    var writes: [String: Evidence] = [:]
    var fetches: [String: Int] = [:]
    for (entry, figures) in digest.statements.enumerated() where figures.calls > 0 {
      let shape = statements[entry].shape
      for condition in shape.conditions {
        used[condition.table, default: []].insert(condition.column)
      }
      for sort in shape.sorts { used[sort.table, default: []].insert(sort.column) }
      // The values of dictionary results can be read from an index, too.
      if shape.kind == .aggregate { used[shape.table, default: []].formUnion(shape.columns) }
      if [.fetch, .keyFetch, .count, .aggregate].contains(shape.kind) {
        fetches[shape.table, default: 0] += figures.calls
      }
      if shape.isWrite { writes[shape.table, default: Evidence()].add(evidence(figures)) }
    }
    return schema.tables.sorted { $0.key < $1.key }.flatMap { name, table in
      table.indexes.compactMap { index in
        guard index.isFetchIndex, let first = index.columns.first, let evidence = writes[name],
          evidence.calls >= Self.fewestWrites, fetches[name] ?? 0 >= Self.fewestFetches,
          used[name]?.contains(first) != true
        else { return nil }
        var finding = evidence.finding(
          .unusedIndex,
          "index \(index.name): \(evidence.calls) writes to \(table.entity) maintain it, and no "
            + "statement of the log uses it",
          .low,
          doubt: "the log may cover only a part of the app"
        )
        finding.index = index.name
        return finding.about(.unused(index.name))
      }
    }
  }
}

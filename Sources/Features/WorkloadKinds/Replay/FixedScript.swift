import Basics
import DataModel
import PersistentStore
import SQLLog

struct FixedScript {
  private(set) var script: ReplayScript
  private(set) var changes = 0
  private var dropped: [String] = []
  private var indexes: [(table: String, keys: [String])] = []
  private let schema: ReplaySchema
  private var bursts: ReplayBursts

  /// The number of objects on a screen.
  static let screen = 20
  private static let batch = 100
  /// The limits of merging a loop's fetches: the minimum and maximum number of iterations per
  /// merged fetch, and the maximum number of statements between two iterations.
  private static let fewestTurns = 10
  private static let mostTurns = 500
  private static let turnDistance = 5
  /// The pattern of a comparison of a column with one value, such as `t0.ZOWNER = ?` or
  /// `"player"."teamId" = ?`.
  private static var comparison: Regex<(Substring, Substring)> {
    #/((?:["`]?\w+["`]?\.)?["`]?\w+["`]?)\s*=\s*\?/#
  }

  init(_ script: ReplayScript, _ schema: ReplaySchema) {
    (self.script, self.schema) = (script, schema)
    bursts = ReplayBursts(script)
  }

  /// The SQL that changes the store's indexes before the replay; an index that is a prefix of
  /// another index is left out.
  var storeChanges: [String] {
    let created = indexes.enumerated().filter { place, index in
      !indexes.enumerated().contains { other, longer in
        other != place && longer.table == index.table && longer.keys.starts(with: index.keys)
          && (longer.keys.count > index.keys.count || other < place)
      }
    }
    return dropped
      + created.map { place, index in
        let name = "Z_StoreBench_\(index.table)_\(place)".quotedName
        return "CREATE INDEX \(name) ON \(index.table.quotedName) "
          + "(\(index.keys.joined(separator: ", ")))"
      }
  }

  mutating func drop(_ index: String) {
    dropped.append("DROP INDEX IF EXISTS \(index.quotedName)")
    changes += 1
  }

  private func statement(_ place: Int) -> ReplayStatement {
    script.statements[script.steps[place].statement]
  }

  /// Removes or replaces some steps, and inserts new steps after others.
  private mutating func edit(
    removing removed: Set<Int>,
    adding added: [Int: [ReplayScript.Step]] = [:],
    replacing replaced: [Int: ReplayScript.Step] = [:]
  ) {
    guard !removed.isEmpty || !added.isEmpty || !replaced.isEmpty else { return }
    changes += 1
    var steps: [ReplayScript.Step] = []
    for (place, step) in script.steps.enumerated() {
      if !removed.contains(place) { steps.append(replaced[place] ?? step) }
      steps += added[place] ?? []
    }
    script.replace(steps: steps)
    bursts = ReplayBursts(script)
  }

  mutating func remove(_ isRemoved: (ReplayScript.Step) -> Bool) {
    edit(removing: Set(script.steps.indices.filter { isRemoved(script.steps[$0]) }))
  }

  private mutating func step(
    like place: Int,
    _ sql: String,
    rows: Int = -1,
    keepsValues: Bool = false
  ) -> ReplayScript.Step {
    var step = script.steps[place]
    step.statement = script.place(of: sql)
    if !keepsValues { step.values = [] }
    (step.keys, step.rows, step.purpose, step.time) = ([], rows, .unknown, -1)
    return step
  }

  /// Returns the statement with `COLUMN = ?` replaced by a condition on a list of keys; `nil` if
  /// the statement has no such comparison.
  private func listed(_ sql: String) -> String? {
    guard let match = sql.firstMatch(of: #/(t[0-9]+\.\w+)\s*=\s*\?/#) else { return nil }
    return sql.replacingCharacters(match.range, "\(match.1) IN (SELECT * FROM _Z_intarray0)")
  }

  // MARK: Fixes for faults

  mutating func prefetchObjects(instead fault: Int) {
    let sql = script.statements[fault].sql
    guard let prefetch = listed(sql) else { return }
    let table = script.statements[fault].shape.table
    var (removed, added): (Set<Int>, [Int: [ReplayScript.Step]]) = ([], [:])
    for (source, places) in bursts.windows.sorted(by: { $0.key < $1.key }) {
      let faults = places.filter { script.steps[$0].statement == fault }
      guard faults.count >= 2 else { continue }
      removed.formUnion(faults)
      let batches = places.filter { statement($0).shape.kind == .batch }
      if statement(source).shape.table == table, statement(source).shape.kind == .keyFetch {
        // The faults read the fetched list's objects one by one, so insert batches after the list's
        // fetch to replace them.
        let count = (faults.count + Self.batch - 1) / Self.batch
        let rows = faults.count / count
        added[source] = (0..<count).map { _ in
          step(like: source, "\(prefetch) LIMIT \(Self.batch)", rows: rows)
        }
      } else {
        for place in batches.isEmpty ? [source] : batches {
          added[place] = [step(like: place, prefetch)]
        }
      }
    }
    edit(removing: removed, adding: added)
  }

  mutating func prefetchRelationship(instead fault: Int) {
    let sql = script.statements[fault].sql
    let shape = script.statements[fault].shape
    guard let match = sql.firstMatch(of: #/(t[0-9]+\.\w+)\s*=\s*\?/#),
      let from = sql.firstRange(of: " FROM "), let filter = sql.firstRange(of: " WHERE ")
    else { return }
    let columns = (["Z_OPT"] + (schema.columns[shape.table] ?? [])).map { ", t0.\($0)" }.joined()
    let head = shape.columns.contains("Z_OPT") ? "" : columns
    let prefetch =
      "\(sql[..<from.lowerBound])\(head), \(match.1)\(sql[from.lowerBound..<filter.lowerBound])"
      + " WHERE \(match.1) IN (SELECT * FROM _Z_intarray0) ORDER BY \(match.1)"
    var (removed, added): (Set<Int>, [Int: [ReplayScript.Step]]) = ([], [:])
    for (source, places) in bursts.windows.sorted(by: { $0.key < $1.key }) {
      let faults = places.filter { script.steps[$0].statement == fault }
      guard faults.count >= 2 else { continue }
      // The prefetch also returns the related objects, so remove the faults that read them.
      let ends = places.filter {
        statement($0).shape.kind == .fault && statement($0).shape.table == shape.table
      }
      removed.formUnion(faults + ends)
      let batches = places.filter { statement($0).shape.kind == .batch }
      for place in batches.isEmpty ? [source] : batches {
        added[place] = [step(like: place, prefetch)]
      }
    }
    edit(removing: removed, adding: added)
  }

  // MARK: Fixes for fetches

  mutating func fetchWhole(instead batch: Int) {
    let rows = script.statements[batch].sql
    guard let head = rows.firstRange(of: " FROM ") else { return }
    var (removed, replaced): (Set<Int>, [Int: ReplayScript.Step]) = ([], [:])
    for (source, places) in bursts.windows.sorted(by: { $0.key < $1.key }) {
      let batches = places.filter { script.steps[$0].statement == batch }
      let keys = statement(source)
      guard !batches.isEmpty, keys.shape.kind == .keyFetch,
        keys.shape.table == script.statements[batch].shape.table,
        let tail = keys.sql.firstRange(of: " FROM ")
      else { continue }
      removed.formUnion(batches)
      let fetch = "\(rows[..<head.lowerBound])\(keys.sql[tail.lowerBound...])"
      replaced[source] = step(
        like: source,
        fetch,
        rows: script.steps[source].rows,
        keepsValues: true
      )
    }
    edit(removing: removed, replacing: replaced)
  }

  mutating func fetchScreen(instead fetch: Int) {
    let sql = script.statements[fetch].sql
    let shape = script.statements[fetch].shape
    guard let from = sql.firstRange(of: " FROM ") else { return }
    var (added, replaced): ([Int: [ReplayScript.Step]], [Int: ReplayScript.Step]) = ([:], [:])
    for place in script.steps.indices where script.steps[place].statement == fetch {
      let rows = script.steps[place].rows
      if shape.kind == .keyFetch {
        let end = sql.firstRange(of: " ORDER BY ")?.lowerBound ?? sql.endIndex
        replaced[place] = step(
          like: place,
          "SELECT COUNT(*)\(sql[from.lowerBound..<end])",
          rows: 1,
          keepsValues: true
        )
        continue
      }
      let keys = "SELECT 0, t0.Z_PK\(sql[from.lowerBound...])"
      replaced[place] = step(like: place, keys, rows: rows, keepsValues: true)
      added[place] = [
        step(
          like: place,
          "\(sql[..<from.lowerBound]) FROM \(shape.table) t0 WHERE t0.Z_PK IN "
            + "(SELECT * FROM _Z_intarray0) LIMIT \(Self.screen)",
          rows: rows < 0 ? -1 : min(rows, Self.screen)
        )
      ]
    }
    edit(removing: [], adding: added, replacing: replaced)
  }

  mutating func removeRepeats(of fetch: Int) {
    let tables = Set([script.statements[fetch].shape.table] + script.statements[fetch].shape.joins)
    var seen: Set<[LoggedValue?]> = []
    var removed: Set<Int> = []
    for (place, step) in script.steps.enumerated() {
      let statement = script.statements[step.statement]
      if statement.shape.isWrite, tables.contains(statement.shape.table) { seen = [] }
      guard step.statement == fetch else { continue }
      if !seen.insert(step.values).inserted { removed.insert(place) }
    }
    edit(removing: removed)
  }

  /// Merges the fetches that a loop runs, each for one value, into one fetch.
  mutating func mergeLookUps(of fetch: Int) {
    let sql = script.statements[fetch].sql
    guard let match = sql.firstMatch(of: Self.comparison) else { return }
    let parameter = sql[..<match.range.lowerBound].count { $0 == "?" }
    var (removed, replaced): (Set<Int>, [Int: ReplayScript.Step]) = ([], [:])
    func endRun(_ run: [Int]) {
      guard run.count >= Self.fewestTurns else { return }
      var values: [LoggedValue?] = []
      for place in run {
        let value = script.steps[place].values[parameter]
        if value == nil || !values.contains(value) { values.append(value) }
      }
      let list = Array(repeating: "?", count: values.count).joined(separator: ", ")
      let merged = sql.replacingCharacters(match.range, "\(match.1) IN (\(list))")
        .replacing(#/\s+LIMIT\s+(?:\d+|\?)/#, with: "")
      let isCount = script.statements[fetch].shape.kind == .count
      var turn = step(like: run[0], isCount ? "\(merged) GROUP BY \(match.1)" : merged)
      let first = script.steps[run[0]].values
      turn.values = Array(first[..<parameter]) + values + Array(first[(parameter + 1)...])
      // If a LIMIT was removed, drop the last value, which was the LIMIT's parameter.
      turn.values = Array(turn.values.prefix(script.statements[turn.statement].roles.count))
      replaced[run[0]] = turn
      removed.formUnion(run.dropFirst())
    }
    for connection in 0..<script.connections {
      var run: [Int] = []
      var number = 0
      var last = 0
      for place in script.steps.indices where script.steps[place].connection == connection {
        number += 1
        guard script.steps[place].statement == fetch else { continue }
        if number - last > Self.turnDistance || run.count >= Self.mostTurns {
          endRun(run)
          run = []
        }
        run.append(place)
        last = number
      }
      endRun(run)
    }
    edit(removing: removed, replacing: replaced)
  }

  mutating func removeFetchesAfterSaves(_ fetch: Int) {
    var isAfterSave: Set<Int> = []
    var removed: Set<Int> = []
    for (place, step) in script.steps.enumerated() {
      let shape = script.statements[step.statement].shape
      if shape.kind == .commit { isAfterSave.insert(step.connection) }
      guard shape.isRead, !step.isNested, isAfterSave.contains(step.connection) else { continue }
      isAfterSave.remove(step.connection)
      if step.statement == fetch { removed.insert(place) }
    }
    edit(removing: removed)
  }

  mutating func leaveOutBlobs(of fetch: Int) {
    let (sql, table) = (script.statements[fetch].sql, script.statements[fetch].shape.table)
    var shorter = sql
    for column in schema.blobColumns[table] ?? [] {
      shorter = shorter.replacing(", t0.\(column),", with: ",")
        .replacing(", t0.\(column) FROM", with: " FROM")
    }
    guard shorter != sql else { return }
    replaceStatement(fetch, by: shorter)
  }

  private mutating func replaceStatement(_ old: Int, by sql: String) {
    var replaced: [Int: ReplayScript.Step] = [:]
    let new = script.place(of: sql)
    for (place, step) in script.steps.enumerated() where step.statement == old {
      replaced[place] = step
      replaced[place]?.statement = new
    }
    edit(removing: [], replacing: replaced)
  }

  // MARK: Fixes for indexes

  mutating func index(_ fetch: Int) {
    let shape = script.statements[fetch].shape
    let keys = shape.indexColumns.map { $0.name.quotedName + ($0.isDescending ? " DESC" : "") }
    guard !keys.isEmpty else { return }
    indexes.append((shape.table, keys))
    changes += 1
  }

  mutating func sortByIndex(_ fetch: Int) {
    let sql = script.statements[fetch].sql
    index(fetch)
    replaceStatement(fetch, by: sql.replacing(#/\s+COLLATE\s+NSCollate\w+/#, with: ""))
  }

  // MARK: Fixes for saves

  /// Merges consecutive saves that each write one object of the same table.
  mutating func mergeSaves(from begin: Int) {
    let lane = script.steps[begin].connection
    let places = script.steps.indices.filter { script.steps[$0].connection == lane }
    let saves = SaveReader(script: script, places: places).saves()
    guard let first = saves.first(where: { $0.places.contains(begin) })?.write else { return }
    var removed: Set<Int> = []
    var replaced: [Int: ReplayScript.Step] = [:]
    var run: [SaveReader.Save] = []
    func endRun(_ run: [SaveReader.Save]) {
      guard run.count > 1 else { return }
      for save in run.dropFirst() { removed.formUnion(save.before) }
      for save in run.dropLast() { removed.insert(save.end) }
      for save in run.dropFirst() { removed.insert(save.begin) }
      for save in run.dropLast() { removed.formUnion(save.after) }
      // Only the first reservation of keys is kept, so let it reserve the keys of all saves.
      let reservations = run.compactMap { save in
        save.before.last { statement($0).isSystemWrite }
      }
      if let first = reservations.first, let last = reservations.last, first != last {
        var step = script.steps[first]
        for (index, role) in statement(first).roles.enumerated() {
          if case .set("Z_PRIMARYKEY", "Z_MAX") = role {
            step.values[index] = script.steps[last].values[index]
          }
        }
        replaced[first] = step
      }
    }
    for save in saves {
      if save.write == first, !save.isAfterFetch || run.isEmpty {
        run.append(save)
      } else {
        endRun(run)
        run = save.write == first ? [save] : []
      }
    }
    endRun(run)
    edit(removing: removed, replacing: replaced)
  }
}

private struct SaveReader {
  struct Save {
    /// The index of the statement that writes the save's only object; `nil` if the save writes
    /// several objects.
    var write: Int?
    var begin: Int
    var end: Int
    var before: [Int]
    var after: [Int] = []
    var places: Set<Int>
    var isAfterFetch: Bool
  }

  let script: ReplayScript
  let places: [Int]

  func saves() -> [Save] {
    var saves: [Save] = []
    var (open, reservation): ([Int], [Int]) = ([], [])
    var isAfterFetch = false
    for place in places {
      let shape = script.statements[script.steps[place].statement].shape
      switch shape.kind {
      case .begin: open = [place]
      case .commit where !open.isEmpty:
        open.append(place)
        let writes = open.filter { script.statements[script.steps[$0].statement].shape.isWrite }
        if writes.isEmpty {
          reservation = open
        } else {
          saves.append(
            Save(
              write: writes.count == 1 ? script.steps[writes[0]].statement : nil,
              begin: open[0],
              end: place,
              before: reservation,
              places: Set(open + reservation),
              isAfterFetch: isAfterFetch
            )
          )
          (reservation, isAfterFetch) = ([], false)
        }
        open = []
      case .pragma where open.isEmpty && !saves.isEmpty: saves[saves.count - 1].after.append(place)
      default:
        if !open.isEmpty { open.append(place) } else if shape.isRead { isAfterFetch = true }
      }
    }
    return saves
  }
}

extension String {
  fileprivate func replacingCharacters(_ range: Range<Index>, _ text: String) -> String {
    self[..<range.lowerBound] + text + self[range.upperBound...]
  }
}

import Basics
import DataModel
import PersistentStore
import SQLite

/// An app that uses plain statements, on StoreBench's own connection or through GRDB.
final class StatementSession: SessionEngine {
  /// A row in memory, which is counted until it is released.
  fileprivate final class Row {
    let key: Int64
    let values: [Value]
    let target: Row?
    private let tally: Tally
    private let bytes: Int

    init(_ key: Int64, _ values: [Value], target: Row?, _ tally: Tally) {
      self.key = key
      self.values = values
      self.target = target
      self.tally = tally
      bytes =
        MemoryLayout<Int64>.size * 6
        + values.reduce(32) { $0 + MemoryLayout<Value>.stride + $1.heapBytes }
      tally.rows += 1
      tally.bytes += bytes
    }

    deinit {
      tally.rows -= 1
      tally.bytes -= bytes
    }
  }

  fileprivate final class Tally {
    var rows = 0
    var bytes = 0
  }

  private let writer: any RowWriting
  private let setting: SessionSetting
  private let sql: SessionSQL
  private let tally = Tally()
  /// The shown rows that the app keeps, in the order in which they were shown.
  private var shown: [Row] = []

  var connection: Connection? { writer.connection }
  var statistics: ObjectContext.Statistics { .init() }
  var liveObjects: Int { tally.rows }
  var memoryBytes: Int { tally.bytes }

  init(_ writer: any RowWriting, _ setting: SessionSetting) throws {
    (self.writer, self.setting) = (writer, setting)
    sql = try SessionSQL(setting)
  }

  func fetch(beginningWith word: String?) throws -> any FetchResults {
    let values = word.map { [Value.text($0), .text($0 + "\u{10FFFF}")] } ?? []
    if setting.parameters.batchSize > 0 {
      let keys = try writer.rows(sql.keys(isSearch: word != nil), values).map(\.key)
      return Results(keys: keys, session: self)
    }
    let rows = try writer.rows(sql.rows(isSearch: word != nil), values)
    return Results(keys: rows.map(\.key), rows: try made(rows), session: self)
  }

  /// The rows of a statement, together with the rows to which their to-one relationship refers.
  private func made(_ rows: [[Value]]) throws -> [Row] {
    guard setting.subject.touched != nil else {
      return rows.map { Row($0.key, Array($0.dropFirst()), target: nil, tally) }
    }
    var keys: Set<Int64> = []
    for row in rows { if case .integer(let key)? = row.last { keys.insert(key) } }
    var targets: [Int64: Row] = [:]
    // Read at most 10,000 rows per statement, because SQLite allows only 32,766 values per
    // statement.
    for part in keys.sorted().chunks(of: 10_000) {
      guard let statement = sql.targets(part.count) else { continue }
      for row in try writer.rows(statement, part.map { .integer($0) }) {
        targets[row.key] = Row(row.key, Array(row.dropFirst()), target: nil, tally)
      }
    }
    return rows.map { row in
      var target: Row?
      if case .integer(let key)? = row.last { target = targets[key] }
      return Row(row.key, Array(row.dropFirst().dropLast()), target: target, tally)
    }
  }

  func edit(_ edits: [SessionScript.Edit]) throws {
    guard !edits.isEmpty else { return }
    try writer.transaction {
      for edit in edits {
        let found = try writer.rows(sql.editedValue, [.integer(edit.key)])
        guard found.first?.first != edit.value else { continue }
        let changed = try writer.run(sql.update, [edit.value, .integer(edit.key)])
        guard changed == 1 else { throw Refusal.rowMissing(edit.key) }
      }
    }
  }

  func reset() { shown = [] }

  private func show(_ row: Row) {
    shown.append(row)
    if setting.parameters.held == .screen, shown.count > setting.parameters.screen {
      shown.removeFirst()
    }
  }

  private final class Results: FetchResults {
    private let keys: [Int64]
    private let session: StatementSession
    private let size: Int
    private var batch: Int
    private var rows: [Row]

    var count: Int { keys.count }

    /// Creates results with all rows or, if `rows` is `nil`, results that read the rows in batches.
    init(keys: [Int64], rows: [Row]? = nil, session: StatementSession) {
      (self.keys, self.session, self.rows) = (keys, session, rows ?? [])
      (size, batch) =
        rows == nil ? (session.setting.parameters.batchSize, -1) : (max(1, keys.count), 0)
    }

    func read(_ place: Int, isTouched: Bool, into taken: inout TakenValues) throws {
      if batch != place / size { try load(place / size) }
      let row = rows[place - batch * size]
      taken.begin(row.key)
      for value in row.values { taken.take(value) }
      if session.setting.subject.touched != nil {
        taken.beginLink(from: row.key)
        if let target = row.target {
          taken.beginTarget(target.key)
          for value in target.values { taken.take(value) }
        }
      }
      session.show(row)
    }

    private func load(_ number: Int) throws {
      let wanted = keys[number * size..<min((number + 1) * size, keys.count)]
      rows = []
      let found = try session.made(
        session.writer.rows(session.sql.batch(wanted.count), wanted.map { .integer($0) })
      )
      let byKey = Dictionary(keepingFirst: found.map { ($0.key, $0) })
      rows = try wanted.map { key in
        guard let row = byKey[key] else { throw Refusal.rowMissing(key) }
        return row
      }
      batch = number
    }
  }
}

extension [Value] {
  fileprivate var key: Int64 { if case .integer(let key)? = first { key } else { 0 } }
}

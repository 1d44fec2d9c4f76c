import Basics

@testable import SQLLog

/// The log of an app that does ordinary work, with at most one planted design fault.
///
/// The seed determines everything: entities, sizes, the level and form of lines, and the user's
/// actions. The forms are those of published samples.
struct GeneratedApp {
  /// The form of a line's prefix, written without the parser's code.
  enum Form: CaseIterable {
    case plain, stripped, system, xcode, unified, compact, syslog, colored
    /// Each message appears twice, in the forms `xcode` and `plain`.
    case doubled

    var hasTimes: Bool { [.system, .xcode, .unified, .compact, .doubled].contains(self) }
  }

  /// The content of the log, counted while the log was written.
  struct Truth: Equatable {
    var statements = 0
    var faults = 0
    var toManyFaults = 0
    var prefetches = 0
    var saves = 0
    var inserts = 0
    var updates = 0
    var rows = 0
    /// The statements' total time, in microseconds.
    var time = 0
  }

  let schema: LogSchema
  private(set) var lines: [String] = []
  private(set) var truth = Truth()

  private struct Table {
    var name: String
    var entity: String
    var rows: Int
  }

  private var random: SplitMix64
  private let tables: [Table]
  private let form: Form
  private let level: Int
  private var lastStatement = ""
  private var clock = 0
  private var thread = 4_100
  private var key = 1

  init(seed: UInt64, planted: FindingRule? = nil, form: Form? = nil, level: Int? = nil) {
    var random = SplitMix64(state: seed &* 7_919)
    var words = ["Task", "Project", "Tag", "Note", "Photo", "Account", "Message", "Order", "Stop"]
    words.shuffle(using: &random)
    tables = words.prefix(4).map {
      Table(
        name: "Z" + $0.uppercased(),
        entity: $0,
        rows: Int.random(in: 2_000...60_000, using: &random)
      )
    }
    // Only lines with a time and a thread can show work on the main thread.
    let isTimed = planted == .mainThread || Bool.random(using: &random)
    self.form = form ?? (isTimed ? .system : .plain)
    self.level = level ?? Int.random(in: 1...2, using: &random)
    var described: [String: LogSchema.Table] = [:]
    for table in tables {
      described[table.name] = LogSchema.Table(
        entity: table.entity,
        properties: ["ZNAME": "name", "ZDATE": "date", "ZSTATE": "state", "ZDATA": "data"],
        binaryColumns: ["ZDATA"],
        indexes: [
          .init(name: "Z_\(table.entity)_byDate", columns: ["ZDATE"], isFetchIndex: true),
          .init(name: "Z_\(table.entity)_byName", columns: ["ZNAME"], isFetchIndex: true),
          .init(name: "\(table.name)_ZOWNER_INDEX", columns: ["ZOWNER"], isFetchIndex: false),
        ],
        rows: table.rows,
        meanBytes: ["ZDATA": planted == .blobsWithRows ? 90_000 : 60]
      )
    }
    if planted == .unusedIndex {
      described[tables[0].name]?.indexes.append(
        .init(name: "Z_\(tables[0].entity)_byColor", columns: ["ZCOLOR"], isFetchIndex: true)
      )
    }
    schema = LogSchema(tables: described)
    self.random = random
    let place = Int.random(in: 10...50, using: &self.random)
    for step in 0..<60 {
      clock += 3_000_000 + Int.random(in: 0...9_000_000, using: &self.random)
      if step == place, let planted { plant(planted) }
      live()
    }
    // Only with enough fetches and writes does an index count as unused.
    if planted == .unusedIndex { fetchAndImport() }
  }

  var text: String { lines.joined(separator: "\n") + "\n" }

  // MARK: Lines

  private mutating func print(_ message: String) {
    clock += 400
    let (second, rest) = (clock / 1_000_000, clock % 1_000_000)
    func two(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }
    let fraction = String(1_000_000 + rest).dropFirst()
    let day =
      "2026-03-0\(1 + second / 86_400) \(two(second / 3_600 % 24)):\(two(second / 60 % 60)):"
      + two(second % 60)
    let category = message.prefix { $0 != ":" }
    let hex = String(thread, radix: 16)
    let xcode = "\(day).\(fraction)+0100 App[815:\(thread)] [\(category)] \(message)"
    switch form {
    case .plain: lines.append("CoreData: \(message)")
    case .stripped: lines.append(message)
    case .system:
      lines.append("\(day).\(fraction.prefix(3)) App[815:\(thread)] CoreData: \(message)")
    case .xcode: lines.append(xcode)
    case .unified:
      lines.append(
        "\(day).\(fraction)+0100 0x\(hex)   Debug       0x0                  815    14   App: "
          + "(CoreData) [com.apple.coredata:\(category)] \(message)"
      )
    case .compact:
      lines.append(
        "\(day).\(fraction.prefix(3)) D  App[815:\(hex)] [com.apple.coredata:\(category)] CoreData: "
          + message
      )
    case .syslog: lines.append("Aug 16 11:38:01 Phone App[93] <Warning>: Core Data: \(message)")
    case .colored:
      lines.append(
        "\u{1B}[36mCoreData: \u{1B}[1;33m\(category)\u{1B}[0m\(message.dropFirst(category.count))"
      )
    case .doubled: lines += [xcode, "CoreData: \(message)"]
    }
  }

  private func seconds(_ microseconds: Int) -> String {
    "0." + String(1_000_000 + microseconds).dropFirst().prefix(4) + "s"
  }

  private mutating func start(_ sql: String, _ values: [String] = []) {
    truth.statements += 1
    lastStatement = sql
    print("sql: \(sql)")
    guard level >= 2 else { return }
    for (index, value) in values.enumerated() { print("details: SQLite bind[\(index)] = \(value)") }
  }

  private mutating func end(_ rows: Int, time: Int) {
    truth.rows += rows
    truth.time += time / 100 * 100 + 100
    print("annotation: sql connection fetch time: \(seconds(time))")
    if level >= 2 {
      let table = lastStatement.split(separator: " ").first {
        $0.hasPrefix("Z") && !$0.contains(",")
      }
      let entity = tables.first { $0.name == table ?? "" }?.entity ?? "Part"
      let values = level >= 3 ? " with values: (" : ""
      print(
        "annotation: fetch using NSSQLiteStatement <0x60800008bf40> on entity '\(entity)' with sql "
          + "text '\(lastStatement) ' returned \(rows) rows\(values)"
      )
      if level >= 3 {
        let list = ["    \"<App.\(entity): 0x6040> (entity: \(entity); data: <fault>)\"", ")"]
        lines += list
        if form == .doubled { lines.insert(contentsOf: list, at: lines.count - 3) }
      }
    }
    print("annotation: total fetch execution time: \(seconds(time + 100)) for \(rows) rows.")
    if level >= 4 {
      print("details: SQLite: EXPLAIN QUERY PLAN \(lastStatement)")
      lines.append("0 0 0 SEARCH TABLE ZTASK AS t0 USING INTEGER PRIMARY KEY (rowid=?)")
    }
  }

  private mutating func fetch(_ sql: String, _ values: [String] = [], rows: Int, time: Int = 400) {
    start(sql, values)
    end(rows, time: time)
  }

  private mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &random)
  }

  private static let columns = "0, t0.Z_PK, t0.Z_OPT, t0.ZDATE, t0.ZNAME, t0.ZSTATE, t0.ZOWNER"

  private mutating func fault(_ table: Table, key: Int) {
    truth.faults += 1
    fetch(
      "SELECT \(Self.columns) FROM \(table.name) t0 WHERE  t0.Z_PK = ? ",
      ["\(key)"],
      rows: 1,
      time: 200
    )
    print(
      "annotation: fault fulfilled from database for : 0x8000000000040002 "
        + "<x-coredata://0783522F-1111-2222-3333-444455556666/\(table.entity)/p\(key)>"
    )
  }

  private mutating func toManyFault(_ owner: Table, _ table: Table, key: Int) {
    truth.toManyFaults += 1
    fetch(
      "SELECT 0, t0.Z_PK FROM \(table.name) t0 WHERE  t0.ZOWNER = ? ",
      ["\(key)"],
      rows: 3,
      time: 200
    )
    print(
      "annotation: to-many relationship fault \"parts\" for objectID 0xa7ab "
        + "<x-coredata://0783522F-1111-2222-3333-444455556666/\(owner.entity)/p\(key)> fulfilled "
        + "from database.  Got 3 rows"
    )
  }

  private mutating func save(_ statements: [String]) {
    truth.saves += 1
    truth.inserts += statements.count { $0.hasPrefix("INSERT") }
    truth.updates += statements.count { $0.hasPrefix("UPDATE") }
    for sql in ["BEGIN EXCLUSIVE"] + statements + ["COMMIT"] {
      start(sql, sql.filter { $0 == "?" }.map { _ in "\(number(1...90_000))" })
    }
    start("pragma page_count")
    truth.time += 100
    print("annotation: sql execution time: 0.0001s")
  }

  private func insert(_ table: Table) -> String {
    "INSERT INTO \(table.name)(Z_PK, Z_ENT, Z_OPT, ZDATE, ZNAME) VALUES(?, ?, ?, ?, ?)"
  }

  private func update(_ table: Table) -> String {
    "UPDATE \(table.name) SET ZNAME = ?, Z_OPT = ?  WHERE Z_PK = ? AND Z_OPT = ?"
  }

  private mutating func fetchAndImport() {
    for _ in 0..<30 {
      clock += 4_000_000
      fetch(
        "SELECT \(Self.columns) FROM \(tables[0].name) t0 WHERE  t0.ZDATE > ? ORDER BY t0.ZDATE LIMIT 30",
        ["\(number(1...90_000))"],
        rows: 30
      )
    }
    save(Array(repeating: insert(tables[0]), count: 300))
  }

  private mutating func prefetch(_ owner: Table, _ table: Table, rows: Int) {
    start("SELECT \(Self.columns) FROM \(owner.name) t0 ORDER BY t0.ZDATE LIMIT 50")
    print("annotation: sql connection fetch time: 0.0010s")
    print("annotation: Bound intarray _Z_intarray0")
    print("annotation: Bound intarray values.")
    fetch(
      "SELECT \(Self.columns) FROM \(table.name) t0 WHERE  t0.ZOWNER IN (SELECT * FROM _Z_intarray0)  "
        + "ORDER BY t0.ZOWNER",
      rows: rows,
      time: 900
    )
    print("annotation: Prefetching with key 'parts'.  Got \(rows) rows.")
    print("annotation: total fetch execution time: 0.0040s for 50 rows.")
    truth.prefetches += 1
    truth.rows += 50
    // The fetch's 4 ms include the prefetch's 1 ms, which is already counted.
    truth.time += 3_000
  }

  private mutating func batches(_ table: Table, rows: Int, read: Int) {
    fetch("SELECT 0, t0.Z_PK FROM \(table.name) t0 ORDER BY t0.ZDATE", rows: rows, time: 900)
    for _ in 0..<read {
      fetch(
        "SELECT \(Self.columns) FROM \(table.name) t0 WHERE  t0.Z_PK IN (SELECT * FROM "
          + "_Z_intarray0)  LIMIT 20",
        rows: 20
      )
    }
  }

  // MARK: Ordinary work

  private mutating func live() {
    let (table, other) = (tables[number(0...3)], tables[number(0...3)])
    let owner = number(1...50_000)
    switch number(0...9) {
    case 0: batches(table, rows: table.rows, read: number(1...4))
    case 1:
      fetch(
        "SELECT \(Self.columns) FROM \(table.name) t0 WHERE  t0.ZOWNER = ? ORDER BY t0.ZDATE",
        ["\(owner)"],
        rows: number(2...60),
        time: number(200...1_500)
      )
      for _ in 0..<number(0...4) { fault(other, key: number(1...other.rows)) }
    case 2:
      let count = number(0...500)
      start(
        "SELECT COUNT( DISTINCT t0.Z_PK) FROM \(table.name) t0 WHERE  t0.ZOWNER = ? ",
        ["\(owner)"]
      )
      print("annotation: total count request execution time: 0.0004s for count of \(count).")
      truth.time += 400
      truth.rows += 1
    case 3: save([update(table)])
    case 4: save([update(table)] + Array(repeating: insert(other), count: number(1...3)))
    case 5: save(Array(repeating: insert(table), count: number(20...60)))
    case 6:
      prefetch(table, other, rows: number(60...300))
      save([update(other)])
    case 7:
      fetch(
        "SELECT \(Self.columns) FROM \(table.name) t0 WHERE  t0.ZNAME >= ? AND  t0.ZNAME < ? ORDER BY "
          + "t0.ZNAME LIMIT 30",
        ["\"a\(owner)\"", "\"b\(owner)\""],
        rows: 30,
        time: number(300...2_000)
      )
    case 8: for _ in 0..<number(1...3) { toManyFault(table, other, key: number(1...table.rows)) }
    default:
      lines.append("screen \(number(1...40)) appeared")
      // An import runs on another thread.
      thread += 7
      save(Array(repeating: insert(table), count: number(5...40)))
      fetch(
        "SELECT \(Self.columns) FROM \(table.name) t0 WHERE  t0.ZDATE > ? ORDER BY t0.ZDATE LIMIT 500",
        ["\(owner)"],
        rows: 500,
        time: 30_000
      )
      thread -= 7
    }
  }

  // MARK: Design faults

  private mutating func plant(_ rule: FindingRule) {
    let (table, other) = (tables[0], tables[1])
    let list = "SELECT \(Self.columns) FROM \(table.name) t0 ORDER BY t0.ZDATE LIMIT 60"
    switch rule {
    case .faultsOneByOne:
      fetch(list, rows: 60)
      for key in 1...number(8...60) { fault(other, key: key * 3) }
    case .toManyFaultsOneByOne:
      fetch(list, rows: 60)
      for key in 1...number(8...60) { toManyFault(table, other, key: key * 3) }
    case .batchSizeWithoutEffect:
      let count = number(8...40)
      batches(table, rows: count * 20, read: count)
    case .unreadPrefetch:
      let parts = Table(name: "ZPART", entity: "Part", rows: 5_000)
      for _ in 0..<number(3...9) { prefetch(table, parts, rows: number(100...900)) }
    case .wholeTableFetch:
      for _ in 0..<number(1...4) {
        fetch("SELECT \(Self.columns) FROM \(table.name) t0", rows: table.rows, time: 90_000)
      }
    case .fetchWithoutLimit:
      fetch(
        "SELECT \(Self.columns) FROM \(table.name) t0 ORDER BY t0.ZDATE",
        rows: number(600...4_000),
        time: 60_000
      )
    case .fetchesOneByOne:
      for key in 1...number(12...60) {
        fetch(
          "SELECT \(Self.columns) FROM \(table.name) t0 WHERE  t0.ZOWNER = ? ",
          ["\(key)"],
          rows: 1
        )
      }
    case .repeatedFetch:
      for _ in 0..<number(7...30) { fetch(list, rows: 60) }
    case .fetchAfterEverySave:
      lines = []
      for _ in 0..<number(300...400) {
        save([insert(table), update(other)])
        fetch("SELECT \(Self.columns) FROM \(table.name) t0 ORDER BY t0.ZDATE LIMIT 200", rows: 200)
      }
    case .unindexedSort:
      fetch(
        "SELECT \(Self.columns) FROM \(table.name) t0 WHERE  t0.ZOWNER = ? ORDER BY t0.ZNAME COLLATE "
          + "NSCollateFinderlike",
        ["4"],
        rows: number(150...3_000),
        time: 60_000
      )
    case .unindexedPredicate:
      fetch(
        "SELECT \(Self.columns) FROM \(table.name) t0 WHERE  t0.ZSTATE = ? ",
        ["3"],
        rows: number(1...90),
        time: 8_000
      )
    case .wrongIndex:
      fetch(
        "SELECT \(Self.columns) FROM \(table.name) t0 WHERE  t0.ZNAME = ? AND  t0.Z_ENT = ? ",
        ["\"x\"", "4"],
        rows: 1,
        time: 8_000
      )
      print("details: SQLite: EXPLAIN QUERY PLAN SELECT 0, t0.Z_PK FROM \(table.name) t0")
      lines.append(
        "0 0 0 SEARCH TABLE \(table.name) AS t0 USING INDEX \(table.name)_Z_ENT_INDEX (Z_ENT=?)"
      )
    case .textSearch:
      fetch(
        "SELECT \(Self.columns) FROM \(table.name) t0 WHERE  NSCoreDataStringSearch( t0.ZNAME, ?, 417, 1) ",
        ["\"milk\""],
        rows: 4,
        time: 50_000
      )
    case .oneSavePerObject:
      for _ in 0..<number(12...90) { save([insert(table)]) }
    case .blobsWithRows:
      fetch(
        "SELECT \(Self.columns), t0.ZDATA FROM \(table.name) t0 ORDER BY t0.ZDATE LIMIT 200",
        rows: 200,
        time: 40_000
      )
    case .maintenanceAfterSaves:
      for _ in 0..<40 {
        save([insert(table), insert(table)])
        print("annotation: PostSaveMaintenance: wal_checkpoint(TRUNCATE)")
      }
    case .mainThread:
      for _ in 0..<number(4...9) { fetch(list, ["1"], rows: 60, time: number(40_000...90_000)) }
    case .unusedIndex: return
    }
  }
}

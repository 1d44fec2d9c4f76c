import Basics
import DataModel
import Foundation
import PersistentStore
import SQLLog
import SQLite

/// An app with one list of a given number of rows, and with at most one design fault.
///
/// StoreBench's object context does the work, and its writer logs it. The logged statements, faults
/// and row counts therefore show the behavior of that context, not of Apple's frameworks. The seed
/// determines batch sizes, entities, log levels, times of day and the order of actions.
final class ListApp {
  /// A design fault; at least one of the rules listed for it must find it.
  enum Fault: String, CaseIterable {
    case ownerOfEachRow, partsOfEachRow, wrongPrefetch, secondLevel
    case countByFetching, rowsWithoutLimit, countForEachRow, lookUpForEachObject
    case saveForEachObject, lookUpAndSave, sameFetchInEachCell, reloadAfterEachSave
    case filterWithoutIndex, imagesInRows, batchesInALoop, textSearch, localizedSort

    var rules: Set<FindingRule> {
      switch self {
      case .ownerOfEachRow, .wrongPrefetch, .secondLevel: [.faultsOneByOne]
      case .partsOfEachRow: [.toManyFaultsOneByOne]
      case .countByFetching: [.wholeTableFetch]
      case .rowsWithoutLimit: [.fetchWithoutLimit]
      case .countForEachRow, .lookUpForEachObject: [.fetchesOneByOne]
      case .saveForEachObject: [.oneSavePerObject]
      case .lookUpAndSave: [.oneSavePerObject, .fetchAfterEverySave]
      case .sameFetchInEachCell: [.repeatedFetch]
      case .reloadAfterEachSave: [.fetchAfterEverySave]
      case .filterWithoutIndex: [.unindexedPredicate]
      case .imagesInRows: [.blobsWithRows]
      case .batchesInALoop: [.batchSizeWithoutEffect]
      case .textSearch: [.textSearch]
      case .localizedSort: [.unindexedSort]
      }
    }

    /// The minimum number of rows at which the fault costs time; fetching all of ten rows, for
    /// example, is fine.
    var fewestRows: Int {
      switch self {
      case .countByFetching, .rowsWithoutLimit, .filterWithoutIndex, .textSearch: 1_000
      case .imagesInRows, .batchesInALoop, .localizedSort: 100
      default: 10
      }
    }

    static func all(of rows: Int) -> [Fault] { allCases.filter { $0.fewestRows <= rows } }
  }

  let logPath: String
  private(set) var schema = LogSchema(tables: [:])
  private let fault: Fault?
  private let size: Int
  private let owners: Int
  private let batchSize: Int
  private let hasRegions: Bool
  private let folder: BenchFolder
  private let store: PersistentStore
  private let writer: SQLDebugWriter
  private let rawPath: String
  private var context: ObjectContext
  private var random: SplitMix64
  private var rawBytes = 0
  private var lines: [(thread: Int, text: String)] = []
  private var created = 0

  private static func model(hasImage: Bool) -> Model {
    var row = Entity(
      name: "Row",
      attributes: [
        Attribute(name: "title", type: .string), Attribute(name: "date", type: .date),
        Attribute(name: "state", type: .integer16), Attribute(name: "code", type: .string),
        Attribute(name: "photo", type: .binary, allowsExternalStorage: true),
      ],
      relationships: [
        Relationship(name: "owner", destination: "Owner", inverse: "rows"),
        Relationship(name: "parts", destination: "Part", inverse: "row", isToMany: true),
      ],
      fetchIndexes: [
        FetchIndex(name: "byDate", elements: [.init(property: "date")]),
        FetchIndex(name: "byCode", elements: [.init(property: "code")]),
      ]
    )
    if hasImage { row.attributes.append(Attribute(name: "image", type: .binary)) }
    return Model(entities: [
      row,
      Entity(
        name: "Owner",
        attributes: [Attribute(name: "name", type: .string)],
        relationships: [
          Relationship(name: "rows", destination: "Row", inverse: "owner", isToMany: true),
          Relationship(name: "region", destination: "Region", inverse: "owners"),
        ]
      ),
      Entity(
        name: "Region",
        attributes: [Attribute(name: "name", type: .string)],
        relationships: [
          Relationship(name: "owners", destination: "Owner", inverse: "region", isToMany: true)
        ]
      ),
      Entity(
        name: "Part",
        attributes: [Attribute(name: "text", type: .string)],
        relationships: [Relationship(name: "row", destination: "Row", inverse: "parts")]
      ),
    ])
  }

  init(seed: UInt64, size: Int, fault: Fault?) throws {
    var random = SplitMix64(state: seed &* 0x9E37_79B9_7F4A_7C15)
    (self.fault, self.size) = (fault, size)
    owners = max(40, size / 12)
    let sizes = size <= 100 ? [0, 20, 50] : [20, 30, 50, 100, 200, 500]
    batchSize = sizes.randomElement(using: &random) ?? 20
    hasRegions = Bool.random(using: &random)
    folder = try BenchFolder()
    let model = Self.model(hasImage: fault == .imagesInRows)
    store = try PersistentStore.create(
      at: try folder.file("app.sqlite"),
      model: model,
      options: .init(
        settings: ConnectionSettings(synchronous: .off),
        seed: seed,
        keepsHistory: Bool.random(using: &random)
      )
    )
    try FrameworkFunctions.register(on: store.connection)
    rawPath = try folder.file("raw.log")
    logPath = try folder.file("app.log")
    writer = try SQLDebugWriter(.init(path: rawPath, level: Int.random(in: 1...2, using: &random)))
    context = try ObjectContext(store: store)
    self.random = random
    try fill()
    store.connection.observe(writer)
    var schema = LogSchema(model: model)
    try schema.read(store.connection)
    self.schema = schema
    try live()
    let hasTimes = number(0...1) == 0
    let text = hasTimes ? withTimes() : lines.map(\.text)
    try Data((text.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: logPath))
  }

  func keep(at path: String) throws {
    try FileManager.default.copyItem(atPath: logPath, toPath: path)
  }

  // MARK: The store

  /// Inserts the rows by plain SQL: an object context would be too slow for 100,000 objects.
  private func fill() throws {
    try insert("Region", 30, "ZNAME", "'Region ' || i")
    try insert("Owner", owners, "ZNAME, ZREGION", "'Owner ' || i, 1 + i % 30")
    let image = fault == .imagesInRows ? (", ZIMAGE", ", zeroblob(9000 + i % 500)") : ("", "")
    let rows = max(size, 20)
    try insert(
      "Row",
      fault == .imagesInRows ? min(rows, 2_000) : rows,
      "ZTITLE, ZDATE, ZSTATE, ZCODE, ZOWNER\(image.0)",
      "'Row about ' || (i * 37 % 97), 7e8 + i * 613.0, i % 7, 'c' || i, "
        + "1 + i * 7919 % \(owners)\(image.1)"
    )
    try insert("Part", min(rows, 2_000) * 2, "ZTEXT, ZROW", "'Part ' || i, (i + 1) / 2")
  }

  private func insert(_ entity: String, _ count: Int, _ columns: String, _ values: String) throws {
    let number = store.layout.numbers[entity] ?? 0
    try store.connection.execute(
      """
      INSERT INTO Z\(entity.uppercased()) (Z_PK, Z_ENT, Z_OPT, \(columns)) \
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count)) \
      SELECT i, \(number), 1, \(values) FROM n
      """
    )
    try store.connection.execute(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = \(count) WHERE Z_ENT = \(number)"
    )
  }

  // MARK: The log

  private func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  private func log(thread: Int = 5_201, _ work: () throws -> Void) throws {
    context = try ObjectContext(store: store)
    writer.begin(store.file)
    try work()
    try writer.end()
    let data = try Data(contentsOf: URL(fileURLWithPath: rawPath))
    let text = String(decoding: data[rawBytes...], as: UTF8.self)
    rawBytes = data.count
    for line in text.split(separator: "\n") where !line.contains(" Connecting to ") {
      lines.append((thread, timed(line)))
    }
  }

  /// Returns a log line with its time computed from the number of rows, so that machine load has no
  /// influence.
  private func timed(_ line: Substring) -> String {
    guard let start = line.range(of: " time: ")?.upperBound,
      let end = line[start...].range(of: "s")?.lowerBound
    else { return String(line) }
    let rows = line[end...].split { !$0.isNumber }.first.flatMap { Int($0) } ?? 0
    let time = Double(100 + min(rows, 9_000)) / 1e6
    return String(line[..<start]) + Figures.fixed(time, decimals: 4) + line[end...]
  }

  private func withTimes() -> [String] {
    var clock = 9 * 3_600_000
    return lines.map { thread, text in
      if text.hasPrefix("screen") { clock += 2_500 + text.utf8.count * 41 }
      if text.hasPrefix("CoreData: ") { clock += 1 }
      let time =
        "\((clock / 3_600_000).digits(2)):\((clock / 60_000 % 60).digits(2)):"
        + "\((clock / 1_000 % 60).digits(2)).\((clock % 1_000).digits(3))"
      return "2026-06-01 \(time) Lists[77:\(thread)] \(text)"
    }
  }

  /// Appends the log lines of a fetch that the object context cannot run, in the format of public
  /// logs.
  private func write(_ sql: String, rows: Int, seconds: Double) {
    let time = Figures.fixed(seconds, decimals: 4)
    for message in [
      "sql: \(sql)", "annotation: sql connection fetch time: \(time)s",
      "annotation: total fetch execution time: \(time)s for \(rows) rows.",
    ] { lines.append((5_201, "CoreData: " + message)) }
  }

  // MARK: User actions

  private func live() throws {
    let steps = number(12...25)
    let place = number(2...10)
    for step in 0..<steps {
      lines.append((5_201, "screen \(step)"))
      if step == place, let fault {
        try commit(fault)
        lines.append((5_201, "screen after \(step)"))
      }
      try act()
    }
  }

  private func list(_ relationships: [String] = [], batch: Int? = nil) -> FetchRequest {
    FetchRequest(
      "Row",
      sortDescriptors: [.init("date", ascending: false)],
      fetchBatchSize: batch ?? batchSize,
      relationshipsForPrefetching: relationships
    )
  }

  private func act() throws {
    switch number(0...9) {
    case 0, 1:
      // Half of the lists prefetch and show each row's owner; the others show only titles.
      let shows = number(0...1) == 0
      try log {
        let rows = try context.fetch(list(shows ? ["owner"] : []))
        for index in 0..<min(rows.count, number(8...60)) {
          let row = try rows.object(at: index)
          _ = try row.value(of: "title")
          if shows { _ = try row.target(of: "owner")?.value(of: "name") }
        }
      }
    case 2, 3: try openDetail()
    case 4:
      try log {
        let owner = context.object(try context.description(of: "Owner"), key: Int64(number(1...40)))
        _ = try owner.value(of: "name")
        if hasRegions { _ = try owner.target(of: "region")?.value(of: "name") }
      }
    case 5:
      try log {
        let row = context.object(
          try context.description(of: "Row"),
          key: Int64(number(1...min(size, 1_000)))
        )
        try row.setValue(.text("edited \(number(1...999))"), of: "title")
        try context.save()
      }
    case 6: try log(thread: 5_299) { try create(number(5...40), looksUp: false, savesEach: false) }
    case 7:
      // Each letter that the user types starts a new search.
      for letters in 1...number(2...6) {
        try log {
          let start = "c" + String(repeating: "1", count: letters)
          _ = try context.fetch(
            FetchRequest("Row", predicate: .beginsWith("code", start), fetchLimit: 20)
          )
        }
      }
    case 8:
      write(
        "SELECT t0.ZSTATE, COUNT( t0.ZSTATE) FROM ZROW t0 GROUP BY  t0.ZSTATE",
        rows: 7,
        seconds: 0.0004
      )
      try log {
        for _ in 0..<number(1...3) {
          let date = Value.real(7e8 + Double(number(0...size)) * 613)
          _ = try context.count(
            FetchRequest("Row", predicate: .comparison("date", .greater, date))
          )
        }
      }
    default:
      try log {
        let row = context.object(try context.description(of: "Row"), key: Int64(number(1...10)))
        try row.setValue(.blob([UInt8](repeating: 7, count: number(100...90_000))), of: "photo")
        try context.save()
      }
    }
  }

  private func openDetail() throws {
    try log {
      let code = Value.text("c\(number(1...size))")
      let found = try context.fetch(
        FetchRequest("Row", predicate: .comparison("code", .equal, code), fetchLimit: 1)
      )
      guard found.count > 0 else { return }
      let row = try found.object(at: 0)
      _ = try row.target(of: "owner")?.value(of: "name")
      for part in try row.targets(of: "parts") { _ = try part.value(of: "text") }
    }
  }

  private func create(_ count: Int, looksUp: Bool, savesEach: Bool) throws {
    for _ in 0..<count {
      created += 1
      let code = "new \(created)"
      if looksUp {
        _ = try context.fetch(
          FetchRequest("Row", predicate: .comparison("code", .equal, .text(code)), fetchLimit: 1)
        )
      }
      let row = try context.insert("Row")
      try row.setValue(.text("Row new"), of: "title")
      try row.setValue(.text(code), of: "code")
      try row.setValue(.real(9e8 + Double(created)), of: "date")
      // The list begins with the newest rows, so new rows without an owner would hide the planted
      // fault.
      let owner = try context.description(of: "Owner")
      try row.setTarget(context.object(owner, key: Int64(number(1...owners))), of: "owner")
      if savesEach { try context.save() }
    }
    try context.save()
  }

  // MARK: Design faults

  private var visible: Int { min(size, number(12...60)) }

  private func commit(_ fault: Fault) throws {
    switch fault {
    case .ownerOfEachRow, .wrongPrefetch:
      try log {
        // Two thirds of the fetches have no batch size, as is usual in apps.
        let batch = number(0...2) == 0 ? batchSize : 0
        let rows = try context.fetch(
          list(fault == .wrongPrefetch ? ["parts"] : [], batch: batch)
        )
        for index in 0..<min(rows.count, visible) {
          _ = try rows.object(at: index).target(of: "owner")?.value(of: "name")
        }
      }
    case .partsOfEachRow:
      try log {
        let rows = try context.fetch(list(batch: number(0...2) == 0 ? batchSize : 0))
        for index in 0..<min(rows.count, visible) {
          _ = try rows.object(at: index).targets(of: "parts").count
        }
      }
    case .secondLevel:
      try log {
        let rows = try context.fetch(list(["owner"], batch: 0))
        for index in 0..<min(rows.count, visible) {
          _ = try rows.object(at: index).target(of: "owner")?.target(of: "region")?
            .value(of: "name")
        }
      }
    case .countByFetching: try log { _ = try context.fetch(FetchRequest("Row")).count }
    case .rowsWithoutLimit:
      try log {
        let rows = try context.fetch(list(batch: 0))
        for index in 0..<visible { _ = try rows.object(at: index).value(of: "title") }
      }
    case .countForEachRow:
      try log {
        for key in 1...number(10...40) {
          _ = try context.count(
            FetchRequest("Row", predicate: .comparison("owner", .equal, .integer(Int64(key))))
          )
        }
      }
    case .lookUpForEachObject:
      try log(thread: 5_299) { try create(number(10...60), looksUp: true, savesEach: false) }
    case .saveForEachObject:
      try log(thread: 5_299) { try create(number(10...60), looksUp: false, savesEach: true) }
    case .lookUpAndSave:
      try log(thread: 5_299) { try create(number(10...60), looksUp: true, savesEach: true) }
    case .sameFetchInEachCell:
      try log {
        for _ in 0..<number(10...40) {
          _ = try context.fetch(
            FetchRequest("Row", sortDescriptors: [.init("date")], fetchLimit: min(size, 10))
          )
        }
      }
    case .reloadAfterEachSave:
      for index in 0..<number(10...30) {
        try log {
          let row = context.object(
            try context.description(of: "Row"),
            key: Int64(1 + index % min(size, 500))
          )
          try row.setValue(.text("edited \(index)"), of: "title")
          try context.save()
          var request = list(batch: 0)
          request.fetchLimit = 200
          _ = try context.fetch(request)
        }
      }
    case .filterWithoutIndex:
      try log {
        for state in 0..<number(2...5) {
          _ = try context.fetch(
            FetchRequest(
              "Row",
              predicate: .comparison("state", .equal, .integer(Int64(state))),
              fetchLimit: 50
            )
          )
        }
      }
    case .imagesInRows:
      try log {
        var request = list(batch: 0)
        request.fetchLimit = number(60...100)
        let rows = try context.fetch(request)
        for index in 0..<rows.count { _ = try rows.object(at: index).value(of: "title") }
      }
    case .batchesInALoop:
      try log {
        let rows = try context.fetch(list(batch: max(5, min(500, size / number(6...20)))))
        for index in 0..<rows.count { _ = try rows.object(at: index).value(of: "title") }
      }
    case .textSearch:
      for _ in 0..<number(2...5) {
        try log {
          _ = try context.fetch(
            FetchRequest("Row", predicate: .contains("title", "about"), fetchLimit: 50)
          )
        }
      }
    case .localizedSort:
      write(
        "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZTITLE FROM ZROW t0 ORDER BY t0.ZTITLE COLLATE "
          + "NSCollateFinderlike  LIMIT 100",
        rows: 100,
        seconds: 0.0210
      )
    }
  }
}

import Basics
import DataModel
import Foundation
import PersistentStore
import SQLLog
import SQLite

/// An app with its own store and screens, and with at most one design fault.
///
/// The screens follow guides to Core Data, and the faults are those that such guides warn of. An
/// object context does the work on a real store, and StoreBench's writer logs it. The app shares no
/// code with the rules that analyze the log. The object context has no localized sorts, query plans
/// (level 4), maintenance after saves or threads; the app writes their log lines itself.
final class PlantedApp {
  /// A design fault; its raw value is the name of the rule that must find it.
  enum Fault: String, CaseIterable {
    case ownerOfEachRow = "faults-one-by-one"
    case partsOfEachOwner = "to-many-faults-one-by-one"
    case batchesInAnExport = "batch-size-without-effect"
    case prefetchForNothing = "unread-prefetch"
    case countOfAFetch = "whole-table-fetch"
    case sameFetchInEachCell = "repeated-fetch"
    case reloadAfterEachEdit = "fetch-after-every-save"
    case localizedSort = "unindexed-sort"
    case filterWithoutIndex = "unindexed-predicate"
    case planWithEntityIndex = "wrong-index"
    case indexForNothing = "unused-index"
    case searchWhileTyping = "text-search"
    case saveInALoop = "one-save-per-object"
    case imagesInAList = "blobs-with-rows"
    case upkeepAfterSaves = "maintenance-after-saves"
    case workOnTheMainThread = "main-thread"
  }

  let logPath: String
  let schema: LogSchema
  /// The log level, as set by the launch argument `-com.apple.CoreData.SQLDebug`.
  let level: Int
  let fault: Fault?
  let names: Names
  private let folder: BenchFolder
  let store: PersistentStore
  private let writer: SQLDebugWriter
  private let rawPath: String
  var context: ObjectContext
  private var random: SplitMix64
  private var rawBytes = 0
  /// The time of the current fetch's prefetches, in microseconds.
  private var prefetched = 0
  var lines: [(thread: Int, text: String)] = []
  private var itemCount: Int

  struct Names {
    let owner: String
    let item: String
    let part: String
    let title: String
    let date: String
    let state: String
    let code: String
    let extra: String
    let image: String

    init(_ random: inout SplitMix64) {
      func pick(_ words: [String]) -> String { words.randomElement(using: &random) ?? words[0] }
      owner = pick(["Album", "Project", "Notebook", "Playlist", "Trip", "Account", "Course"])
      item = pick(["Photo", "Task", "Memo", "Track", "Stop", "Payment", "Lesson", "Recipe"])
      part = pick(["Comment", "Step", "Attachment", "Reminder", "Rating", "Receipt"])
      title = pick(["title", "name", "caption", "subject"])
      date = pick(["createdAt", "date", "updatedAt", "takenAt", "dueDate"])
      state = pick(["status", "priority", "kind", "phase"])
      code = pick(["uuid", "identifier", "remoteID", "slug"])
      extra = pick(["score", "rank", "weight", "distance"])
      image = pick(["thumbnail", "imageData", "preview"])
    }

    func model(indexesExtra: Bool, hasImage: Bool) -> Model {
      var item = Entity(
        name: self.item,
        attributes: [
          Attribute(name: title, type: .string), Attribute(name: date, type: .date),
          Attribute(name: state, type: .integer16), Attribute(name: code, type: .string),
          Attribute(name: extra, type: .double),
        ],
        relationships: [
          Relationship(name: "owner", destination: owner, inverse: "items"),
          Relationship(name: "parts", destination: part, inverse: "item", isToMany: true),
        ],
        fetchIndexes: [
          FetchIndex(name: "byDate", elements: [.init(property: date)]),
          FetchIndex(name: "byCode", elements: [.init(property: code)]),
        ]
      )
      if indexesExtra {
        item.fetchIndexes.append(FetchIndex(name: "byExtra", elements: [.init(property: extra)]))
      }
      if hasImage { item.attributes.append(Attribute(name: image, type: .binary)) }
      return Model(entities: [
        Entity(
          name: owner,
          attributes: [Attribute(name: "name", type: .string)],
          relationships: [
            Relationship(name: "items", destination: self.item, inverse: "owner", isToMany: true)
          ]
        ), item,
        Entity(
          name: part,
          attributes: [Attribute(name: "text", type: .string)],
          relationships: [Relationship(name: "item", destination: self.item, inverse: "parts")]
        ),
      ])
    }
  }

  init(seed: UInt64, fault: Fault?) throws {
    var random = SplitMix64(state: seed &* 0x51ED_2701)
    names = Names(&random)
    self.fault = fault
    folder = try BenchFolder()
    itemCount = Int.random(in: 2_500...6_000, using: &random)
    let model = names.model(
      indexesExtra: fault == .indexForNothing,
      hasImage: fault == .imagesInAList
    )
    store = try PersistentStore.create(
      at: try folder.file("app.sqlite"),
      model: model,
      options: .init(settings: ConnectionSettings(synchronous: .off), seed: seed)
    )
    try FrameworkFunctions.register(on: store.connection)
    rawPath = try folder.file("raw.log")
    logPath = try folder.file("app.log")
    level = Int.random(in: 1...3, using: &random)
    writer = try SQLDebugWriter(.init(path: rawPath, level: level))
    store.connection.observe(writer)
    context = try ObjectContext(store: store)
    self.random = random
    try Self.fill(store, names, itemCount, hasImage: fault == .imagesInAList, &self.random)
    var schema = LogSchema(model: model)
    try schema.read(store.connection)
    self.schema = schema
    try live()
    // Apps with an even seed or with work on the main thread log times and threads, as NSLog does.
    let hasTimes = fault == .workOnTheMainThread || seed % 2 == 0
    let text = hasTimes ? withTimes() : lines.map(\.text)
    try Data((text.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: logPath))
  }

  private static func fill(
    _ store: PersistentStore,
    _ names: Names,
    _ count: Int,
    hasImage: Bool,
    _ random: inout SplitMix64
  ) throws {
    let context = try ObjectContext(store: store)
    var owners: [ManagedObject] = []
    for number in 0..<max(300, count / 12) {
      let owner = try context.insert(names.owner)
      try owner.setValue(.text("\(names.owner) \(number)"), of: "name")
      owners.append(owner)
    }
    for number in 0..<count {
      let item = try context.insert(names.item)
      try describe(item, names, number, &random)
      if hasImage {
        let bytes = [UInt8](repeating: UInt8(number % 251), count: 20_000)
        try item.setValue(.blob(bytes), of: names.image)
      }
      try item.setTarget(owners.randomElement(using: &random), of: "owner")
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        try context.insert(names.part).setTarget(item, of: "item")
      }
    }
    try context.save()
  }

  private static func describe(
    _ item: ManagedObject,
    _ names: Names,
    _ number: Int,
    _ random: inout SplitMix64
  ) throws {
    try item.setValue(.text("\(names.item) about \(number % 97)"), of: names.title)
    try item.setValue(.real(7e8 + Double(number) * 613), of: names.date)
    try item.setValue(.integer(Int64.random(in: 0...6, using: &random)), of: names.state)
    try item.setValue(.text("c\(number)"), of: names.code)
    try item.setValue(.real(Double.random(in: 0...1, using: &random)), of: names.extra)
  }

  // MARK: The log

  func log(thread: Int = 4_101, _ work: () throws -> Void) throws {
    context = try ObjectContext(store: store)
    writer.begin(store.file)
    try work()
    try writer.end()
    let data = try Data(contentsOf: URL(fileURLWithPath: rawPath))
    let text = String(decoding: data[rawBytes...], as: UTF8.self)
    rawBytes = data.count
    let written = text.split(separator: "\n").filter { !$0.contains(" Connecting to ") }
    for (place, line) in written.enumerated() {
      let next = place + 1 < written.count ? written[place + 1] : ""
      lines.append((thread, timed(line, isPrefetch: next.contains(" Prefetching with key "))))
    }
  }

  /// Returns a log line with its time computed from the number of rows.
  ///
  /// Measured times would include other work of this machine, and 16 ms on the main thread would
  /// count as a design fault.
  private func timed(_ line: Substring, isPrefetch: Bool) -> String {
    guard let start = line.range(of: " time: ")?.upperBound,
      let end = line[start...].range(of: "s")?.lowerBound
    else { return String(line) }
    let rows = line[end...].split { !$0.isNumber }.first.flatMap { Int($0) } ?? 0
    // An assumed time for a fast machine, in microseconds.
    var time = 100 + rows
    if line.contains(" total fetch ") {
      if isPrefetch { prefetched += time } else { (time, prefetched) = (time + prefetched, 0) }
    }
    return String(line[..<start]) + Figures.fixed(Double(time) / 1e6, decimals: 4) + line[end...]
  }

  func write(_ messages: [String]) {
    lines += messages.map { (4_101, "CoreData: " + $0) }
  }

  /// Appends the log lines of a fetch that the object context cannot run, in the format of public
  /// logs.
  func writeFetch(_ sql: String, rows: Int, seconds: Double) {
    let time = Figures.fixed(seconds, decimals: 4)
    write([
      "sql: \(sql)", "annotation: sql connection fetch time: \(time)s",
      "annotation: total fetch execution time: \(time)s for \(rows) rows.",
    ])
  }

  private func withTimes() -> [String] {
    var clock = 10 * 3_600_000
    return lines.map { thread, text in
      if text.hasPrefix("app: ") { clock += 4_000 + text.utf8.count * 37 }
      if text.contains("sql: BEGIN") { clock += 2 }
      if text.hasPrefix("CoreData: ") { clock += 1 }
      func two(_ number: Int) -> String { number.digits(2) }
      let time = "\(two(clock / 3_600_000)):\(two(clock / 60_000 % 60)):\(two(clock / 1_000 % 60))"
      let head = "2026-05-04 \(time).\((clock % 1_000).digits(3)) App[815:\(thread)] "
      // The app and Core Data log on one thread: Core Data works on its caller's.
      return text.hasPrefix("app: ") || text.hasPrefix("CoreData: ") ? head + text : text
    }
  }

  // MARK: User actions

  private func live() throws {
    let steps = Int.random(in: 35...60, using: &random)
    let place = Int.random(in: 5...30, using: &random)
    for step in 0..<steps {
      lines.append((4_101, "app: step \(step)"))
      if step == place, let fault { try commit(fault) }
      try act()
    }
    if fault == .indexForNothing {
      for _ in 0..<25 { try search() }
      try importItems(260)
    }
    if fault == .upkeepAfterSaves { writeUpkeep() }
  }

  func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  var newestFirst: FetchRequest {
    FetchRequest(names.item, sortDescriptors: [.init(names.date, ascending: false)])
  }

  private func act() throws {
    switch number(0...9) {
    case 0, 1: try openList()
    case 2, 3: try openDetail()
    case 4: try openOwner()
    case 5, 6: try edit()
    case 7: try importItems(number(10...60))
    case 8: try search()
    default:
      try log {
        let recent = Value.real(7e8 + Double(number(0...itemCount)) * 613)
        let request = FetchRequest(
          names.item,
          predicate: .comparison(names.date, .greater, recent)
        )
        _ = try context.count(request)
      }
    }
  }

  private func openList() throws {
    try log {
      var request = newestFirst
      request.fetchBatchSize = 25
      let items = try context.fetch(request)
      for index in 0..<number(20...90) { _ = try items.object(at: index).value(of: names.title) }
    }
  }

  func show(_ items: FetchedObjects) throws {
    for index in 0..<items.count { _ = try items.object(at: index).value(of: names.title) }
  }

  private func openDetail() throws {
    try log {
      let request = FetchRequest(
        names.item,
        predicate: .comparison(names.code, .equal, .text("c\(number(0...itemCount - 1))")),
        fetchLimit: 1
      )
      let found = try context.fetch(request)
      guard found.count > 0 else { return }
      let item = try found.object(at: 0)
      _ = try item.target(of: "owner")?.value(of: "name")
      guard fault != .prefetchForNothing else { return }
      for part in try item.targets(of: "parts") { _ = try part.value(of: "text") }
    }
  }

  private func openOwner() throws {
    try log {
      let owner = context.object(
        try context.description(of: names.owner),
        key: Int64(number(1...200))
      )
      _ = try owner.value(of: "name")
      let request = FetchRequest(
        names.item,
        predicate: .comparison("owner", .equal, .integer(owner.key)),
        sortDescriptors: [.init(names.date)],
        relationshipsForPrefetching: fault == .prefetchForNothing ? [] : ["parts"]
      )
      let items = try context.fetch(request)
      for index in 0..<items.count where fault != .prefetchForNothing {
        for part in try items.object(at: index).targets(of: "parts").prefix(1) {
          try part.setValue(.text("read"), of: "text")
        }
      }
      try context.save()
    }
  }

  func edit() throws {
    try log {
      let key = Int64(number(1...itemCount))
      let item = context.object(try context.description(of: names.item), key: key)
      try item.setValue(.text("edited \(number(1...999))"), of: names.title)
      try context.save()
    }
  }

  func importItems(_ count: Int, savingEach: Bool = false) throws {
    try log(thread: 4_177) {
      for _ in 0..<count {
        let item = try context.insert(names.item)
        try Self.describe(item, names, itemCount, &random)
        let owner = try context.description(of: names.owner)
        try item.setTarget(context.object(owner, key: Int64(number(1...200))), of: "owner")
        itemCount += 1
        if savingEach { try context.save() }
      }
      try context.save()
    }
  }

  private func search() throws {
    try log {
      let request = FetchRequest(
        names.item,
        predicate: .beginsWith(names.code, "c\(number(1...99))"),
        fetchLimit: 20
      )
      _ = try context.fetch(request)
    }
  }
}

import Basics
import DataModel
import PersistentStore
import Runner
import SQLite

/// Measures the cost of showing the number of objects in each list and of keeping these numbers up
/// to date.
struct CountWorkload: ScenarioKind {
  private static let show = Metric.phase("show", "finding the number of objects in each list")
  static let description = KindDescription(
    name: "counts",
    summary: "badges: count requests, fetches, derived attributes, maintained counts",
    question: "How should the number of objects in each list be found?",
    metrics: [show],
    example: "strategy: derived, objects: 40, lists: 4, saves: 3",
    fit: PlainEntity.fit
  )

  let parameters: CountParameters

  var traits: CaseTraits {
    let kept = parameters.keepsCounts ? ", \(parameters.strategy.rawValue) counts" : ""
    let all = "\(parameters.objects) objects of '\(parameters.entity)' in \(parameters.lists) lists"
    var traits = CaseTraits(
      endState: "\(parameters.saves) saves of \(parameters.objectsPerSave), \(all)",
      ownStore: "counts: \(all)\(kept)",
      bytes: PlainEntity.diskBytes(of: parameters.objects + parameters.lists)
    )
    traits.behaviours = [.layout, .saveStatements]
    switch parameters.strategy {
    case .count: traits.behaviours.add("countStatement", "SELECT COUNT(*)", .log)
    case .group: traits.behaviours.add("groupStatement", "GROUP BY of a to-one's column", .assumed)
    case .derived:
      traits.behaviours.add("derivedStatement", "UPDATE with a subquery", .log)
      traits.behaviours.assume(parameters.$derivation, parameters.derivation)
    case .fetch, .maintained: break
    }
    return traits
  }

  func fill(_ stage: Stage<CountContent>) throws {
    let content = stage.content
    let context = try ObjectContext(store: stage.store)
    let first = (1...Int64(parameters.objects)).map { (content.firstList(of: $0), Int64(1)) }
    let counts = Dictionary(first, uniquingKeysWith: +)
    try context.fill(content.listEntity, keys: 1...parameters.lists) { list, key in
      try list.setValue(.text("list \(key)"), of: "name")
      guard parameters.keepsCounts else { return }
      try list.setValue(.integer(counts[key] ?? 0), of: CountContent.number)
    }
    let lists = try context.description(of: content.listEntity)
    try context.fill(content.entity, content.rows, keys: 1...parameters.objects) {
      try $0.setTarget(context.object(lists, key: content.firstList(of: $1)), of: CountContent.list)
    }
  }

  func run(_ session: BadgeCounts, _ recorder: Recorder) throws {
    recorder.observe(session.context.connection)
    for save in 0..<parameters.saves {
      let keys = parameters.moved(by: save)
      try recorder.phase(.phases.save) { try session.move(keys) }
      session.shown.append(try recorder.phase(Self.show) { try session.badges() })
    }
    recorder.count(session.context)
  }

  func outcome(
    of session: BadgeCounts,
    _ expected: ExpectedStore,
    _ content: CountContent
  ) throws -> Outcome {
    let (items, lists, list) = try content.names(in: expected.layout)
    let next = "\(list) % \(parameters.lists) + 1"
    let count = "(SELECT count(*) FROM \(items.table) WHERE \(list) = \(lists.table).Z_PK)"
    var (outcome, badges) = (Outcome(), [Int64: Int]())
    for save in 0..<parameters.saves {
      let moved = "Z_PK IN (\(parameters.moved(by: save).map(String.init).joined(separator: ", ")))"
      if parameters.strategy == .maintained {
        let touched = [list, next].map { "SELECT \($0) FROM \(items.table) WHERE \(moved)" }
        let keys = touched.joined(separator: " UNION ")
        try expected.change("UPDATE \(lists.table) SET Z_OPT = Z_OPT + 1 WHERE Z_PK IN (\(keys))")
      }
      let moves = "\(list) = \(next), Z_OPT = Z_OPT + 1"
      try expected.change("UPDATE \(items.table) SET \(moves) WHERE \(moved)")
      badges = try expected.numbers("SELECT Z_PK, \(count) FROM \(lists.table)")
      let wrong = "the badges after save \(save + 1) are not equal to the numbers of objects"
      if outcome.problems.isEmpty, session.shown[save] != badges { outcome.problems = [wrong] }
    }
    let shown = badges.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: ",")
    outcome.digest = { SHA256.hash(data: Array(shown.utf8)).hexadecimal }
    guard parameters.keepsCounts else { return outcome }
    let number = try lists.column(CountContent.number)
    try expected.change("UPDATE \(lists.table) SET \(number) = \(count)")
    return outcome
  }
}

struct CountParameters: ParameterSet {
  enum Strategy: String, CaseIterable, Sendable {
    /// Counts the objects with one request per list.
    case count
    /// Counts the objects of all lists with one GROUP BY statement.
    case group
    /// Fetches all objects and counts them in memory.
    case fetch
    /// Reads a derived attribute of each list.
    case derived
    /// Reads an attribute of each list that the app updates when objects move.
    case maintained
  }

  enum Derivation: String, CaseIterable, Sendable {
    /// Triggers update the counts of each changed row's lists.
    case triggers
    /// One statement per save updates the counts of all lists.
    case statement
  }

  @Parameter("how the counts are computed or stored") var strategy = Strategy.group
  @Parameter("how a derived count is updated (assumed)") var derivation = Derivation.triggers
  @Parameter(1...1_000_000, "number of objects in all lists together") var objects = 10_000
  @Parameter(2...10_000, "number of lists, each with a badge") var lists = 20
  @Parameter(1...10_000, "number of saves; the badges are shown after each save") var saves = 20
  @Parameter(1...1_000, "number of objects that a save moves to other lists") var objectsPerSave = 1
  @Parameter(.name, "entity whose attributes the objects have") var entity = ""

  var irrelevant: Set<ParameterName> { strategy == .derived ? [] : [$derivation] }
  var impossibility: String? { tooFew(objects, "moves", objectsPerSave, "objects") }
  var keepsCounts: Bool { strategy == .derived || strategy == .maintained }

  /// The distinct keys of the objects that a save moves to their next lists.
  func moved(by save: Int) -> [Int64] { turns(save, objectsPerSave, of: objects, step: 7_919) }
}

struct CountContent: Scenario {
  static let list = "badgeList"
  static let number = "itemCount"

  let plain: PlainEntity
  let parameters: CountParameters
  let seed: UInt64

  init(_ model: Model, _ parameters: CountParameters, seed: UInt64) throws {
    plain = try PlainEntity(model, entity: parameters.entity)
    (self.parameters, self.seed) = (parameters, seed)
  }

  var listEntity: String { entity + "List" }

  var model: Model {
    let list = Relationship(name: Self.list, destination: listEntity, inverse: "items")
    let items = Relationship(name: "items", destination: entity, inverse: Self.list, isToMany: true)
    let derivation = parameters.strategy == .derived ? "items.@count" : nil
    let number = Attribute(name: Self.number, type: .integer32, derivation: derivation)
    let own = [Attribute(name: "name", type: .string)] + (parameters.keepsCounts ? [number] : [])
    return Model(entities: [
      plain.entity(relationships: [list]),
      Entity(name: listEntity, attributes: own, relationships: [items]),
    ])
  }

  /// The SQL names of the objects' entity and of the lists' entity, and the column that refers to
  /// an object's list.
  func names(in layout: StoreLayout) throws -> (EntityNames, EntityNames, list: String) {
    let items = try EntityNames(entity, in: layout)
    return try (items, EntityNames(listEntity, in: layout), items.column(Self.list))
  }

  func firstList(of key: Int64) -> Int64 {
    Int64(SplitMix64.word(seed, 0x6c69_7374, UInt64(key)) % UInt64(parameters.lists)) + 1
  }
}

final class BadgeCounts: StageSession {
  let context: ObjectContext
  var shown: [[Int64: Int]] = []
  private let content: CountContent
  /// The count statement in public logs, assumed to work the same for a to-one relationship's
  /// column.
  private let grouping: String

  init(_ stage: Stage<CountContent>) throws {
    content = stage.content
    context = try ObjectContext(store: stage.store)
    let (items, lists, list) = try content.names(in: stage.store.layout)
    grouping = items.counts(by: list)
    guard content.parameters.strategy == .derived else { return }
    // Public logs show this statement for a derived count. As written, it updates the counts of all
    // lists.
    let derivation =
      "UPDATE \(lists.table) SET \(try lists.column(CountContent.number)) = "
      + "(SELECT IFNULL(COUNT(\(list)), 0) FROM \(items.table) WHERE \(list) = \(lists.table).Z_PK)"
    let isForAll = content.parameters.derivation == .statement
    let rows = isForAll ? [""] : ["OLD", "NEW"].map { " WHERE Z_PK = \($0).\(list)" }
    let statements = rows.map { derivation + $0 + ";" }.joined(separator: " ")
    try context.connection.execute(
      "CREATE TEMP TRIGGER Z_DA_\(items.table)_items_UPDATE AFTER UPDATE OF \(list) "
        + "ON main.\(items.table) BEGIN \(statements) END"
    )
  }

  func move(_ keys: [Int64]) throws {
    let lists = try context.description(of: content.listEntity)
    var touched: Set<Int64> = []
    try context.fetch(FetchRequest(content.entity, predicate: .keys(keys))).each { object in
      guard let old = try object.stored(CountContent.list).integer else { return }
      let next = old % Int64(content.parameters.lists) + 1
      touched.formUnion([old, next])
      try object.setTarget(context.object(lists, key: next), of: CountContent.list)
      guard content.parameters.strategy == .maintained else { return }
      for (key, step) in [(old, -1), (next, 1)] as [(Int64, Int64)] {
        let list = context.object(lists, key: key)
        let number = try list.value(of: CountContent.number).integer ?? 0
        try list.setValue(.integer(number + step), of: CountContent.number)
      }
    }
    try context.save()
    guard content.parameters.strategy == .derived else { return }
    try context.merge(content.listEntity, updated: touched, deleted: [])
  }

  func badges() throws -> [Int64: Int] {
    var badges = Dictionary((1...Int64(content.parameters.lists)).map { ($0, 0) }) { $1 }
    switch content.parameters.strategy {
    case .count:
      for list in badges.keys.sorted() {
        let isIn = Predicate.comparison(CountContent.list, .equal, .integer(list))
        badges[list] = try context.count(FetchRequest(content.entity, predicate: isIn))
      }
    case .group:
      let rows = try context.connection.cached(grouping)
      defer { rows.reset() }
      while try rows.step() { badges[rows.integer(at: 0)] = Int(rows.integer(at: 1)) }
    case .fetch:
      try context.fetch(FetchRequest(content.entity)).each { object in
        if let list = try object.stored(CountContent.list).integer { badges[list, default: 0] += 1 }
      }
    case .derived, .maintained:
      try context.fetch(FetchRequest(content.listEntity)).each { list in
        badges[list.key] = try list.value(of: CountContent.number).integer.map { Int($0) }
      }
    }
    return badges
  }
}

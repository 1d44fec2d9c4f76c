import DataModel
import PersistentStore
import Runner
import SQLite

/// Measures the cost of reading a store's persistent history and of keeping it.
struct HistoryWorkload: ScenarioKind {
  static let description = KindDescription(
    name: "history",
    summary: "persistent history: reading since a token, purging, growth",
    question: "How should history be read, and when should it be purged?",
    metrics: Metric.history.all,
    example:
      "operation: grow, objects: 30, transactions: 5, older: 5, deleted: 2, saves: 6, purgeEvery: 4, "
      + "behind: 3",
    fit: PlainEntity.fit
  )

  let parameters: HistoryParameters

  var traits: CaseTraits {
    let objects = "\(parameters.objects) objects of '\(parameters.entity)'"
    let deleted =
      ", \(parameters.deleted) deleted" + (parameters.tombstones ? "" : ", no tombstones")
    let content =
      "\(parameters.transactions) transactions of \(parameters.changes) since the token, "
      + "\(parameters.older) before, \(objects)\(deleted)"
    let changes = (parameters.transactions + parameters.older + parameters.saves)
    var traits = CaseTraits(
      endState: "\(work): \(content)",
      onlyReads: parameters.operation == .read,
      ownStore: "history: \(parameters.transactions) of \(parameters.changes), "
        + "\(parameters.older) before, \(objects)\(deleted)"
        + (parameters.isExpired ? ", expired" : ""),
      bytes: PlainEntity.diskBytes(of: parameters.objects)
        + Int64(changes * (parameters.changes + 2)) * 200
    )
    // The job omits the purges, so that stores with and without purges are compared. Only cases
    // with the same job are compared.
    if parameters.operation == .grow {
      traits.job = "\(parameters.saves) saves of \(parameters.changes), \(objects)"
    }
    traits.notes = [
      "the transactions that precede the timed work are written with SQL, as the same rows that "
        + "saves write"
    ]
    traits.behaviours = [.layout]
    traits.behaviours.add("historyRows", "one a change", .file)
    let irrelevant = parameters.irrelevant
    if !irrelevant.contains(parameters.$historyFetch) {
      traits.behaviours.assume(parameters.$historyFetch, parameters.historyFetch)
    }
    if !irrelevant.contains(parameters.$historyPurge) {
      traits.behaviours.assume(parameters.$historyPurge, parameters.historyPurge)
    }
    return traits
  }

  private var work: String {
    switch parameters.operation {
    case .read: "read"
    case .purge: "purged"
    case .grow:
      parameters.purgeEvery == 0
        ? "\(parameters.saves) saves, never purged"
        : "\(parameters.saves) saves, purged every \(parameters.purgeEvery), "
          + "\(parameters.behind) behind"
    }
  }

  func fill(_ stage: Stage<HistoryContent>) throws {
    try stage.content.fill(stage.store)
    guard parameters.isExpired else { return }
    let token = try stage.content.token(stage.store.connection)
    try stage.store.purgeHistory(through: token + Int64(max(1, parameters.transactions / 2)))
  }

  func run(_ session: HistorySession, _ recorder: Recorder) throws {
    recorder.observe(session.store.connection)
    let earlier = session.context.statistics
    switch parameters.operation {
    case .read: try read(session, recorder)
    case .purge:
      try recorder.phase(.history.purge) { try session.purge(through: session.token) }
    case .grow:
      for save in 1...parameters.saves {
        try recorder.phase(.phases.save) { try session.save(save - 1) }
        guard parameters.purgeEvery > 0, save.isMultiple(of: parameters.purgeEvery) else {
          continue
        }
        try recorder.phase(.history.purge) {
          try session.purge(through: session.lastToken - Int64(parameters.behind))
        }
      }
    }
    if parameters.vacuum, !parameters.irrelevant.contains(parameters.$vacuum) {
      try recorder.phase(.phases.vacuum) {
        try session.store.connection.execute("PRAGMA incremental_vacuum")
      }
    }
    recorder.count(session.context.statistics, since: earlier)
  }

  private func read(_ session: HistorySession, _ recorder: Recorder) throws {
    let usesHistory = parameters.reader != .everything
    if usesHistory, try !recorder.phase(.history.find, { try session.isExpired() }) {
      let changes = try recorder.phase(.history.find) { try session.changes() }
      recorder.count(.history.changes, changes.count)
      try recorder.phase(.history.fetch) { try session.take(changes) }
    } else {
      try recorder.phase(.history.fetch) { try session.takeEverything() }
    }
  }
}

extension HistoryWorkload {
  struct Metrics: MetricFamily {
    let find = Metric.phase("find", "reading the history since a token")
    let fetch = Metric.phase("fetch", "fetching the changed objects for a reader")
    let purge = Metric.phase("purge", "deleting history that all readers have read")
    let changes = Metric.tally("history.changes", "number of changes that a reader reads")
  }
}

extension Metric {
  static let history = HistoryWorkload.Metrics()
}

final class HistorySession: StageSession {
  /// The maximum number of objects whose keys one fetch lists.
  private static let fetchSize = 500

  let store: PersistentStore
  let content: HistoryContent
  let context: ObjectContext
  let token: Int64
  private(set) var known: [Int64: Value] = [:]
  /// The identifiers of the objects that the reader has removed, by key; NULL if the identifier was
  /// not preserved.
  private(set) var removed: [Int64: Value] = [:]
  private let rows: SeededRow

  init(_ stage: Stage<HistoryContent>) throws {
    (store, content, rows) = (stage.store, stage.content, stage.content.rows)
    context = try ObjectContext(store: store)
    token = try content.token(store.connection)
  }

  var lastToken: Int64 { get throws { try content.lastToken(store.connection) } }

  // MARK: Reading changes

  func isExpired() throws -> Bool {
    let first = try store.connection.integer("SELECT min(Z_PK) FROM ATRANSACTION")
    return try (first ?? lastToken + 1) > token + 1
  }

  func changes() throws -> [HistoryReader.Change] {
    known = [:]
    removed = [:]
    return try HistoryReader(store, statements: content.parameters.historyFetch).changes(
      after: token
    )
  }

  func take(_ changes: [HistoryReader.Change]) throws {
    var keys: Set<Int64> = []
    for change in changes where change.entity == content.entity {
      if change.kind == .deletion {
        removed[change.key] = change.tombstone.first ?? .null
      } else {
        keys.insert(change.key)
      }
    }
    keys.subtract(removed.keys)
    for some in keys.sorted().chunks(of: Self.fetchSize) {
      try take(context.fetch(FetchRequest(content.entity, predicate: .keys(Array(some)))))
    }
  }

  func takeEverything() throws {
    known = [:]
    removed = [:]
    try take(context.fetch(FetchRequest(content.entity)))
  }

  private func take(_ found: FetchedObjects) throws {
    try found.each { known[$0.key] = try $0.value(of: content.counter) }
  }

  // MARK: Saving and purging

  func save(_ number: Int) throws {
    let keys = content.saved(by: number)
    for object in try context.load(content.entity, keys) {
      let value = rows.counterValue(of: object.key, version: 2 + number)
      try object.setValue(value, of: content.counter)
    }
    try context.save()
  }

  func purge(through token: Int64) throws {
    try store.purgeHistory(through: token, statements: content.parameters.historyPurge)
  }
}

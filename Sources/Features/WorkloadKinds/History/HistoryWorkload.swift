import DataModel
import PersistentStore
import Runner
import SQLite

/// What a store's history costs its readers, and what it costs to keep it.
package struct HistoryWorkload: WorkloadKind {
  package static let description = KindDescription(
    name: "history",
    summary: "persistent history: reading since a token, purging, growth",
    question: "How should history be read, and when should it be purged?",
    metrics: Metric.history.all,
    example:
      "operation: grow, objects: 30, transactions: 5, older: 5, deleted: 2, saves: 6, purgeEvery: 4, "
      + "behind: 3",
    fit: fit
  )

  package let parameters: HistoryParameters

  package init(parameters: HistoryParameters) {
    self.parameters = parameters
  }

  package var traits: CaseTraits {
    var traits = CaseTraits(endState: endState, onlyReads: onlyReads, startingStore: startingStore)
    traits.job = job
    traits.behaviours = behaviours
    traits.notes = notes
    traits.diskFactor = 0
    traits.diskBytes = diskBytes
    return traits
  }

  var onlyReads: Bool { parameters.operation == .read }

  var endState: String {
    let content =
      "\(parameters.transactions) transactions of \(parameters.changes) since the token, "
      + "\(parameters.older) before, \(parameters.objects) objects of '\(parameters.entity)', "
      + "\(parameters.deleted) deleted" + (parameters.tombstones ? "" : ", no tombstones")
    switch parameters.operation {
    case .read: return "read: \(content)"
    case .purge: return "purged: \(content)"
    case .grow:
      let purges =
        parameters.purgeEvery == 0
        ? "never purged"
        : "purged every \(parameters.purgeEvery), \(parameters.behind) behind"
      return "\(parameters.saves) saves, \(purges): \(content)"
    }
  }

  /// What a store that is purged is an alternative to: one that is not.
  var job: String {
    parameters.operation == .grow
      ? "\(parameters.saves) saves of \(parameters.changes), \(parameters.objects) objects of "
        + "'\(parameters.entity)'" : endState
  }

  var behaviours: [Behaviour] {
    var behaviours = [
      Behaviour.layout,
      Behaviour(name: "historyRows", value: "one a change", evidence: .file),
    ]
    let irrelevant = parameters.irrelevant
    if !irrelevant.contains(parameters.$historyFetch) {
      behaviours.add("\(parameters.$historyFetch)", parameters.historyFetch.rawValue, .assumed)
    }
    if !irrelevant.contains(parameters.$historyPurge) {
      behaviours.add("\(parameters.$historyPurge)", parameters.historyPurge.rawValue, .assumed)
    }
    return behaviours
  }

  var notes: [String] {
    [
      "the transactions that precede the timed work are written with SQL, as the same rows that "
        + "saves write"
    ]
  }

  var startingStore: String? {
    "history: \(parameters.transactions) of \(parameters.changes), \(parameters.older) before, "
      + "\(parameters.objects) objects of '\(parameters.entity)', \(parameters.deleted) deleted"
      + (parameters.tombstones ? "" : ", no tombstones") + (parameters.isExpired ? ", expired" : "")
  }

  var diskBytes: Int64 {
    let changes = (parameters.transactions + parameters.older + parameters.saves)
    return PlainEntity.diskBytes(of: parameters.objects)
      + Int64(changes * (parameters.changes + 2)) * 200
  }

  package func makeStartingStore(_ trial: Trial) throws {
    let model = try HistoryModel(trial.original.ownModel(), parameters, seed: trial.seed)
    let store = try trial.emptyStore(of: model.model, keepsHistory: true)
    try model.fill(store)
    guard parameters.isExpired else { return }
    let token = try model.token(store.connection)
    try store.purgeHistory(through: token + Int64(max(1, parameters.transactions / 2)))
  }

  package func prepare(_ trial: Trial) throws -> HistorySession {
    try HistorySession(parameters, trial)
  }

  package func run(_ session: HistorySession, _ recorder: Recorder) throws {
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
  static func fit(_ fit: inout CaseFit, to store: StoreOffer) {
    let parameters = HistoryParameters(fit.values)
    fit.choosePlainEntity(parameters.$entity, parameters.entity, in: store)
  }

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

/// An open store with a reader of its history.
package final class HistorySession {
  /// Objects that one fetch names by their keys.
  private static let fetchSize = 500

  let store: PersistentStore
  let model: HistoryModel
  let context: ObjectContext
  let token: Int64
  /// What the reader has read again: the counter by key.
  private(set) var known: [Int64: Value] = [:]
  /// What it has removed: keys, and identifiers where they are preserved.
  private(set) var removed: [Int64: Value] = [:]
  package let parameters: HistoryParameters

  init(_ parameters: HistoryParameters, _ trial: Trial) throws {
    self.parameters = parameters
    model = try HistoryModel(trial.original.ownModel(), parameters, seed: trial.seed)
    store = try PersistentStore.open(
      trial.store,
      mode: parameters.operation == .read ? .readOnly : .readWrite,
      options: PersistentStore.Options(settings: trial.settings, seed: trial.seed)
    )
    context = try ObjectContext(store: store)
    token = try model.token(store.connection)
  }

  var lastToken: Int64 { get throws { try model.lastToken(store.connection) } }

  // MARK: Reading

  /// Whether transactions after the token are gone.
  func isExpired() throws -> Bool {
    let first = try store.connection.integer("SELECT min(Z_PK) FROM ATRANSACTION")
    return try (first ?? lastToken + 1) > token + 1
  }

  func changes() throws -> [HistoryReader.Change] {
    known = [:]
    removed = [:]
    return try HistoryReader(store, statements: parameters.historyFetch).changes(after: token)
  }

  /// Removes what was deleted, and fetches what was changed.
  func take(_ changes: [HistoryReader.Change]) throws {
    var keys: Set<Int64> = []
    for change in changes where change.entity == model.entity {
      if change.kind == .deletion {
        removed[change.key] = change.tombstone.first ?? .null
      } else {
        keys.insert(change.key)
      }
    }
    keys.subtract(removed.keys)
    let sorted = keys.sorted()
    for start in stride(from: 0, to: sorted.count, by: Self.fetchSize) {
      let some = Array(sorted[start..<min(start + Self.fetchSize, sorted.count)])
      try take(context.fetch(FetchRequest(model.entity, predicate: .keys(some))))
    }
  }

  func takeEverything() throws {
    known = [:]
    removed = [:]
    try take(context.fetch(FetchRequest(model.entity)))
  }

  private func take(_ found: FetchedObjects) throws {
    for index in 0..<found.count {
      let object = try found.object(at: index)
      known[object.key] = try object.value(of: model.counter)
    }
  }

  // MARK: Writing

  /// Changes as many objects as a transaction has.
  func save(_ number: Int) throws {
    let keys = savedKeys(number)
    let found = try context.objects(model.entity, keys: keys, fetchBatchSize: keys.count)
    for (place, key) in keys.enumerated() {
      try found.object(at: place)
        .setValue(model.rows.counterValue(of: key, version: 2 + number), of: model.counter)
    }
    try context.save()
  }

  func savedKeys(_ number: Int) -> [Int64] {
    let count = parameters.objects - parameters.deleted
    return Set(
      (0..<parameters.changes).map { Int64((number * parameters.changes + $0) % count) + 1 }
    )
    .sorted()
  }

  func purge(through token: Int64) throws {
    try store.purgeHistory(through: token, statements: parameters.historyPurge)
  }
}

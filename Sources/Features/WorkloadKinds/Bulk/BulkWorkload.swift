import DataModel
import PersistentStore
import Runner
import SQLite

/// Measures the cost of updating or deleting many objects at once and of showing the result.
struct BulkWorkload: ScenarioKind {
  static let description = KindDescription(
    name: "bulk",
    summary: "batch updates and batch deletes, compared with fetching, changing and saving",
    question: "How should many objects be updated or deleted?",
    metrics: Metric.bulk.all,
    example: "stored: 40, held: 10, history: true",
    fit: PlainEntity.fit
  )

  let parameters: BulkParameters
  var durability: CommitDurability? { parameters.durability }

  var traits: CaseTraits {
    let objects = "\(parameters.stored) objects of '\(parameters.entity)'"
    let history = parameters.keepsHistory ? ", history" : ""
    var traits = CaseTraits(
      endState: "\(parameters.operation.rawValue) of \(parameters.share) of \(objects)\(history)",
      ownStore: "bulk changes: \(objects)\(history)",
      bytes: PlainEntity.diskBytes(of: parameters.stored)
    )
    // A case whose screen shows old values does a different job, so it is not compared with cases
    // that show the new values.
    let isStale = parameters.merge == .none && !parameters.irrelevant.contains(parameters.$merge)
    if !parameters.shown.isEmpty { traits.job += ", \(parameters.shown.count) on a screen" }
    if isStale { traits.job += ", not merged" }
    traits.job += ", durability \(parameters.durability.rawValue)"
    traits.notes = parameters.engine.notes
    guard parameters.engine == .objectGraph else { return traits }
    traits.behaviours = [.layout]
    guard parameters.isRequest else {
      traits.behaviours.append(.saveStatements)
      if parameters.keepsHistory { traits.behaviours.add("historyRows", "one a change", .file) }
      return traits
    }
    traits.behaviours.add("batch", "by SQL in the store, past contexts", .documented)
    traits.behaviours.assume(parameters.$batchSearch, parameters.batchSearch)
    if parameters.keepsHistory { traits.behaviours.add("batchHistory", "recorded", .documented) }
    if parameters.operation == .update {
      traits.behaviours.assume(parameters.$batchVersions, parameters.batchVersions)
    }
    if !parameters.shown.isEmpty { traits.behaviours.assume(parameters.$merge, parameters.merge) }
    return traits
  }

  func fill(_ stage: Stage<BulkContent>) throws {
    let content = stage.content
    let context = try ObjectContext(store: stage.store)
    try context.fill(content.entity, content.rows, keys: 1...parameters.stored) {
      try $0.setValue(.integer(content.number(of: $1)), of: content.number)
      try $0.setValue(.integer(0), of: content.flag)
    }
  }

  func run(_ session: BulkSession, _ recorder: Recorder) throws {
    parameters.engine.observe(session.store, by: recorder)
    let earlier = session.screen?.context.statistics ?? .init()
    let keys = try recorder.phase(.bulk.change) { try session.change() }
    guard let screen = session.screen else { return }
    if parameters.isRequest, !parameters.shown.isEmpty {
      try recorder.phase(.bulk.merge) { try screen.merge(keys) }
    }
    if !parameters.shown.isEmpty {
      session.shown = try recorder.phase(.bulk.redraw) { try screen.draw() }
      recorder.aside { recorder.count(.bulk.stale, session.stale.count) }
    }
    recorder.count(screen.context.statistics, since: earlier)
  }

  struct Metrics: MetricFamily {
    let change = Metric.phase("change", "updating or deleting the objects")
    let merge = Metric.phase("merge", "merging the changes of a batch into a screen's context")
    let redraw = Metric.phase("redraw", "reading the objects of the screen again")
    let stale = Metric.counter("bulk.stale", "objects on the screen that still have old values")
  }
}

extension Metric {
  static let bulk = BulkWorkload.Metrics()
}

final class BulkSession: StageSession {
  let store: PersistentStore
  let change: () throws -> [Int64]
  let screen: Screen?
  var shown: [Int64: Value] = [:]
  private let content: BulkContent

  init(_ stage: Stage<BulkContent>) throws {
    (store, content) = (stage.store, stage.content)
    let parameters = content.parameters
    let work = try BulkChange(content, store.layout)
    if let writer = try parameters.engine.writer(on: store, stage.settings) {
      screen = nil
      change = {
        try work.changeRows(by: writer)
        return []
      }
      return
    }
    let screen = try Screen(store, content, keys: parameters.shown)
    self.screen = screen
    change = { [store] in
      if parameters.isRequest { return try work.request(store) }
      try work.changeObjects(in: screen.context)
      return []
    }
  }

  /// The objects on the screen whose shown values differ from the stored values.
  var stale: [Int64] {
    content.parameters.shown.filter { key in
      let isChanged = content.isSelected(key)
      switch content.parameters.operation {
      case .update: return shown[key] != .integer(isChanged ? 1 : 0)
      case .delete: return (shown[key] == nil) != isChanged
      }
    }
  }
}

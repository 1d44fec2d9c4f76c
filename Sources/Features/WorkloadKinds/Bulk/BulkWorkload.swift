import DataModel
import PersistentStore
import Runner
import SQLite

/// What it costs to update or delete many objects at once, and to show the outcome.
package struct BulkWorkload: WorkloadKind {
  package static let description = KindDescription(
    name: "bulk",
    summary: "batch updates and batch deletes, compared with fetching, changing and saving",
    question: "How should many objects be updated or deleted?",
    metrics: Metric.bulk.all,
    example: "stored: 40, held: 10, history: true",
    fit: fit
  )

  package let parameters: BulkParameters

  package init(parameters: BulkParameters) {
    self.parameters = parameters
  }

  package var traits: CaseTraits {
    var traits = CaseTraits(endState: endState, startingStore: startingStore)
    traits.job = job
    traits.behaviours = behaviours
    traits.notes = notes
    traits.diskFactor = 0
    traits.diskBytes = diskBytes
    return traits
  }

  var endState: String {
    let history = parameters.keepsHistory ? ", history" : ""
    return
      "\(parameters.operation.rawValue) of \(parameters.share) of \(parameters.stored) objects "
      + "of '\(parameters.entity)'\(history)"
  }

  /// A screen that shows old values is no alternative to one that shows the new ones.
  var job: String {
    let shown = parameters.shown.isEmpty ? "" : ", \(parameters.shown.count) on a screen"
    let isStale = parameters.merge == .none && !parameters.irrelevant.contains(parameters.$merge)
    return "\(endState)\(shown)\(isStale ? ", not merged" : ""), "
      + "durability \(parameters.durability.rawValue)"
  }

  var behaviours: [Behaviour] {
    guard parameters.engine == .objectGraph else { return [] }
    var behaviours = [Behaviour.layout]
    guard parameters.isRequest else {
      behaviours.add("saveStatements", "keys reserved, then rows", .log)
      if parameters.keepsHistory { behaviours.add("historyRows", "one a change", .file) }
      return behaviours
    }
    behaviours.add("batch", "by SQL in the store, past contexts", .documented)
    behaviours.add("\(parameters.$batchSearch)", parameters.batchSearch.rawValue, .assumed)
    if parameters.keepsHistory { behaviours.add("batchHistory", "recorded", .documented) }
    if parameters.operation == .update {
      behaviours.add("\(parameters.$batchVersions)", parameters.batchVersions.rawValue, .assumed)
    }
    if !parameters.shown.isEmpty {
      behaviours.add("\(parameters.$merge)", parameters.merge.rawValue, .assumed)
    }
    return behaviours
  }

  var notes: [String] { parameters.engine.notes }

  var startingStore: String? {
    "bulk changes: \(parameters.stored) objects of '\(parameters.entity)'"
      + (parameters.keepsHistory ? ", history" : "")
  }

  var diskBytes: Int64 { PlainEntity.diskBytes(of: parameters.stored) }

  package func makeStartingStore(_ trial: Trial) throws {
    let model = try BulkModel(trial.original.ownModel(), parameters, seed: trial.seed)
    let store = try trial.emptyStore(of: model.model, keepsHistory: parameters.keepsHistory)
    try ObjectContext(store: store).fill(model.entity, model.rows, keys: 1...parameters.stored) {
      try $0.setValue(.integer(model.number(of: $1)), of: model.number)
      try $0.setValue(.integer(0), of: model.flag)
    }
  }

  package func prepare(_ trial: Trial) throws -> BulkSession {
    try BulkSession(parameters, trial)
  }

  package func run(_ session: BulkSession, _ recorder: Recorder) throws {
    parameters.engine.observe(session.store, by: recorder)
    let earlier = session.screen?.context.statistics ?? .init()
    let keys = try recorder.phase(.bulk.change) { try session.engine.change() }
    guard let screen = session.screen else { return }
    if parameters.isRequest, !parameters.shown.isEmpty {
      try recorder.phase(.bulk.merge) { try screen.merge(keys, parameters) }
    }
    if !parameters.shown.isEmpty {
      session.shown = try recorder.phase(.bulk.redraw) { try screen.draw() }
      recorder.aside { recorder.count(.bulk.stale, session.stale.count) }
    }
    recorder.count(screen.context.statistics, since: earlier)
  }
}

extension BulkWorkload {
  static func fit(_ fit: inout CaseFit, to store: StoreOffer) {
    let parameters = BulkParameters(fit.values)
    fit.choosePlainEntity(parameters.$entity, parameters.entity, in: store)
  }

  struct Metrics: MetricFamily {
    let change = Metric.phase("change", "updating or deleting the objects")
    let merge = Metric.phase("merge", "merging the changes of a batch into a screen's context")
    let redraw = Metric.phase("redraw", "reading the objects of the screen again")
    let stale = Metric.counter(
      "bulk.stale",
      "objects on the screen that still have old "
        + "values"
    )
  }
}

extension Metric {
  static let bulk = BulkWorkload.Metrics()
}

/// An open store with a screen that shows some of its objects.
package final class BulkSession {
  let store: PersistentStore
  let engine: any BulkEngine
  /// `nil` for plain statements.
  let screen: Screen?
  /// What the screen shows in the end, by key.
  var shown: [Int64: Value] = [:]
  package let parameters: BulkParameters
  private let model: BulkModel

  init(_ parameters: BulkParameters, _ trial: Trial) throws {
    self.parameters = parameters
    model = try BulkModel(trial.original.ownModel(), parameters, seed: trial.seed)
    let settings = parameters.durability.settings(trial.settings)
    store = try PersistentStore.open(
      trial.store,
      options: PersistentStore.Options(settings: settings, seed: trial.seed)
    )
    let sql = try BulkSQL(model, store.layout)
    if let writer = try parameters.engine.writer(on: store, settings) {
      engine = StatementChanges(writer, parameters, sql)
      screen = nil
      return
    }
    let screen = try Screen(store, model, keys: parameters.shown)
    engine =
      parameters.isRequest
      ? BatchRequest(store, parameters, sql) : ObjectChanges(screen.context, parameters, model)
    self.screen = screen
  }

  /// The objects whose shown values are not those that the change left.
  var stale: [Int64] {
    parameters.shown.filter { key in
      let isChanged = model.isSelected(key)
      switch parameters.operation {
      case .update: return shown[key] != .integer(isChanged ? 1 : 0)
      case .delete: return (shown[key] == nil) != isChanged
      }
    }
  }
}

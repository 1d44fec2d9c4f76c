import DataModel
import PersistentStore
import Runner
import SQLite

/// What it costs to show how many objects each list has, and to keep it right.
package struct CountWorkload: WorkloadKind {
  package static let description = KindDescription(
    name: "counts",
    summary: "badges: count requests, fetches, derived attributes, maintained counts",
    question: "How should the number of objects in each list be found?",
    metrics: Metric.counts.all,
    example: "strategy: derived, objects: 40, lists: 4, saves: 3",
    fit: fit
  )

  package let parameters: CountParameters

  package init(parameters: CountParameters) {
    self.parameters = parameters
  }

  package var traits: CaseTraits {
    var traits = CaseTraits(endState: endState, startingStore: startingStore)
    traits.behaviours = behaviours
    traits.diskFactor = 0
    traits.diskBytes = diskBytes
    return traits
  }

  var endState: String {
    "\(parameters.saves) saves of \(parameters.objectsPerSave), \(parameters.objects) objects of "
      + "'\(parameters.entity)' in \(parameters.lists) lists"
  }

  var behaviours: [Behaviour] {
    var behaviours = [
      Behaviour.layout,
      Behaviour(name: "saveStatements", value: "keys reserved, then rows", evidence: .log),
    ]
    switch parameters.strategy {
    case .count: behaviours.add("countStatement", "SELECT COUNT(*)", .log)
    case .group: behaviours.add("groupStatement", "GROUP BY of a to-one's column", .assumed)
    case .derived:
      behaviours.add("derivedStatement", "UPDATE with a subquery", .log)
      behaviours.add("\(parameters.$derivation)", parameters.derivation.rawValue, .assumed)
    case .fetch, .maintained: break
    }
    return behaviours
  }

  var startingStore: String? {
    let kept = parameters.keepsCounts ? ", \(parameters.strategy.rawValue) counts" : ""
    return "counts: \(parameters.objects) objects of '\(parameters.entity)' in "
      + "\(parameters.lists) lists\(kept)"
  }

  var diskBytes: Int64 {
    PlainEntity.diskBytes(of: parameters.objects + parameters.lists)
  }

  package func makeStartingStore(_ trial: Trial) throws {
    let model = try CountModel(trial.original.ownModel(), parameters, seed: trial.seed)
    let store = try trial.emptyStore(of: model.model, keepsHistory: false)
    let context = try ObjectContext(store: store)
    let counts = model.counts
    for key in 1...Int64(parameters.lists) {
      let list = try context.insert(model.listEntity)
      try list.setValue(.text("list \(key)"), of: CountModel.name)
      guard parameters.keepsCounts else { continue }
      try list.setValue(.integer(Int64(counts[key] ?? 0)), of: CountModel.number)
    }
    try context.save()
    context.reset()
    let lists = try context.description(of: model.listEntity)
    try context.fill(model.entity, model.rows, keys: 1...parameters.objects) {
      try $0.setTarget(
        context.object(lists, key: model.list(of: $1, moves: 0)),
        of: CountModel.list
      )
    }
  }

  package func prepare(_ trial: Trial) throws -> CountSession {
    try CountSession(parameters, trial)
  }

  package func run(_ session: CountSession, _ recorder: Recorder) throws {
    recorder.observe(session.store.connection)
    for save in 0..<parameters.saves {
      let keys = session.model.moved(by: save)
      try recorder.phase(.phases.save) { try session.badges.move(keys) }
      let shown = try recorder.phase(.counts.show) { try session.badges.badges() }
      session.shown.append(shown)
    }
    recorder.count(session.badges.context)
  }
}

extension CountWorkload {
  static func fit(_ fit: inout CaseFit, to store: StoreOffer) {
    let parameters = CountParameters(fit.values)
    fit.choosePlainEntity(parameters.$entity, parameters.entity, in: store)
  }

  struct Metrics: MetricFamily {
    let show = Metric.phase("show", "finding the number of objects in each list")
  }
}

extension Metric {
  static let counts = CountWorkload.Metrics()
}

/// An open store with the badges that were shown.
package final class CountSession {
  let store: PersistentStore
  let model: CountModel
  let badges: BadgeCounts
  /// The number of objects by list, after each save.
  var shown: [[Int64: Int]] = []

  init(_ parameters: CountParameters, _ trial: Trial) throws {
    model = try CountModel(trial.original.ownModel(), parameters, seed: trial.seed)
    store = try PersistentStore.open(
      trial.store,
      options: PersistentStore.Options(settings: trial.settings, seed: trial.seed)
    )
    badges = try BadgeCounts(store, parameters, model)
  }
}

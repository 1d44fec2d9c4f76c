import DataModel
import PersistentStore
import Runner
import SQLite

/// What it costs to show a list in sections, and to keep it while objects move.
package struct SectionWorkload: WorkloadKind {
  package static let description = KindDescription(
    name: "sections",
    summary: "lists in sections: by SQL, in memory, or by a fetched-results controller",
    question: "How should a list be grouped into sections?",
    metrics: Metric.sections.all,
    example: "operation: save, objects: 40, sections: 5, saves: 3, screen: 5",
    fit: fit
  )

  package let parameters: SectionParameters

  package init(parameters: SectionParameters) {
    self.parameters = parameters
  }

  package var traits: CaseTraits {
    var traits = CaseTraits(endState: endState, onlyReads: onlyReads, startingStore: startingStore)
    traits.behaviours = behaviours
    traits.notes = notes
    traits.diskFactor = 0
    traits.diskBytes = diskBytes
    return traits
  }

  var onlyReads: Bool { parameters.operation == .show }

  var endState: String {
    let list =
      "\(parameters.objects) objects of '\(parameters.entity)' in \(parameters.sections) sections "
      + "by \(parameters.by.rawValue)" + (parameters.isComputed ? ", computed" : "")
    let screen = ", \(parameters.screen) on the screen"
    guard parameters.operation == .save else { return list + screen }
    return "\(parameters.saves) saves of \(parameters.objectsPerSave), \(list)\(screen)"
  }

  var behaviours: [Behaviour] {
    guard parameters.engine == .objectGraph else { return [] }
    var behaviours = [Behaviour.layout]
    if parameters.strategy != .memory, !parameters.isComputed {
      behaviours.add("groupStatement", "GROUP BY of an attribute", .log)
    }
    guard parameters.strategy == .controller else { return behaviours }
    behaviours.add(
      "controllerSections",
      parameters.isComputed ? "every object" : "GROUP BY",
      .assumed
    )
    if parameters.operation == .save {
      behaviours.add(
        "controllerPlaces",
        "binary search, a fault for each object compared",
        .assumed
      )
    }
    return behaviours
  }

  var notes: [String] { parameters.engine.notes }

  var startingStore: String? {
    let key = parameters.isComputed ? ", computed" : ""
    return "sections: \(parameters.objects) objects of '\(parameters.entity)', "
      + "\(parameters.sections) by \(parameters.by.rawValue)\(key)"
      + (parameters.isIndexed ? ", index" : "")
  }

  var diskBytes: Int64 { PlainEntity.diskBytes(of: parameters.objects) }

  package func makeStartingStore(_ trial: Trial) throws {
    let model = try SectionModel(trial.original.ownModel(), parameters, seed: trial.seed)
    let store = try trial.emptyStore(of: model.model, keepsHistory: false)
    try ObjectContext(store: store).fill(model.entity, model.rows, keys: 1...parameters.objects) {
      for (attribute, value) in model.values(of: $1, moves: 0) {
        try $0.setValue(value, of: attribute)
      }
    }
  }

  package func prepare(_ trial: Trial) throws -> SectionSession {
    try SectionSession(parameters, trial)
  }

  package func run(_ session: SectionSession, _ recorder: Recorder) throws {
    parameters.engine.observe(session.store, by: recorder)
    let earlier = session.context?.statistics ?? .init()
    guard parameters.operation == .save else {
      session.list = try session.engine.show()
      recorder.count(.sections.sections, session.list.sections.count)
      if let context = session.context { recorder.count(context.statistics, since: earlier) }
      return
    }
    for save in 0..<parameters.saves {
      let keys = session.model.moved(by: save)
      try recorder.phase(.phases.save) { try session.move(keys) }
      session.list = try recorder.phase(.sections.update) { try session.engine.update(keys) }
    }
    if let context = session.context { recorder.count(context.statistics, since: earlier) }
    if let controller = session.engine as? ControlledSections {
      recorder.count(.sections.changes, controller.changes)
    }
  }
}

extension SectionWorkload {
  static func fit(_ fit: inout CaseFit, to store: StoreOffer) {
    let parameters = SectionParameters(fit.values)
    fit.choosePlainEntity(parameters.$entity, parameters.entity, in: store)
  }

  struct Metrics: MetricFamily {
    let update = Metric.phase("update", "updating a list with sections after a save")
    let sections = Metric.tally("sections.shown", "number of sections in the list")
    let changes = Metric.tally(
      "sections.changes",
      "number of changes that a controller reports to "
        + "its list"
    )
  }
}

extension Metric {
  static let sections = SectionWorkload.Metrics()
}

/// An open store with a list in sections.
package final class SectionSession {
  let store: PersistentStore
  let model: SectionModel
  let engine: any SectionEngine
  /// The context of the list; `nil` for plain statements.
  let context: ObjectContext?
  /// What the list shows at last.
  var list = SectionList()
  private let writer: ObjectContext
  private var moves: [Int64: Int] = [:]

  init(_ parameters: SectionParameters, _ trial: Trial) throws {
    model = try SectionModel(trial.original.ownModel(), parameters, seed: trial.seed)
    store = try PersistentStore.open(
      trial.store,
      mode: parameters.operation == .show ? .readOnly : .readWrite,
      options: PersistentStore.Options(settings: trial.settings, seed: trial.seed)
    )
    writer = try ObjectContext(store: store)
    if let statements = try parameters.engine.writer(on: store, trial.settings) {
      engine = try StatementSections(statements, parameters, model, store.layout)
      context = nil
      return
    }
    let context = try ObjectContext(store: store)
    self.context = context
    engine =
      switch parameters.strategy {
      case .sql: try GroupedSections(context, parameters, model)
      case .memory: MemorySections(context, parameters, model)
      case .controller: try ControlledSections(context, parameters, model)
      }
    if parameters.operation == .save { list = try engine.show() }
  }

  /// Moves objects to other sections, in a context beside the list's.
  func move(_ keys: [Int64]) throws {
    let found = try writer.fetch(FetchRequest(model.entity, predicate: .keys(keys)))
    for index in 0..<found.count {
      let object = try found.object(at: index)
      moves[object.key, default: 0] += 1
      for (attribute, value) in model.values(of: object.key, moves: moves[object.key] ?? 0) {
        try object.setValue(value, of: attribute)
      }
    }
    try writer.save()
    writer.reset()
  }
}

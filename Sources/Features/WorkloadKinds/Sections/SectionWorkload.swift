import DataModel
import PersistentStore
import Runner
import SQLite

/// Measures the cost of showing a list in sections, and of updating it while objects move.
struct SectionWorkload: ScenarioKind {
  static let description = KindDescription(
    name: "sections",
    summary: "lists in sections: by SQL, in memory, or by a fetched-results controller",
    question: "How should a list be grouped into sections?",
    metrics: Metric.sections.all,
    example: "operation: save, objects: 40, sections: 5, saves: 3, screen: 5",
    fit: PlainEntity.fit
  )

  let parameters: SectionParameters

  var traits: CaseTraits {
    let isComputed = parameters.isComputed ? ", computed" : ""
    let objects = "\(parameters.objects) objects of '\(parameters.entity)'"
    let list =
      "\(objects) in \(parameters.sections) sections by \(parameters.by.rawValue)\(isComputed), "
      + "\(parameters.screen) on the screen"
    let saves = "\(parameters.saves) saves of \(parameters.objectsPerSave), "
    let onlyReads = parameters.operation == .show
    var traits = CaseTraits(
      endState: onlyReads ? list : saves + list,
      onlyReads: onlyReads,
      ownStore: "sections: \(objects), \(parameters.sections) by \(parameters.by.rawValue)"
        + isComputed + (parameters.isIndexed ? ", index" : ""),
      bytes: PlainEntity.diskBytes(of: parameters.objects)
    )
    traits.notes = parameters.engine.notes
    guard parameters.engine == .objectGraph else { return traits }
    traits.behaviours = [.layout]
    if parameters.strategy != .memory, !parameters.isComputed {
      traits.behaviours.add("groupStatement", "GROUP BY of an attribute", .log)
    }
    guard parameters.strategy == .controller else { return traits }
    traits.behaviours.add(
      "controllerSections",
      parameters.isComputed ? "every object" : "GROUP BY",
      .assumed
    )
    if !onlyReads {
      traits.behaviours.add(
        "controllerPlaces",
        "binary search, a fault for each object compared",
        .assumed
      )
    }
    return traits
  }

  func fill(_ stage: Stage<SectionContent>) throws {
    let content = stage.content
    let context = try ObjectContext(store: stage.store)
    try context.fill(content.entity, content.rows, keys: 1...parameters.objects) {
      for (property, value) in content.values(of: $1, moves: 0) {
        try $0.setValue(value, of: property)
      }
    }
  }

  func run(_ session: SectionSession, _ recorder: Recorder) throws {
    parameters.engine.observe(session.store, by: recorder)
    let earlier = session.context?.statistics ?? .init()
    guard parameters.operation == .save else {
      session.list = try session.engine.show()
      recorder.count(.sections.sections, session.list.sections.count)
      if let context = session.context { recorder.count(context.statistics, since: earlier) }
      return
    }
    for save in 0..<parameters.saves {
      let keys = session.content.moved(by: save)
      try recorder.phase(.phases.save) { try session.move(keys) }
      session.list = try recorder.phase(.sections.update) { try session.engine.update(keys) }
    }
    if let context = session.context { recorder.count(context.statistics, since: earlier) }
    if let controller = session.engine as? ControlledSections {
      recorder.count(.sections.changes, controller.changes)
    }
  }

  struct Metrics: MetricFamily {
    let update = Metric.phase("update", "updating a list with sections after a save")
    let sections = Metric.tally("sections.shown", "number of sections in the list")
    let changes = Metric.tally(
      "sections.changes",
      "number of changes that a controller reports to its list"
    )
  }
}

extension Metric {
  static let sections = SectionWorkload.Metrics()
}

final class SectionSession: StageSession {
  let store: PersistentStore
  let content: SectionContent
  let engine: any SectionEngine
  let context: ObjectContext?
  var list = SectionList()
  private let writer: ObjectContext
  private var moves: [Int64: Int] = [:]

  init(_ stage: Stage<SectionContent>) throws {
    (store, content) = (stage.store, stage.content)
    let parameters = content.parameters
    writer = try ObjectContext(store: store)
    let statements = try parameters.engine.writer(
      on: store,
      stage.settings,
      onlyReads: parameters.operation == .show
    )
    if let statements {
      engine = try StatementSections(statements, content, store.layout)
      context = nil
      return
    }
    let context = try ObjectContext(store: store)
    self.context = context
    engine =
      parameters.strategy == .controller
      ? try ControlledSections(context, content) : try FetchedSections(context, content)
    if parameters.operation == .save { list = try engine.show() }
  }

  /// Moves objects to other sections, in a context other than the list's.
  func move(_ keys: [Int64]) throws {
    try writer.fetch(FetchRequest(content.entity, predicate: .keys(keys))).each { object in
      moves[object.key, default: 0] += 1
      for (property, value) in content.values(of: object.key, moves: moves[object.key] ?? 0) {
        try object.setValue(value, of: property)
      }
    }
    try writer.save()
    writer.reset()
  }
}

import DataModel
import PersistentStore
import Runner
import SQLite

/// What it costs to bring a feed's records into a store, and what an import does to the values of a
/// user.
package struct ImportWorkload: WorkloadKind {
  package static let description = KindDescription(
    name: "import",
    summary: "imports of a feed: find or create, upsert, batch insert",
    question: "How should the records of a feed be imported?",
    metrics: Metric.importing.all,
    example: "strategy: fetchChunk, records: 60, present: 0.5, chunk: 20, links: 3",
    fit: fit
  )

  package let parameters: ImportParameters

  package init(parameters: ImportParameters) {
    self.parameters = parameters
  }

  package var traits: CaseTraits {
    var traits = CaseTraits(endState: endState, startingStore: startingStore)
    traits.job = job
    traits.expectedFailure = expectedFailure
    traits.behaviours = behaviours
    traits.notes = notes
    traits.batchSize = batchSize
    traits.diskFactor = 0
    traits.diskBytes = diskBytes
    return traits
  }

  var expectedFailure: String? {
    parameters.mustFail ? "UNIQUE constraint failed" : nil
  }

  /// What the user ends with depends on what is done to the objects that are there.
  var endState: String {
    let records = "\(parameters.records) records of '\(parameters.entity)'"
    let present = "\(parameters.presentCount) of them present"
    let links = parameters.links > 0 ? ", \(parameters.links) linked to" : ""
    return "\(records), \(present)\(links)\(treatment)"
  }

  private var treatment: String {
    guard parameters.presentCount > 0 else { return "" }
    if parameters.mustFail { return ", chunks of \(parameters.chunk) up to the first present one" }
    if parameters.doublesPresent { return ", doubled" }
    if !parameters.updatesPresent { return parameters.links > 0 ? ", only linked" : ", kept" }
    return parameters.columns == .everything ? ", overwritten" : ", updated"
  }

  var job: String { "\(endState), durability \(parameters.durability.rawValue)" }

  var batchSize: Int? { parameters.chunk }

  var behaviours: [Behaviour] {
    guard parameters.engine == .objectGraph else { return [] }
    var behaviours = [Behaviour.layout]
    if parameters.isBatch {
      behaviours.add("batchInsertStatement", "one a row", .log)
      behaviours.add("\(parameters.$batchKeys)", parameters.batchKeys.rawValue, .assumed)
    }
    if parameters.strategy == .fetchChunk || parameters.isBatch && parameters.links > 0 {
      behaviours.add("valueList", "IN with parameters", .assumed)
    }
    return behaviours
  }

  var notes: [String] { parameters.engine.notes }

  var startingStore: String? {
    var parts = [
      "'\(parameters.entity)'", "\(parameters.presentCount) of \(parameters.records) records",
      "index \(parameters.index.rawValue)",
    ]
    if parameters.links > 0 { parts.append("\(parameters.links) to link to") }
    return "import: " + parts.joined(separator: ", ")
  }

  var diskBytes: Int64 {
    PlainEntity.diskBytes(of: parameters.records * 4 + parameters.links, each: 1_000)
  }

  package func makeStartingStore(_ trial: Trial) throws {
    let model = try ImportModel(trial.original.ownModel(), parameters)
    let feed = Feed(parameters, model, seed: trial.seed)
    let store = try trial.emptyStore(of: model.model, keepsHistory: false)
    let context = try ObjectContext(store: store)
    for key in 1...Int64(max(1, parameters.links)) where parameters.links > 0 {
      try context.insert(model.groupEntity)
        .setValue(.text(feed.groupName(key)), of: ImportModel.name)
    }
    try context.save()
    context.reset()
    for (index, record) in (0..<parameters.records).filter(parameters.isPresent).enumerated() {
      let object = try context.insert(model.entity)
      for (attribute, value) in zip(model.payload, feed.values(of: record, isOld: true)) {
        try object.setValue(value, of: attribute.name)
      }
      try object.setValue(.text(feed.identifier(of: record)), of: model.identifier)
      try object.setValue(.integer(feed.isFavorite(record) ? 1 : 0), of: model.favorite)
      if let key = feed.link(of: record, isOld: true) {
        let group = context.object(try context.description(of: model.groupEntity), key: key)
        try object.setTarget(group, of: ImportModel.link)
      }
      guard index % 1_000 == 999 else { continue }
      try context.save()
      context.reset()
    }
    try context.save()
  }

  package func prepare(_ trial: Trial) throws -> ImportSession {
    try ImportSession(parameters, trial)
  }

  package func run(_ session: ImportSession, _ recorder: Recorder) throws {
    parameters.engine.observe(session.store, by: recorder)
    try recorder.phase(.importing.records) {
      for chunk in parameters.chunks { try session.engine.load(chunk) }
    }
    if parameters.isBatch, parameters.links > 0 {
      try recorder.phase(.importing.links) {
        for chunk in parameters.chunks { try session.engine.link(chunk) }
      }
    }
    if let context = session.context { recorder.count(context) }
  }
}

extension ImportWorkload {
  static func fit(_ fit: inout CaseFit, to store: StoreOffer) {
    let parameters = ImportParameters(fit.values)
    fit.choosePlainEntity(parameters.$entity, parameters.entity, in: store)
  }

  struct Metrics: MetricFamily {
    let records = Metric.phase("records", "making objects from the records of a feed")
    let links = Metric.phase("links", "linking the objects of a feed in a second pass")
  }
}

extension Metric {
  static let importing = ImportWorkload.Metrics()
}

/// An open store with the records to import.
package final class ImportSession {
  let store: PersistentStore
  let engine: any ImportEngine
  let context: ObjectContext?

  init(_ parameters: ImportParameters, _ trial: Trial) throws {
    let model = try ImportModel(trial.original.ownModel(), parameters)
    let feed = Feed(parameters, model, seed: trial.seed)
    let settings = parameters.durability.settings(trial.settings)
    store = try PersistentStore.open(
      trial.store,
      options: PersistentStore.Options(settings: settings, seed: trial.seed)
    )
    if let writer = try parameters.engine.writer(on: store, settings) {
      engine = try StatementImport(writer, store.layout, parameters, model, feed)
      context = nil
    } else {
      let loading = try ContextImport(store, parameters, model, feed)
      engine = loading
      context = loading.context
    }
  }
}
